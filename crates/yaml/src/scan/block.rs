//! Literal (`|`) and folded (`>`) block scalars.

use std::borrow::Cow;

use super::{Scanner, token::Kind};
use crate::error::Error;
use crate::node::Style;

/// What becomes of the line breaks at the end.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl<'a> Scanner<'a> {
    pub(super) fn block(&mut self, literal: bool) -> Result<Kind<'a>, Error> {
        self.cursor.step();
        let (chomp, increment) = self.block_header()?;
        // 0 stands for "as deep as the first line".
        let mut indent = match increment {
            0 => 0,
            increment => self.indent.max(0) + i64::from(increment),
        };
        let mut text = String::new();
        let mut breaks = self.block_breaks(&mut indent)?;
        let mut line_break: Option<char> = None;
        let mut was_blank = false;
        while i64::from(self.cursor.mark.column) == indent && !self.cursor.end() {
            let blank = self.cursor.is_blank();
            let folds = !literal && !was_blank && !blank && line_break == Some('\n');
            if !folds {
                text.extend(line_break);
            } else if breaks.is_empty() {
                text.push(' ');
            }
            text.push_str(&breaks);
            was_blank = blank;
            let start = self.cursor.position;
            self.cursor.skip_line();
            text.push_str(self.cursor.slice(start, self.cursor.position));
            line_break = self.cursor.step_break();
            breaks = self.block_breaks(&mut indent)?;
        }
        if chomp != Chomp::Strip {
            text.extend(line_break);
        }
        if chomp == Chomp::Keep {
            text.push_str(&breaks);
        }
        Ok(Kind::Scalar {
            text: Cow::Owned(text),
            style: if literal { Style::LITERAL } else { Style::FOLDED },
        })
    }

    /// The indicators after `|` or `>`, in either order, up to the end of the line.
    fn block_header(&mut self) -> Result<(Chomp, u8), Error> {
        let (mut chomp, mut increment) = (None, 0);
        for _ in 0..2 {
            match self.cursor.peek() {
                b'+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                b'-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                b'0' if increment == 0 => {
                    return Err(self.cursor.mark.syntax("the indentation of a block text cannot be 0"));
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = digit - b'0',
                _ => break,
            }
            self.cursor.step();
        }
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self
                .cursor
                .mark
                .syntax("text follows `|` or `>` on its line")
                .hint("start the text on the next line, indented"));
        }
        self.cursor.step_break();
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    /// Skips indentation and empty lines; finds out the indentation where it is not known yet.
    fn block_breaks(&mut self, indent: &mut i64) -> Result<String, Error> {
        let mut breaks = String::new();
        let mut deepest = 0;
        loop {
            let inside = |column: u32, indent: i64| indent == 0 || i64::from(column) < indent;
            while inside(self.cursor.mark.column, *indent) && self.cursor.peek() == b' ' {
                self.cursor.advance(1, 1);
            }
            deepest = deepest.max(i64::from(self.cursor.mark.column));
            if inside(self.cursor.mark.column, *indent) && self.cursor.peek() == b'\t' {
                let error =
                    self.cursor.mark.syntax("a tab stands where the indentation of a block text should be");
                return Err(error.hint("indent with spaces"));
            }
            match self.cursor.step_break() {
                Some(meaning) => breaks.push(meaning),
                None => break,
            }
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(breaks)
    }
}
