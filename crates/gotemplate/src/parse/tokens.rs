//! The parser's three tokens in hand, and its errors, which name the line of the first.

use super::build::{Parsed, Parser, no_item};
use super::item::{Item, Kind};

impl<'t> Parser<'t> {
    pub fn next(&mut self) -> Item<'t> {
        if self.frame.peeked > 0 {
            self.frame.peeked -= 1;
        } else {
            let [first, ..] = &mut self.frame.tokens;
            *first = self.lexer.item();
        }
        self.token(self.frame.peeked)
    }

    fn token(&self, index: usize) -> Item<'t> {
        self.frame.tokens.get(index).cloned().unwrap_or_else(no_item)
    }

    pub fn backup(&mut self) {
        self.frame.peeked += 1;
    }

    pub(super) fn backup2(&mut self, before: Item<'t>) {
        let [_, second, _] = &mut self.frame.tokens;
        *second = before;
        self.frame.peeked = 2;
    }

    /// Gives two more tokens back, the later one last.
    pub(super) fn backup3(&mut self, earlier: Item<'t>, later: Item<'t>) {
        let [_, second, third] = &mut self.frame.tokens;
        *second = later;
        *third = earlier;
        self.frame.peeked = 3;
    }

    pub fn peek(&mut self) -> Item<'t> {
        if self.frame.peeked == 0 {
            self.next();
            self.backup();
        }
        self.token(self.frame.peeked - 1)
    }

    pub fn next_non_space(&mut self) -> Item<'t> {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub fn peek_non_space(&mut self) -> Item<'t> {
        let token = self.next_non_space();
        self.backup();
        token
    }

    pub fn error(&self, message: &str) -> String {
        let line = self.frame.tokens.first().map_or(0, |token| token.line);
        format!("template: {}:{line}: {message}", self.name)
    }

    pub fn unexpected(&self, token: &Item<'_>, context: &str) -> String {
        if token.kind != Kind::Error {
            return self.error(&format!("unexpected {} in {context}", token.shown()));
        }
        let mut extra = String::new();
        let message = token.shown();
        if self.frame.action_line != 0 && self.frame.action_line != token.line {
            // Not "action in action".
            let word = if message.ends_with(" action") { "" } else { " in action" };
            extra = format!("{word} started at {}:{}", self.name, self.frame.action_line);
        }
        self.error(&format!("{message}{extra}"))
    }

    pub fn expect(&mut self, kind: Kind, context: &str) -> Parsed<Item<'t>> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { Err(self.unexpected(&token, context)) }
    }
}
