//! Characters and tokens of a template.
//!
//! Which characters belong to a word, and which escapes it may hold, is said anew for every token: the meaning
//! of a character depends on where in an expression it stands. A NUL ends the text, as in Flux's library.

use std::borrow::Cow;

/// What a token may be, besides the end of the text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub word: bool,
    pub open: bool,
    pub close: bool,
    pub escapes: Escapes,
}

/// Which escapes stand for one character of a word.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Escapes {
    #[default]
    None,
    /// `$$`
    Dollar,
    /// `$$`, `\/` and `\\`
    All,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    End,
    /// `${`
    Open,
    /// `}`
    Close,
    Word(Cow<'a, [u8]>),
    Illegal,
}

/// Whether a character belongs to a word; the number is the word's length in bytes with it.
pub(crate) type Accept = fn(char, usize) -> bool;

pub(crate) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// The next character, NUL at the end.
    pub fn peek(&self) -> char {
        self.character(self.at).0
    }

    /// The character behind the next one, which must be ASCII, and its length; NUL and 0 at the end.
    pub fn peek_second(&self) -> (char, usize) {
        self.character(self.at + 1)
    }

    pub fn next(&mut self, wanted: Wanted, accept: Accept) -> Token<'a> {
        let character = self.peek();
        if character == '\0' {
            return Token::End;
        }
        if wanted.open && self.opens() {
            self.at += 2;
            return Token::Open;
        }
        if wanted.close && character == '}' {
            self.at += 1;
            return Token::Close;
        }
        if wanted.word { self.word(wanted, accept) } else { Token::Illegal }
    }

    fn word(&mut self, wanted: Wanted, accept: Accept) -> Token<'a> {
        let start = self.at;
        // Filled from the first escape on; until then the word is a piece of the text.
        let mut owned: Option<Vec<u8>> = None;
        loop {
            let (character, width) = self.character(self.at);
            if character == '\0' || wanted.open && self.opens() {
                break;
            }
            if self.escaped(character, wanted.escapes) {
                let kept = self.text.get(self.at + 1).copied();
                owned.get_or_insert_with(|| self.slice(start).to_vec()).extend(kept);
                self.at += 2;
                continue;
            }
            if !accept(character, self.at + width - start) {
                break;
            }
            if let Some(word) = &mut owned {
                word.extend_from_slice(self.text.get(self.at..self.at + width).unwrap_or_default());
            }
            self.at += width;
        }
        match owned {
            Some(word) => Token::Word(Cow::Owned(word)),
            None if self.at == start => Token::Illegal,
            None => Token::Word(Cow::Borrowed(self.slice(start))),
        }
    }

    fn slice(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn opens(&self) -> bool {
        self.text.get(self.at..self.at + 2) == Some(b"${")
    }

    fn escaped(&self, character: char, escapes: Escapes) -> bool {
        let next = self.text.get(self.at + 1);
        match character {
            '$' => escapes != Escapes::None && next == Some(&b'$'),
            '\\' => escapes == Escapes::All && matches!(next, Some(b'/' | b'\\')),
            _ => false,
        }
    }

    fn character(&self, at: usize) -> (char, usize) {
        first_character(self.text.get(at..).unwrap_or_default()).unwrap_or(('\0', 0))
    }
}

/// The first character and its length; a byte that is no part of a character counts as U+FFFD.
pub(crate) fn first_character(bytes: &[u8]) -> Option<(char, usize)> {
    let lead = *bytes.first()?;
    if lead.is_ascii() {
        return Some((char::from(lead), 1));
    }
    let start = bytes.get(..4).unwrap_or(bytes);
    let valid = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match valid.chars().next() {
        Some(character) => Some((character, character.len_utf8())),
        None => Some((char::REPLACEMENT_CHARACTER, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_keeps_its_second_character() {
        let wanted = Wanted { word: true, open: true, escapes: Escapes::Dollar, ..Wanted::default() };
        let mut scanner = Scanner::new(b"a$${b}$${");
        assert_eq!(scanner.next(wanted, |_, _| true), Token::Word(Cow::Borrowed(b"a${b}${")));
        assert_eq!(scanner.next(wanted, |_, _| true), Token::End);
    }

    #[test]
    fn broken_bytes_are_characters_of_their_own() {
        assert_eq!(first_character(b"\xC3"), Some(('\u{FFFD}', 1)));
        assert_eq!(first_character(b"\xE2\x82\xAC"), Some(('€', 3)));
        assert_eq!(first_character("\u{FFFD}".as_bytes()), Some(('\u{FFFD}', 3)));
    }
}
