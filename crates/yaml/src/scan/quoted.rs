//! Single- and double-quoted scalars.

use std::borrow::Cow;

use super::fold::Fold;
use super::{Scanner, token::Kind};
use crate::error::{Error, Mark};
use crate::node::Style;

impl<'a> Scanner<'a> {
    /// A quoted scalar; the cursor stands on its opening quote, which is `quote`.
    pub(super) fn quoted(&mut self, quote: u8) -> Result<Kind<'a>, Error> {
        let open = self.cursor.mark;
        self.cursor.step();
        // What needed changing so far; the rest is the text itself from `start` on.
        let mut changed: Option<String> = None;
        let mut start = self.cursor.position;
        let mut end = start;
        let text = loop {
            let byte = self.cursor.peek();
            if byte == quote {
                let here = self.cursor.position;
                let escaped = quote == b'\'' && self.cursor.at(1) == quote;
                self.cursor.step();
                if !escaped {
                    let last = self.cursor.slice(start, here);
                    break changed.map_or(Cow::Borrowed(last), |text| Cow::Owned(text + last));
                }
                changed.get_or_insert_default().push_str(self.cursor.slice(start, here + 1));
                self.cursor.step();
                (start, end) = (self.cursor.position, self.cursor.position);
            } else if byte == b'\\' && quote == b'"' {
                let text = changed.get_or_insert_default();
                text.push_str(self.cursor.slice(start, self.cursor.position));
                self.escape(open, text)?;
                (start, end) = (self.cursor.position, self.cursor.position);
            } else if self.cursor.is_blank() {
                self.cursor.step();
            } else if self.cursor.is_break() {
                let fold = Fold::read(&mut self.cursor, 0)?;
                let text = changed.get_or_insert_default();
                text.push_str(self.cursor.slice(start, end));
                fold.write(text);
                (start, end) = (self.cursor.position, self.cursor.position);
                self.refuse_marker(open)?;
            } else if self.cursor.end() {
                return Err(unclosed(open));
            } else {
                self.cursor.step();
                self.cursor.skip_while(|byte| matches!(byte, b'!' | b'#'..=b'&' | b'('..=b'[' | b']'..=b'~'));
                end = self.cursor.position;
            }
        };
        Ok(Kind::Scalar { text, style: if quote == b'"' { Style::DOUBLE } else { Style::SINGLE } })
    }

    fn refuse_marker(&self, open: Mark) -> Result<(), Error> {
        match self.cursor.at_document_marker() {
            None => Ok(()),
            Some(_) => Err(unclosed(open)),
        }
    }

    /// A backslash and what it stands for.
    fn escape(&mut self, open: Mark, text: &mut String) -> Result<(), Error> {
        if self.cursor.break_at(1) > 0 {
            self.cursor.step();
            Fold::read_escaped(&mut self.cursor)?.write(text);
            return self.refuse_marker(open);
        }
        let mark = self.cursor.mark;
        let code = self.cursor.at(1);
        let character = match code {
            b'0' => '\0',
            b'a' => '\u{07}',
            b'b' => '\u{08}',
            b't' | b'\t' => '\t',
            b'n' => '\n',
            b'v' => '\u{0B}',
            b'f' => '\u{0C}',
            b'r' => '\r',
            b'e' => '\u{1B}',
            b' ' | b'"' | b'\'' | b'\\' => char::from(code),
            b'N' => '\u{85}',
            b'_' => '\u{A0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            b'x' => self.code_point(mark, 2)?,
            b'u' => self.code_point(mark, 4)?,
            b'U' => self.code_point(mark, 8)?,
            0 => return Err(unclosed(open)),
            _ => {
                return Err(mark
                    .syntax("unknown escape in a double-quoted string")
                    .hint("double the backslash, or use single quotes, in which a backslash is just that"));
            }
        };
        self.cursor.steps(2);
        if matches!(code, b'x' | b'u' | b'U') {
            self.cursor.steps(digits(code));
        }
        text.push(character);
        Ok(())
    }

    fn code_point(&self, mark: Mark, digits: usize) -> Result<char, Error> {
        let from = self.cursor.position + 2;
        let hex = self.cursor.slice(from, from + digits);
        if hex.len() != digits || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(mark.syntax(format!("an escape needs {digits} hexadecimal digits")));
        }
        let code = u32::from_str_radix(hex, 16).ok();
        code.and_then(char::from_u32).ok_or_else(|| mark.syntax("an escape that is not a Unicode character"))
    }
}

fn digits(code: u8) -> usize {
    match code {
        b'x' => 2,
        b'u' => 4,
        _ => 8,
    }
}

fn unclosed(open: Mark) -> Error {
    open.syntax("a quoted string is not closed").hint("close the quote, or indent the lines of the text")
}
