//! Output with its column, and the styles of scalars written to it.

use std::fmt::Write as _;

use super::scalar::{is_break, is_printable};

/// From this column on a line is broken at the next space.
const WIDTH: usize = 80;

/// The text so far.
pub(super) struct Writer {
    pub out: String,
    column: usize,
    /// Whether the line so far is nothing but indentation and `- `, `? ` or `: `.
    indented: bool,
    /// Whether a space may be left out before what follows.
    spaced: bool,
}

impl Writer {
    /// Writes behind a text, which is empty or ends a line.
    pub fn new(out: String) -> Self {
        Self { out, column: 0, indented: true, spaced: true }
    }

    /// Moves to a column: on this line if nothing but shallower indentation is there, else on the next.
    pub fn indent(&mut self, column: usize) {
        if !self.indented || self.column > column || self.column == column && !self.spaced {
            self.line_break('\n');
        }
        while self.column < column {
            self.put(' ');
        }
        self.spaced = true;
        self.indented = true;
    }

    /// `- `, `? ` or `: ` as part of the indentation.
    pub fn lead(&mut self, indicator: char) {
        self.space();
        self.put(indicator);
        self.spaced = false;
    }

    pub fn colon(&mut self) {
        self.put(':');
        self.done();
    }

    /// Whether a sequence that starts here may stand at the column of its mapping.
    pub fn behind_key(&self) -> bool {
        !self.indented
    }

    fn space(&mut self) {
        if !self.spaced {
            self.put(' ');
        }
    }

    /// Writes a part of a line.
    fn put_all(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += if text.is_ascii() { text.len() } else { text.chars().count() };
        self.indented = false;
    }

    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    fn line_break(&mut self, character: char) {
        self.out.push(character);
        self.column = 0;
    }

    fn done(&mut self) {
        self.spaced = false;
        self.indented = false;
    }

    /// A text that needs neither quotes nor line breaks.
    pub fn word(&mut self, text: &str) {
        self.space();
        self.out.push_str(text);
        self.column += text.chars().count();
        self.done();
    }

    /// A plain text that may be broken at spaces; `indent` is where it continues.
    pub fn plain(&mut self, text: &str, indent: usize, wrap: bool) {
        self.space();
        self.done();
        self.wrapped(text, indent, |_, _| wrap);
        self.done();
    }

    pub fn single_quoted(&mut self, text: &str, indent: usize, wrap: bool) {
        self.space();
        self.put('\'');
        self.done();
        self.wrapped(&text.replace('\'', "''"), indent, |at, rest| wrap && at > 0 && !rest.is_empty());
        self.put('\'');
        self.done();
    }

    /// Writes a text; of line feeds the first is doubled, because a reader folds it.
    fn wrapped(&mut self, text: &str, indent: usize, may_wrap: impl Fn(usize, &str) -> bool) {
        // Bytes are never fewer than columns.
        if self.column + text.len() <= WIDTH && !text.contains(is_break) {
            self.put_all(text);
            return;
        }
        let mut spaces = false;
        let mut breaks = false;
        let mut rest = text.chars();
        let mut at = 0;
        while let Some(character) = rest.next() {
            if character == ' ' {
                let after = rest.as_str();
                if may_wrap(at, after) && !spaces && self.column > WIDTH && !after.starts_with(' ') {
                    self.indent(indent);
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else if is_break(character) {
                if !breaks && character == '\n' {
                    self.line_break('\n');
                }
                self.line_break(character);
                self.indented = true;
                breaks = true;
            } else {
                if breaks {
                    self.indent(indent);
                }
                self.put(character);
                self.indented = false;
                spaces = false;
                breaks = false;
            }
            at += character.len_utf8();
        }
    }

    pub fn double_quoted(&mut self, text: &str, indent: usize, wrap: bool) {
        self.space();
        self.put('"');
        self.done();
        // go-yaml asks of every character whether the text starts with a byte order mark.
        let escape_all = text.starts_with('\u{FEFF}');
        let mut spaces = false;
        let mut rest = text.chars();
        let mut first = true;
        while let Some(character) = rest.next() {
            let after = rest.as_str();
            let plain = is_printable(character) && !is_break(character) && !matches!(character, '"' | '\\');
            if escape_all || !plain {
                self.escape(character);
                spaces = false;
            } else if character == ' ' {
                if wrap && !spaces && self.column > WIDTH && !first && !after.is_empty() {
                    self.indent(indent);
                    if after.starts_with(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                spaces = true;
            } else {
                self.put(character);
                self.indented = false;
                spaces = false;
            }
            first = false;
        }
        self.put('"');
        self.done();
    }

    fn escape(&mut self, character: char) {
        let before = self.out.len();
        let short = match character {
            '\0' => '0',
            '\u{07}' => 'a',
            '\u{08}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{0B}' => 'v',
            '\u{0C}' => 'f',
            '\r' => 'r',
            '\u{1B}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{A0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => '\0',
        };
        let code = u32::from(character);
        let written = match (short, code) {
            ('\0', ..=0xFF) => write!(self.out, "\\x{code:02X}"),
            ('\0', ..=0xFFFF) => write!(self.out, "\\u{code:04X}"),
            ('\0', _) => write!(self.out, "\\U{code:08X}"),
            (short, _) => write!(self.out, "\\{short}"),
        };
        written.expect("writing to a String cannot fail");
        self.column += self.out.len() - before;
        self.indented = false;
    }

    /// The bracket that opens a collection.
    pub fn open(&mut self, bracket: char) {
        self.space();
        self.put(bracket);
        self.done();
        self.spaced = true;
    }

    /// The bracket that closes a collection.
    pub fn close(&mut self, bracket: char) {
        self.put(bracket);
        self.done();
    }

    pub fn comma(&mut self) {
        self.put(',');
        self.done();
    }

    /// A folded block that is not wrapped.
    pub fn folded(&mut self, text: &str, indent: usize) {
        self.block_head('>', text);
        // go-yaml looks at the start of the text where it should look at the place it has come to.
        let starts_blank = text.trim_start_matches(is_break).starts_with([' ', '\t']);
        let (mut breaks, mut leading) = (true, true);
        for character in text.chars() {
            if is_break(character) {
                if !breaks && !leading && character == '\n' && !starts_blank {
                    self.line_break('\n');
                }
                self.line_break(character);
                breaks = true;
            } else {
                if breaks {
                    self.indent(indent);
                    leading = matches!(character, ' ' | '\t');
                }
                self.put(character);
                self.indented = false;
                breaks = false;
            }
        }
    }

    /// A literal block. The hint at its indentation is needed where the first line is itself indented.
    pub fn literal(&mut self, text: &str, indent: usize) {
        self.block_head('|', text);
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            if is_break(character) {
                self.line_break(character);
                self.indented = true;
                rest = rest.get(character.len_utf8()..).unwrap_or_default();
            } else {
                self.indent(indent);
                let (line, after) = rest.split_at(rest.find(is_break).unwrap_or(rest.len()));
                self.put_all(line);
                rest = after;
            }
        }
    }

    fn block_head(&mut self, indicator: char, text: &str) {
        self.space();
        self.put(indicator);
        if text.starts_with(|first| first == ' ' || is_break(first)) {
            self.put('2');
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next().is_none_or(is_break)) {
            (false, _) => self.put('-'),
            (true, true) => self.put('+'),
            (true, false) => {}
        }
        self.line_break('\n');
        self.indented = true;
        self.spaced = true;
    }
}
