//! The lexer's literals: texts, characters and numbers.

use super::item::{Item, Kind};
use super::lex::Lexer;
use crate::fmt::quote;
use crate::runes;

impl<'t> Lexer<'t> {
    /// A string or a character constant.
    pub(super) fn quoted(&mut self, end: char, unterminated: &'static str, kind: Kind) -> Item<'t> {
        loop {
            match self.next() {
                Some('\\') if !matches!(self.next(), None | Some('\n')) => {}
                None | Some('\n' | '\\') => return self.error(unterminated),
                Some(character) if character == end => return self.emit(kind),
                Some(_) => {}
            }
        }
    }

    pub(super) fn raw_string(&mut self) -> Item<'t> {
        loop {
            match self.next() {
                None => return self.error("unterminated raw quoted string"),
                Some('`') => return self.emit(Kind::RawString),
                Some(_) => {}
            }
        }
    }

    pub(super) fn number(&mut self) -> Item<'t> {
        if !self.scan_number() {
            let bad = quote::quoted(self.current());
            return self.error(format!("bad number syntax: {bad}"));
        }
        if !matches!(self.peek(), Some('+' | '-')) {
            return self.emit(Kind::Number);
        }
        if !self.scan_number() || !self.current().ends_with(b"i") {
            let bad = quote::quoted(self.current());
            return self.error(format!("bad number syntax: {bad}"));
        }
        self.emit(Kind::Complex)
    }

    fn scan_number(&mut self) -> bool {
        self.accept("+-");
        let (mut digits, mut exponent) = ("0123456789_", "eE");
        if self.accept("0") {
            if self.accept("xX") {
                (digits, exponent) = ("0123456789abcdefABCDEF_", "pP");
            } else if self.accept("oO") {
                (digits, exponent) = ("01234567_", "");
            } else if self.accept("bB") {
                (digits, exponent) = ("01_", "");
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_run("0123456789_");
        }
        self.accept("i");
        if self.peek().is_some_and(runes::is_word) {
            self.next();
            return false;
        }
        true
    }
}
