//! The merge itself: live and target side by side, with the two sets of owned fields.

use serde_json::{Map, Value};

use super::facts::Known;
use super::{NOT_OURS, same};
use crate::fields::{FieldSet, extract};

/// Where the walk is in the sets of owned fields.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) ours: &'a FieldSet,
    pub(super) others: &'a FieldSet,
    /// Inside something that is replaced as a whole: what the target lacks goes.
    pub(super) exact: bool,
}

/// Nothing is owned below a leaf.
static NOTHING: FieldSet = FieldSet::nothing();

impl<'a> Spot<'a> {
    fn field(self, name: &str) -> Self {
        let below = |set: &'a FieldSet| set.field(name).map_or(&NOTHING, |(_, below)| below);
        Self { ours: below(self.ours), others: below(self.others), exact: self.exact }
    }

    pub(super) fn item(self, item: &Value) -> Self {
        let below = |set: &'a FieldSet| set.item(item).map_or(&NOTHING, |(_, below)| below);
        Self { ours: below(self.ours), others: below(self.others), exact: self.exact }
    }

    /// Whether the field is ours as a whole.
    fn is_leaf(self, name: &str) -> bool {
        self.ours.field(name).is_some_and(|(owned, below)| owned && below.is_empty())
    }

    pub(super) fn whole(self) -> Self {
        Self { exact: true, ..self }
    }
}

pub(super) struct Walk<'a> {
    pub(super) known: &'a Known<'a>,
}

impl Walk<'_> {
    /// What becomes of a value that the target mentions.
    pub(super) fn value<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: Option<&'v Value>,
        target: &'v Value,
        spot: Spot<'_>,
    ) -> Value {
        match (live, target) {
            (Some(Value::Object(live)), Value::Object(target)) => {
                Value::Object(self.mapping(path, live, target, spot))
            }
            (Some(Value::Array(live)), Value::Array(target)) => {
                Value::Array(self.list(path, live, target, spot))
            }
            (Some(live), target) if !live.is_null() => {
                let keep = self.known.same(path, live, target);
                if keep { live.clone() } else { self.fresh(path, target) }
            }
            (_, target) => self.fresh(path, target),
        }
    }

    fn mapping<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v Map<String, Value>,
        target: &'v Map<String, Value>,
        spot: Spot<'_>,
    ) -> Map<String, Value> {
        let mut merged = Map::new();
        for (name, value) in live {
            path.push(name);
            let left = match target.get(name) {
                // A live null that the target wants empty stays null.
                Some(target) if value.is_null() && self.dropped(path, target, spot, name) => {
                    Some(Value::Null)
                }
                Some(target) => {
                    let below = self.below(path, target, spot, name);
                    let merged = self.value(path, Some(value), target, below);
                    let emptied = is_empty(&merged) && !is_empty(value);
                    (!emptied || !self.dropped(path, &merged, spot, name)).then_some(merged)
                }
                None => self.left_out(path, name, value, spot),
            };
            path.pop();
            merged.extend(left.map(|value| (name.clone(), value)));
        }
        for (name, value) in target {
            if live.contains_key(name) {
                continue;
            }
            path.push(name);
            let fresh = self.fresh(path, value);
            if !self.dropped(path, &fresh, spot, name) {
                merged.insert(name.clone(), fresh);
            }
            path.pop();
        }
        merged
    }

    /// A new value as the server would show it.
    fn fresh<'v>(&self, path: &mut Vec<&'v str>, target: &'v Value) -> Value {
        match target {
            Value::Object(map) => {
                let mut shown = Map::new();
                for (name, value) in map {
                    path.push(name);
                    let value = self.fresh(path, value);
                    if !self.known.dropped(path, &value, false) {
                        shown.insert(name.clone(), value);
                    }
                    path.pop();
                }
                Value::Object(shown)
            }
            Value::Array(items) if !self.known.sorted(path) => {
                Value::Array(items.iter().map(|item| self.fresh(path, item)).collect())
            }
            other => other.clone(),
        }
    }

    /// Whether a server that is sent this value shows nothing.
    fn dropped(&self, path: &[&str], target: &Value, spot: Spot<'_>, name: &str) -> bool {
        self.known.dropped(path, target, spot.is_leaf(name))
    }

    /// One step down. Of a mapping that is replaced as a whole, what others put into it goes.
    fn below<'s>(&self, path: &[&str], target: &Value, spot: Spot<'s>, name: &str) -> Spot<'s> {
        let next = spot.field(name);
        let whole = target.is_object() && self.known.atomic_map(path);
        if whole { next.whole() } else { next }
    }

    /// What becomes of a live field that the target does not mention.
    fn left_out(&self, path: &[&str], name: &str, value: &Value, spot: Spot<'_>) -> Option<Value> {
        if NOT_OURS.contains(&path) || path == ["metadata"] {
            return Some(value.clone());
        }
        if spot.exact {
            return self.known.is_default(name, value).then(|| value.clone());
        }
        match spot.ours.field(name) {
            Some(_) if !self.returns(name, value) => given_up(value, spot.others.field(name)),
            _ => Some(value.clone()),
        }
    }

    /// Whether a server would write this again at once.
    fn returns(&self, name: &str, value: &Value) -> bool {
        is_empty(value) || (self.known.built_in && value.is_string() && self.known.is_default(name, value))
    }
}

/// What is left of something that was ours and is no longer wanted: what others own of it.
pub(super) fn given_up(value: &Value, others: Option<(bool, &FieldSet)>) -> Option<Value> {
    let (_, below) = others?;
    if below.is_empty() || !(value.is_object() || value.is_array()) {
        return Some(value.clone());
    }
    Some(extract(below, value)).filter(|left| !is_empty(left))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether live has all that the target says, so that an overlay would change nothing.
pub(super) fn covers(live: &Value, target: &Value) -> bool {
    match (live, target) {
        (Value::Object(live), Value::Object(target)) => target.iter().all(|(name, target)| {
            target.is_null() || live.get(name).is_some_and(|live| covers(live, target))
        }),
        (Value::Array(live), Value::Array(target)) => {
            live.len() == target.len() && live.iter().zip(target).all(|(live, target)| covers(live, target))
        }
        _ => same(live, target),
    }
}
