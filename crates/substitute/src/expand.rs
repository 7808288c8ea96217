//! Fills a template in.

use std::borrow::Cow;

use crate::error::ExpandError;
use crate::glob::Work;
use crate::operators::{apply, has_default};
use crate::parse::{Expression, Part, Template};

/// The largest result, nested results included.
const SIZE: usize = 64 << 20;
/// How many characters of patterns are tried for one text.
const WORK: u64 = 50_000_000;

impl Template<'_> {
    /// The text, with each variable's value from `lookup`; `None` there is a variable that does not exist.
    pub fn expand<'v>(&self, lookup: impl Fn(&str) -> Option<Cow<'v, [u8]>>) -> Result<Vec<u8>, ExpandError> {
        let mut expansion = Expansion { lookup, work: Work::new(WORK), size: 0 };
        let mut text = Vec::new();
        for part in &self.parts {
            expansion.part(part, &mut text)?;
        }
        Ok(text)
    }
}

struct Expansion<L> {
    lookup: L,
    work: Work,
    size: usize,
}

impl<'v, L: Fn(&str) -> Option<Cow<'v, [u8]>>> Expansion<L> {
    fn part(&mut self, part: &Part<'_>, text: &mut Vec<u8>) -> Result<(), ExpandError> {
        match part {
            Part::Text(plain) => self.write(plain, text),
            Part::Expression(expression) => {
                let result = self.expression(expression)?;
                self.write(&result, text)
            }
        }
    }

    fn write(&mut self, piece: &[u8], text: &mut Vec<u8>) -> Result<(), ExpandError> {
        self.size = self.size.saturating_add(piece.len());
        if self.size > SIZE {
            return Err(ExpandError::Size(SIZE));
        }
        text.extend_from_slice(piece);
        Ok(())
    }

    fn expression(&mut self, expression: &Expression<'_>) -> Result<Vec<u8>, ExpandError> {
        let mut arguments = Vec::with_capacity(expression.arguments.len());
        for argument in &expression.arguments {
            let mut text = Vec::new();
            self.part(argument, &mut text)?;
            arguments.push(text);
        }
        let value = match (self.lookup)(&expression.name) {
            Some(value) => value,
            None if has_default(&expression.operator) => Cow::Borrowed(&[][..]),
            None => return Err(ExpandError::NotSet(expression.name.clone().into_owned())),
        };
        if expression.operator.starts_with('/') {
            check_replacement(&value, &arguments)?;
        }
        let result = apply(&expression.operator, &value, &arguments, &mut self.work);
        if self.work.is_over() {
            let text = format!("{}{}", expression.name, expression.operator);
            return Err(ExpandError::Work(text));
        }
        Ok(result)
    }
}

/// A replacement is the only operator whose result can be far larger than all that went into it.
fn check_replacement(value: &[u8], arguments: &[Vec<u8>]) -> Result<(), ExpandError> {
    let [old, new] = arguments else { return Ok(()) };
    let times = value.len() / old.len().max(1) + 1;
    if times.saturating_mul(new.len()).saturating_add(value.len()) > SIZE {
        return Err(ExpandError::Size(SIZE));
    }
    Ok(())
}
