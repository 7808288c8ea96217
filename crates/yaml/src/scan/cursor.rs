//! A place in the text, and the characters around it.

use crate::error::Mark;

/// Walks over a text, counting lines and columns. Past the end every byte reads as NUL, which the text
/// itself cannot contain.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub position: usize,
    pub mark: Mark,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, position: 0, mark: Mark::default() }
    }

    pub fn peek(&self) -> u8 {
        self.at(0)
    }

    /// The byte that many bytes ahead.
    pub fn at(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub fn end(&self) -> bool {
        self.position >= self.text.len()
    }

    /// The length in bytes of the line break that many bytes ahead; 0 where there is none.
    pub fn break_at(&self, ahead: usize) -> usize {
        match self.at(ahead) {
            b'\r' if self.at(ahead + 1) == b'\n' => 2,
            b'\n' | b'\r' => 1,
            0xC2 if self.at(ahead + 1) == 0x85 => 2,
            0xE2 if self.at(ahead + 1) == 0x80 && matches!(self.at(ahead + 2), 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    pub fn is_break(&self) -> bool {
        self.break_at(0) > 0
    }

    pub fn is_blank(&self) -> bool {
        matches!(self.peek(), b' ' | b'\t')
    }

    /// Line break or end of text.
    pub fn is_line_end(&self) -> bool {
        matches!(self.peek(), b'\n' | b'\r' | 0) || self.is_break()
    }

    /// Blank, line break or end of text.
    pub fn is_space_at(&self, ahead: usize) -> bool {
        matches!(self.at(ahead), b' ' | b'\t' | b'\n' | b'\r' | 0) || self.break_at(ahead) > 0
    }

    /// Steps over one character that is not a line break.
    pub fn step(&mut self) {
        self.position += match self.peek() {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        self.mark.column += 1;
    }

    pub fn steps(&mut self, characters: usize) {
        for _ in 0..characters {
            self.step();
        }
    }

    /// Steps over a line break, if there is one, and returns what it means: `\n`, or the Unicode separator.
    pub fn step_break(&mut self) -> Option<char> {
        let length = self.break_at(0);
        if length == 0 {
            return None;
        }
        let meaning = match (self.peek(), self.at(2)) {
            (0xE2, 0xA8) => '\u{2028}',
            (0xE2, _) => '\u{2029}',
            _ => '\n',
        };
        self.position += length;
        self.mark.line += 1;
        self.mark.column = 0;
        Some(meaning)
    }

    /// Skips a byte order mark that starts a line; it takes no column.
    pub fn skip_bom(&mut self) {
        let starts_line =
            self.slice(0, self.position).bytes().next_back().is_none_or(|before| before == b'\n');
        if starts_line && self.slice(self.position, self.position + 3) == "\u{FEFF}" {
            self.position += 3;
        }
    }

    pub fn skip_blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Skips ASCII characters that are no line breaks.
    pub fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.position..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| test(**byte)).count();
        self.advance(length, length);
    }

    /// Moves on by bytes that are so many characters of this line.
    pub fn advance(&mut self, bytes: usize, characters: usize) {
        self.position += bytes;
        self.mark.column = self.mark.column.saturating_add(u32::try_from(characters).unwrap_or(u32::MAX));
    }

    /// Moves to the end of the line; the column is not counted, since a break follows.
    pub fn skip_line(&mut self) {
        loop {
            let rest = self.text.as_bytes().get(self.position..).unwrap_or_default();
            let ends = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2);
            let Some(length) = rest.iter().position(ends) else {
                self.position = self.text.len();
                return;
            };
            self.position += length;
            if self.is_break() {
                return;
            }
            self.step();
        }
    }

    /// Skips a comment, if one starts here, up to its line end.
    pub fn skip_comment(&mut self) {
        if self.peek() == b'#' {
            self.skip_line();
        }
    }

    /// Letters, digits, `_` and `-`: the characters of anchors and tag handles.
    pub fn take_word(&mut self) -> &'a str {
        let start = self.position;
        while matches!(self.peek(), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-') {
            self.step();
        }
        self.slice(start, self.position)
    }

    /// `---` or `...` at the start of a line, followed by white space.
    pub fn at_document_marker(&self) -> Option<u8> {
        let first = self.peek();
        let marker = self.mark.column == 0
            && matches!(first, b'-' | b'.')
            && self.at(1) == first
            && self.at(2) == first
            && self.is_space_at(3);
        marker.then_some(first)
    }
}
