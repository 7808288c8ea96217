//! Plain (unquoted) scalars.

use std::borrow::Cow;

use super::fold::Fold;
use super::{Scanner, token::Kind};
use crate::error::Error;
use crate::node::Style;

impl<'a> Scanner<'a> {
    pub(super) fn plain(&mut self) -> Result<Kind<'a>, Error> {
        let indent = self.indent + 1;
        let flow = self.flow_level() > 0;
        // The lines that are complete, then the current one from `start` to `end`, its last non-blank.
        let mut lines: Option<String> = None;
        let (mut start, mut end) = (self.cursor.position, self.cursor.position);
        let mut fold: Option<Fold> = None;
        while self.cursor.at_document_marker().is_none() && self.cursor.peek() != b'#' {
            let run = self.cursor.position;
            self.skip_plain_run(flow);
            if self.cursor.position == run {
                break;
            }
            if let Some(fold) = fold.take() {
                let text = lines.get_or_insert_default();
                text.push_str(self.cursor.slice(start, end));
                fold.write(text);
                start = run;
            }
            end = self.cursor.position;
            self.cursor.skip_blanks();
            if self.cursor.is_break() {
                fold = Some(Fold::read(&mut self.cursor, indent)?);
            } else if self.cursor.position == end {
                break;
            }
            if !flow && i64::from(self.cursor.mark.column) < indent {
                break;
            }
        }
        if fold.is_some() {
            self.key_allowed = true;
        }
        let last = self.cursor.slice(start, end);
        let text = match lines {
            None => Cow::Borrowed(last),
            Some(lines) => Cow::Owned(lines + last),
        };
        Ok(Kind::Scalar { text, style: Style::PLAIN })
    }

    /// Non-blank characters up to what may end a plain scalar.
    fn skip_plain_run(&mut self, flow: bool) {
        let (mut bytes, mut characters) = (0, 0);
        loop {
            match self.cursor.at(bytes) {
                b' ' | b'\t' | b'\n' | b'\r' | 0 => break,
                b':' if self.cursor.is_space_at(bytes + 1) => break,
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if flow => break,
                0xC2 | 0xE2 if self.cursor.break_at(bytes) > 0 => break,
                // All but the first byte of a character.
                0x80..0xC0 => {}
                _ => characters += 1,
            }
            bytes += 1;
        }
        self.cursor.advance(bytes, characters);
    }
}
