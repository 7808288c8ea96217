//! `range`: over integers, lists, maps and sequences.

use super::error::At;
use super::field::pointed_to;
use super::{Exec, Flow, Walk};
use crate::fmt;
use crate::parse::{Branch, Node};
use crate::value::{BYTES, INT, Int, Operand, Sequence, Value};

/// What one turn sets: the index or key, and the element.
type Pair = (Operand, Operand);

impl<'t> Exec<'t, '_, '_> {
    pub(super) fn range(&mut self, dot: &Operand, node: &'t Node, branch: &'t Branch) -> Walk {
        self.at = At::Node(node);
        let mark = self.variables.len();
        let value = pointed_to(self.pipeline(dot, &branch.pipe)?.value);
        let ran = match self.iterate(&value, branch) {
            Err(Flow::Break) => Ok(true),
            other => other,
        }?;
        let done = match &branch.otherwise {
            Some(otherwise) if !ran => self.list(dot, otherwise),
            _ => Ok(()),
        };
        self.variables.truncate(mark);
        done
    }

    /// Goes over a value; whether there was anything.
    fn iterate(&mut self, value: &Value, branch: &'t Branch) -> Walk<bool> {
        match value {
            Value::Nil => Ok(false),
            Value::Int(int, number) => {
                if branch.pipe.variables.len() > 1 {
                    let shown = fmt::shown(value);
                    return Err(
                        self.fail(&format!("can't use {shown} to iterate over more than one variable"))
                    );
                }
                let (int, end) = (*int, *number);
                self.count(int, end, branch)
            }
            Value::List(list) => {
                let typ = list.typ.element();
                let items = list
                    .items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (number(index), Operand::of(item.clone(), typ)));
                self.each(items, branch)
            }
            Value::Bytes(bytes) => {
                let items = bytes.iter().enumerate().map(|(index, byte)| {
                    let byte = Value::Int(Int::Uint8, i64::from(*byte));
                    (number(index), Operand::of(byte, BYTES.element()))
                });
                self.each(items, branch)
            }
            Value::Map(map) => {
                let typ = map.typ.element();
                // The body may change the map; Go looks at it once.
                let entries: Vec<_> =
                    map.entries.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                let items = entries
                    .into_iter()
                    .map(|(key, value)| (Operand::plain(Value::String(key)), Operand::of(value, typ)));
                self.each(items, branch)
            }
            Value::Object(object) => match object.sequence() {
                Some(sequence) => self.sequence(value, sequence, branch),
                None => Err(self.not_iterable(value)),
            },
            _ => Err(self.not_iterable(value)),
        }
    }

    fn not_iterable(&self, value: &Value) -> Flow {
        self.fail(&format!("range can't iterate over {}", fmt::shown(value)))
    }

    fn count(&mut self, int: Int, end: i64, branch: &'t Branch) -> Walk<bool> {
        let end = if int.signed() { i128::from(end) } else { i128::from(end.cast_unsigned()) };
        let mut at: i128 = 0;
        let items = std::iter::from_fn(move || {
            let current = (at < end).then(|| i64::try_from(at).unwrap_or(i64::MAX));
            at += 1;
            current.map(|current| (Operand::INVALID, Operand::plain(Value::Int(int, current))))
        });
        self.each(items, branch)
    }

    fn sequence(&mut self, value: &Value, sequence: Sequence, branch: &'t Branch) -> Walk<bool> {
        let variables = branch.pipe.variables.len();
        match sequence {
            Sequence::Values(_) if variables > 1 => {
                let shown = fmt::shown(value);
                Err(self.fail(&format!("can't use {shown} iterate over more than one variable")))
            }
            Sequence::Values(values) => {
                self.each(values.map(|value| (Operand::INVALID, Operand::plain(value))), branch)
            }
            Sequence::Pairs(pairs) if variables > 1 => {
                self.each(pairs.map(|(key, value)| (Operand::plain(key), Operand::plain(value))), branch)
            }
            Sequence::Pairs(pairs) => {
                self.each(pairs.map(|(key, _)| (Operand::INVALID, Operand::plain(key))), branch)
            }
            Sequence::Channel(values) => {
                let items = values.enumerate().map(|(index, value)| (number(index), Operand::plain(value)));
                self.each(items, branch)
            }
        }
    }

    fn each(&mut self, items: impl Iterator<Item = Pair>, branch: &'t Branch) -> Walk<bool> {
        let mark = self.variables.len();
        let mut ran = false;
        for (index, element) in items {
            ran = true;
            self.step()?;
            self.bind(index, &element, branch)?;
            match self.list(&element, &branch.list) {
                Ok(()) | Err(Flow::Continue) => {}
                Err(other) => return Err(other),
            }
            self.variables.truncate(mark);
        }
        Ok(ran)
    }

    /// Sets the variables of one turn.
    fn bind(&mut self, index: Operand, element: &Operand, branch: &'t Branch) -> Walk {
        let pipe = &branch.pipe;
        match (&*pipe.variables, pipe.assign) {
            ([], _) => Ok(()),
            ([only], true) => self.set_variable(only, element.clone()),
            ([first, second, ..], true) => {
                self.set_variable(first, index)?;
                self.set_variable(second, element.clone())
            }
            // The pipeline declared them: the last one is on top.
            (declared, false) => {
                let mut from_top = self.variables.iter_mut().rev();
                if let Some((_, slot)) = from_top.next() {
                    *slot = element.clone();
                }
                if let (Some((_, slot)), true) = (from_top.next(), declared.len() > 1) {
                    *slot = index;
                }
                Ok(())
            }
        }
    }
}

fn number(index: usize) -> Operand {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    Operand::of(Value::int(index), INT)
}
