//! One dict merged into another, as the mergo library does it.

use std::rc::Rc;

use crate::value::{Map, Value};

/// What happens to what is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only what is empty is replaced.
    Fill,
    /// All is replaced.
    Overwrite,
}

/// Deeper maps are left alone: only one that contains itself is that deep.
const DEPTH: usize = 1000;

/// Merges the source into the target, map by map; lists are replaced as a whole.
pub fn merge(target: &Rc<Map>, source: &Rc<Map>, mode: Mode, depth: usize) {
    if Rc::ptr_eq(target, source) || depth > DEPTH {
        return;
    }
    let from: Vec<_> =
        source.entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    for (key, value) in from {
        let old = target.get(&key);
        let fills = mode == Mode::Overwrite || old.as_ref().is_none_or(|old| !old.truth());
        match (&old, &value) {
            (_, Value::Nil) if mode == Mode::Fill => {}
            (Some(Value::Map(old)), Value::Map(new)) => {
                merge(old, new, mode, depth + 1);
                // Two empty ones become the same one.
                if old.entries.borrow().is_empty() {
                    target.entries.borrow_mut().insert(key, value);
                }
            }
            _ if fills => {
                target.entries.borrow_mut().insert(key, value);
            }
            _ => {}
        }
    }
}
