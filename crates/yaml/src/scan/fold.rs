//! Line folding: what a run of line breaks inside a plain or quoted scalar turns into.

use super::cursor::Cursor;
use crate::error::Error;

/// The breaks between two lines of one scalar.
#[derive(Default)]
pub(super) struct Fold {
    /// The first break; none where a backslash escaped it.
    first: Option<char>,
    rest: String,
}

impl Fold {
    /// Reads the break here and all blanks and breaks after it. No tab may stand left of column `indent`.
    pub fn read(cursor: &mut Cursor<'_>, indent: i64) -> Result<Self, Error> {
        let mut fold = Self { first: cursor.step_break(), rest: String::new() };
        fold.read_rest(cursor, indent)?;
        Ok(fold)
    }

    /// Reads the blanks and breaks after an escaped break.
    pub fn read_escaped(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.step_break();
        let mut fold = Self::default();
        fold.read_rest(cursor, 0)?;
        Ok(fold)
    }

    fn read_rest(&mut self, cursor: &mut Cursor<'_>, indent: i64) -> Result<(), Error> {
        loop {
            while cursor.is_blank() {
                if cursor.peek() == b'\t' && i64::from(cursor.mark.column) < indent {
                    let error = cursor.mark.syntax("a tab stands where indentation is expected");
                    return Err(error.hint("indent with spaces"));
                }
                cursor.step();
            }
            match cursor.step_break() {
                Some(meaning) => self.rest.push(meaning),
                None => return Ok(()),
            }
        }
    }

    /// One break becomes a space, more lose the first; Unicode separators are kept.
    pub fn write(self, text: &mut String) {
        match self.first {
            Some('\n') if self.rest.is_empty() => text.push(' '),
            Some('\n') | None => {}
            Some(separator) => text.push(separator),
        }
        text.push_str(&self.rest);
    }
}
