//! The lexer: text to tokens, one at a time.
//!
//! It counts lines exactly as Go does, since they are part of error texts.

use super::item::{Item, Kind};
use crate::fmt::quote;
use crate::runes;

const LEFT_COMMENT: &[u8] = b"/*";
const RIGHT_COMMENT: &[u8] = b"*/";
/// The marker and the space beside it.
const TRIM_MARKER: usize = 2;

/// Where the lexer is.
pub struct Lexer<'t> {
    input: &'t [u8],
    left: &'t [u8],
    right: &'t [u8],
    pos: usize,
    start: usize,
    at_eof: bool,
    parens: usize,
    line: usize,
    start_line: usize,
    inside_action: bool,
    /// Whether `break` is a keyword, and not a function of that name.
    pub break_ok: bool,
    /// The same for `continue`.
    pub continue_ok: bool,
}

/// What a step of the lexer leads to.
enum Next<'t> {
    Item(Item<'t>),
    Text,
    LeftDelim,
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn is_space_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn has_left_marker(text: &[u8]) -> bool {
    matches!(text, [b'-', space, ..] if is_space_byte(*space))
}

fn has_right_marker(text: &[u8]) -> bool {
    matches!(text, [space, b'-', ..] if is_space_byte(*space))
}

fn newlines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

impl<'t> Lexer<'t> {
    pub fn new(input: &'t [u8], left: &'t [u8], right: &'t [u8]) -> Self {
        Self {
            input,
            left: if left.is_empty() { b"{{" } else { left },
            right: if right.is_empty() { b"}}" } else { right },
            pos: 0,
            start: 0,
            at_eof: false,
            parens: 0,
            line: 1,
            start_line: 1,
            inside_action: false,
            break_ok: true,
            continue_ok: true,
        }
    }

    fn rest(&self) -> &'t [u8] {
        self.input.get(self.pos..).unwrap_or_default()
    }

    pub(super) fn current(&self) -> &'t [u8] {
        self.input.get(self.start..self.pos).unwrap_or_default()
    }

    /// The next character; `None` at the end.
    pub(super) fn next(&mut self) -> Option<char> {
        let Some((character, width)) = runes::first(self.rest()) else {
            self.at_eof = true;
            return None;
        };
        self.pos += width;
        if character == '\n' {
            self.line += 1;
        }
        Some(character)
    }

    fn backup(&mut self) {
        if self.at_eof {
            return;
        }
        if let Some((character, width)) = runes::last(self.input.get(..self.pos).unwrap_or_default()) {
            self.pos -= width;
            if character == '\n' {
                self.line -= 1;
            }
        }
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        let character = self.next();
        self.backup();
        character
    }

    pub(super) fn emit(&mut self, kind: Kind) -> Item<'t> {
        let item = Item { kind, pos: self.start, text: self.current(), line: self.start_line, error: None };
        self.start = self.pos;
        self.start_line = self.line;
        item
    }

    fn ignore(&mut self) {
        self.line += newlines(self.current());
        self.start = self.pos;
        self.start_line = self.line;
    }

    pub(super) fn accept(&mut self, valid: &str) -> bool {
        if self.next().is_some_and(|character| valid.contains(character)) {
            return true;
        }
        self.backup();
        false
    }

    pub(super) fn accept_run(&mut self, valid: &str) {
        while self.next().is_some_and(|character| valid.contains(character)) {}
        self.backup();
    }

    /// Ends the text: nothing follows an error.
    pub(super) fn error(&mut self, message: impl Into<String>) -> Item<'t> {
        let item = Item {
            kind: Kind::Error,
            pos: self.start,
            text: &[],
            line: self.start_line,
            error: Some(message.into()),
        };
        self.start = 0;
        self.pos = 0;
        self.input = &[];
        item
    }

    /// The next token.
    pub fn item(&mut self) -> Item<'t> {
        if self.inside_action {
            return self.inside();
        }
        let mut next = Next::Text;
        loop {
            next = match next {
                Next::Item(item) => return item,
                Next::Text => self.text(),
                Next::LeftDelim => self.left_delim(),
            };
        }
    }

    fn text(&mut self) -> Next<'t> {
        let Some(found) = memchr::memmem::find(self.rest(), self.left) else {
            self.pos = self.input.len();
            if self.pos > self.start {
                self.line += newlines(self.current());
                return Next::Item(self.emit(Kind::Text));
            }
            return Next::Item(self.emit(Kind::Eof));
        };
        if found > 0 {
            self.pos += found;
            let after = self.rest().get(self.left.len()..).unwrap_or_default();
            let trimmed = if has_left_marker(after) {
                let text = self.current();
                text.len() - text.iter().rposition(|byte| !is_space_byte(*byte)).map_or(0, |at| at + 1)
            } else {
                0
            };
            self.pos -= trimmed;
            self.line += newlines(self.current());
            let item = self.emit(Kind::Text);
            self.pos += trimmed;
            self.ignore();
            if !item.text.is_empty() {
                return Next::Item(item);
            }
        }
        Next::LeftDelim
    }

    /// Whether a right delimiter is next, and whether it trims.
    fn at_right_delim(&self) -> (bool, bool) {
        let rest = self.rest();
        let behind_marker = rest.get(TRIM_MARKER..).unwrap_or_default();
        if has_right_marker(rest) && behind_marker.starts_with(self.right) {
            return (true, true);
        }
        (rest.starts_with(self.right), false)
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.pos += rest.iter().position(|byte| !is_space_byte(*byte)).unwrap_or(rest.len());
    }

    fn left_delim(&mut self) -> Next<'t> {
        self.pos += self.left.len();
        let marker = if has_left_marker(self.rest()) { TRIM_MARKER } else { 0 };
        if self.rest().get(marker..).unwrap_or_default().starts_with(LEFT_COMMENT) {
            self.pos += marker;
            self.ignore();
            return self.comment();
        }
        let item = self.emit(Kind::LeftDelim);
        self.inside_action = true;
        self.pos += marker;
        self.ignore();
        self.parens = 0;
        Next::Item(item)
    }

    fn comment(&mut self) -> Next<'t> {
        self.pos += LEFT_COMMENT.len();
        let Some(end) = memchr::memmem::find(self.rest(), RIGHT_COMMENT) else {
            return Next::Item(self.error("unclosed comment"));
        };
        self.pos += end + RIGHT_COMMENT.len();
        let (delim, trim) = self.at_right_delim();
        if !delim {
            return Next::Item(self.error("comment ends before closing delimiter"));
        }
        self.line += newlines(self.current());
        self.start = self.pos;
        self.start_line = self.line;
        if trim {
            self.pos += TRIM_MARKER;
        }
        self.pos += self.right.len();
        if trim {
            self.skip_spaces();
        }
        self.ignore();
        Next::Text
    }

    fn right_delim(&mut self) -> Item<'t> {
        let (_, trim) = self.at_right_delim();
        if trim {
            self.pos += TRIM_MARKER;
            self.ignore();
        }
        self.pos += self.right.len();
        let item = self.emit(Kind::RightDelim);
        if trim {
            self.skip_spaces();
            self.ignore();
        }
        self.inside_action = false;
        item
    }

    fn inside(&mut self) -> Item<'t> {
        if self.at_right_delim().0 {
            if self.parens == 0 {
                return self.right_delim();
            }
            return self.error("unclosed left paren");
        }
        let Some(character) = self.next() else { return self.error("unclosed action") };
        match character {
            space if is_space(space) => {
                self.backup();
                self.space()
            }
            '=' => self.emit(Kind::Assign),
            ':' => {
                if self.next() == Some('=') {
                    self.emit(Kind::Declare)
                } else {
                    self.error("expected :=")
                }
            }
            '|' => self.emit(Kind::Pipe),
            '"' => self.quoted('"', "unterminated quoted string", Kind::String),
            '`' => self.raw_string(),
            '$' => self.field_or_variable(Kind::Variable),
            '\'' => self.quoted('\'', "unterminated character constant", Kind::CharConstant),
            '.' if !self.rest().first().is_none_or(u8::is_ascii_digit) => self.field_or_variable(Kind::Field),
            '.' | '+' | '-' | '0'..='9' => {
                self.backup();
                self.number()
            }
            word if runes::is_word(word) => {
                self.backup();
                self.identifier()
            }
            '(' => {
                self.parens += 1;
                self.emit(Kind::LeftParen)
            }
            ')' if self.parens == 0 => self.error("unexpected right paren"),
            ')' => {
                self.parens -= 1;
                self.emit(Kind::RightParen)
            }
            ' '..='~' => self.emit(Kind::Char),
            other => self.error(format!("unrecognized character in action: {}", quote::code_point(other))),
        }
    }

    fn space(&mut self) -> Item<'t> {
        let mut spaces = 0;
        while self.peek().is_some_and(is_space) {
            self.next();
            spaces += 1;
        }
        // Be careful about a trim marker: its space belongs to the delimiter.
        let before = self.input.get(self.pos.saturating_sub(1)..).unwrap_or_default();
        if has_right_marker(before) && before.get(TRIM_MARKER..).unwrap_or_default().starts_with(self.right) {
            self.backup();
            if spaces == 1 {
                return self.right_delim();
            }
        }
        self.emit(Kind::Space)
    }

    fn identifier(&mut self) -> Item<'t> {
        let mut character = self.next();
        while character.is_some_and(runes::is_word) {
            character = self.next();
        }
        self.backup();
        if !self.at_terminator() {
            return self.bad_character(character);
        }
        let kind = match (self.current(), Kind::of_word(self.current())) {
            (_, Some(Kind::Break)) if !self.break_ok => Kind::Identifier,
            (_, Some(Kind::Continue)) if !self.continue_ok => Kind::Identifier,
            (_, Some(keyword)) => keyword,
            (b"true" | b"false", None) => Kind::Bool,
            _ => Kind::Identifier,
        };
        self.emit(kind)
    }

    fn bad_character(&mut self, character: Option<char>) -> Item<'t> {
        let shown = quote::code_point(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.error(format!("bad character {shown}"))
    }

    fn field_or_variable(&mut self, kind: Kind) -> Item<'t> {
        if self.at_terminator() {
            return self.emit(if kind == Kind::Variable { kind } else { Kind::Dot });
        }
        let mut character = self.next();
        while character.is_some_and(runes::is_word) {
            character = self.next();
        }
        self.backup();
        if !self.at_terminator() {
            return self.bad_character(character);
        }
        self.emit(kind)
    }

    fn at_terminator(&mut self) -> bool {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(space) if is_space(space) => true,
            _ => self.rest().starts_with(self.right),
        }
    }
}
