//! What the lexer makes of a template's text.

use crate::fmt::quote;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Error,
    Bool,
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    String,
    Text,
    Variable,
    // Keywords.
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Kind {
    fn is_keyword(self) -> bool {
        self.keyword().is_some()
    }

    fn keyword(self) -> Option<&'static str> {
        Some(match self {
            Kind::Block => "block",
            Kind::Break => "break",
            Kind::Continue => "continue",
            Kind::Dot => ".",
            Kind::Define => "define",
            Kind::Else => "else",
            Kind::End => "end",
            Kind::If => "if",
            Kind::Nil => "nil",
            Kind::Range => "range",
            Kind::Template => "template",
            Kind::With => "with",
            _ => return None,
        })
    }

    /// The keyword that a word is.
    pub fn of_word(word: &[u8]) -> Option<Kind> {
        use Kind::{Block, Break, Continue, Define, Else, End, If, Nil, Range, Template, With};
        [Block, Break, Continue, Define, Else, End, If, Nil, Range, Template, With]
            .into_iter()
            .find(|kind| kind.keyword().is_some_and(|keyword| keyword.as_bytes() == word))
    }
}

/// A token: its kind, where it starts, its line, and its text or what is wrong.
#[derive(Clone)]
pub struct Item<'t> {
    pub kind: Kind,
    pub pos: usize,
    pub text: &'t [u8],
    pub line: usize,
    pub error: Option<String>,
}

impl Item<'_> {
    /// As an error shows it.
    pub fn shown(&self) -> String {
        if let Some(error) = &self.error {
            return error.clone();
        }
        if self.kind == Kind::Eof {
            return "EOF".to_owned();
        }
        if self.kind.is_keyword() {
            return format!("<{}>", String::from_utf8_lossy(self.text));
        }
        if self.text.len() > 10 {
            let width = crate::runes::all(self.text).take(10).map(|(_, bytes)| bytes.len()).sum();
            return format!("{}...", quote::quoted(self.text.get(..width).unwrap_or(self.text)));
        }
        quote::quoted(self.text)
    }
}
