//! A text to its template: plain parts and expressions.

use std::borrow::Cow;

use crate::error::ParseError;
use crate::letters::{is_digit, is_letter};
use crate::scan::{Accept, Escapes, Scanner, Token, Wanted};

/// How deep expressions may stand inside each other.
const DEPTH: usize = 200;

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template<'a> {
    /// What it is made of, in order.
    pub parts: Vec<Part<'a>>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Stands for itself.
    Text(Cow<'a, [u8]>),
    /// Stands for what a variable makes of it.
    Expression(Expression<'a>),
}

/// `${name}`, with an operator perhaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression<'a> {
    /// The variable.
    pub name: Cow<'a, str>,
    /// As written: `:=`, `//`, `^^` …; empty for a plain `${name}`, `#` without arguments for `${#name}`.
    pub operator: Cow<'a, str>,
    /// What the operator works with.
    pub arguments: Vec<Part<'a>>,
}

impl<'a> Template<'a> {
    /// Reads a text.
    pub fn parse(text: &'a [u8]) -> Result<Self, ParseError> {
        let mut parser = Parser { scanner: Scanner::new(text), depth: 0 };
        let wanted = Wanted { word: true, open: true, escapes: Escapes::Dollar, ..Wanted::default() };
        let mut parts = Vec::new();
        loop {
            match parser.scanner.next(wanted, |_, _| true) {
                Token::Word(text) => parts.push(Part::Text(text)),
                Token::Open => parts.push(Part::Expression(parser.expression()?)),
                Token::End => return Ok(Self { parts }),
                _ => return Err(ParseError::Substitution),
            }
        }
    }
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    depth: usize,
}

const WORD: Wanted = Wanted { word: true, open: false, close: false, escapes: Escapes::None };

impl<'a> Parser<'a> {
    /// What stands behind `${`.
    fn expression(&mut self) -> Result<Expression<'a>, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(ParseError::Depth(DEPTH));
        }
        let expression = self.expression_inside()?;
        self.depth -= 1;
        Ok(expression)
    }

    fn expression_inside(&mut self) -> Result<Expression<'a>, ParseError> {
        if self.scanner.peek() == '#' {
            let operator = self.word(|character, at| character == '#' && at == 1);
            let operator = operator.ok_or(ParseError::Substitution)?;
            let name = self.word(in_name).ok_or(ParseError::Substitution)?;
            self.close()?;
            return Ok(Expression { name, operator, arguments: Vec::new() });
        }
        let name = self.word(in_name).ok_or(ParseError::VariableName)?;
        match self.scanner.peek() {
            ':' => match self.scanner.peek_second() {
                ('=' | '-' | '?' | '+', _) => self.default(name, default_operator),
                (_, 1) => self.substring(name),
                // Flux's library loses its place over a character of several bytes here, and at the end.
                _ => Err(ParseError::Substitution),
            },
            '=' => self.default(name, |character, at| at == 1 && character == '='),
            ',' | '^' => {
                let operator = self.operator(|character, at| matches!(character, ',' | '^') && at < 3)?;
                self.close()?;
                Ok(Expression { name, operator, arguments: Vec::new() })
            }
            '/' => self.replace(name),
            '#' => self.remove(name, |character, at| character == '#' && at < 3),
            '%' => self.remove(name, |character, at| character == '%' && at < 3),
            '}' => {
                self.close()?;
                Ok(Expression { name, operator: Cow::Borrowed(""), arguments: Vec::new() })
            }
            _ => Err(ParseError::ClosingBrace),
        }
    }

    /// `${name:=word}`: the word is any mixture of text and expressions.
    fn default(&mut self, name: Cow<'a, str>, accept: Accept) -> Result<Expression<'a>, ParseError> {
        let operator = self.word(accept).ok_or(ParseError::Default)?;
        let mut arguments = Vec::new();
        while self.scanner.peek() != '}' {
            arguments.push(self.argument(Escapes::None, |character, _| character != '}')?);
        }
        self.close()?;
        Ok(Expression { name, operator, arguments })
    }

    /// `${name:position}` and `${name:position:length}`.
    fn substring(&mut self, name: Cow<'a, str>) -> Result<Expression<'a>, ParseError> {
        let operator = self.operator(|character, at| at == 1 && character == ':')?;
        let position = self.argument(Escapes::None, |character, _| !matches!(character, ':' | '}'))?;
        let wanted = Wanted { close: true, ..WORD };
        let arguments = match self.scanner.next(wanted, |character, _| character == ':') {
            Token::Close => vec![position],
            Token::Word(_) => {
                let length = self.argument(Escapes::None, |character, _| character != '}')?;
                self.close()?;
                vec![position, length]
            }
            _ => return Err(ParseError::Substitution),
        };
        Ok(Expression { name, operator, arguments })
    }

    /// `${name#pattern}` and its three relatives.
    fn remove(&mut self, name: Cow<'a, str>, accept: Accept) -> Result<Expression<'a>, ParseError> {
        let operator = self.operator(accept)?;
        let pattern = self.argument(Escapes::None, |character, _| character != '}')?;
        self.close()?;
        Ok(Expression { name, operator, arguments: vec![pattern] })
    }

    /// `${name/old/new}` and its three relatives.
    fn replace(&mut self, name: Cow<'a, str>) -> Result<Expression<'a>, ParseError> {
        let operator = self.operator(replace_operator)?;
        let mut arguments = vec![self.argument(Escapes::All, |character, _| character != '/')?];
        self.operator(|character, _| character == '/')?;
        if self.scanner.peek() != '}' {
            arguments.push(self.argument(Escapes::All, |character, _| character != '}')?);
        }
        self.close()?;
        Ok(Expression { name, operator, arguments })
    }

    fn argument(&mut self, escapes: Escapes, accept: Accept) -> Result<Part<'a>, ParseError> {
        let wanted = Wanted { word: true, open: true, close: false, escapes };
        match self.scanner.next(wanted, accept) {
            Token::Open => Ok(Part::Expression(self.expression()?)),
            Token::Word(text) => Ok(Part::Text(text)),
            _ => Err(ParseError::Argument),
        }
    }

    fn operator(&mut self, accept: Accept) -> Result<Cow<'a, str>, ParseError> {
        self.word(accept).ok_or(ParseError::Substitution)
    }

    /// A word of accepted characters, none of which may be broken UTF-8.
    fn word(&mut self, accept: Accept) -> Option<Cow<'a, str>> {
        match self.scanner.next(WORD, accept) {
            Token::Word(Cow::Borrowed(bytes)) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    fn close(&mut self) -> Result<(), ParseError> {
        let wanted = Wanted { close: true, ..Wanted::default() };
        match self.scanner.next(wanted, |_, _| false) {
            Token::Close => Ok(()),
            _ => Err(ParseError::Substitution),
        }
    }
}

fn in_name(character: char, _: usize) -> bool {
    is_letter(character) || is_digit(character) || character == '_'
}

fn default_operator(character: char, at: usize) -> bool {
    match at {
        1 => character == ':',
        2 => matches!(character, '=' | '-' | '?' | '+'),
        _ => false,
    }
}

fn replace_operator(character: char, at: usize) -> bool {
    match at {
        1 => character == '/',
        2 => matches!(character, '/' | '#' | '%'),
        _ => false,
    }
}
