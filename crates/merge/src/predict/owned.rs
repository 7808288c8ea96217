//! Whose the fields of a live object are: ours, or those of others.

use serde_json::Value;

use super::facts::{Known, Shape};
use super::{forget_server_fields, without_nulls};
use crate::fields::FieldSet;
use crate::path::{Element, ListKey, Path};
use crate::{Operation, managers};

/// Where `kubectl apply` writes down what was applied.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The two sets that decide what goes.
pub(super) struct Owned {
    /// What we applied before, or else what `kubectl apply` did.
    pub(super) ours: FieldSet,
    /// What others own: it stays.
    pub(super) others: FieldSet,
}

impl Owned {
    pub(super) fn of(live: &Value, manager: &str, known: &Known<'_>) -> Self {
        let none = || Self { ours: FieldSet::default(), others: FieldSet::default() };
        let (mut owned, mut applied) = (none(), false);
        for entry in managers(live).unwrap_or_default() {
            let ours = entry.manager == manager
                && entry.operation == Operation::Apply
                && entry.subresource.is_empty();
            applied |= ours;
            let set = if ours { &mut owned.ours } else { &mut owned.others };
            *set = set.union(&entry.fields);
        }
        if applied {
            return owned;
        }
        // As kubectl does it: what was applied and is no longer wanted goes, whoever owns it.
        match last_applied(live) {
            Some(last) => {
                let mut ours = FieldSet::default();
                collect(&last, &Path::root(), &mut Vec::new(), known, &mut ours);
                Self { ours, ..none() }
            }
            None => owned,
        }
    }
}

fn last_applied(live: &Value) -> Option<Value> {
    let text = live.get("metadata")?.get("annotations")?.get(LAST_APPLIED)?.as_str()?;
    let mut last = without_nulls(serde_json::from_str(text).ok()?);
    forget_server_fields(&mut last);
    Some(last)
}

/// The set of all fields that a value has.
fn collect<'v>(
    value: &'v Value,
    path: &Path,
    names: &mut Vec<&'v str>,
    known: &Known<'_>,
    set: &mut FieldSet,
) {
    match value {
        // An empty mapping, which kubectl writes for annotations, claims nothing of what others put into it.
        Value::Object(map) => {
            for (name, below) in map {
                names.push(name);
                collect(below, &path.child(Element::field(name)), names, known, set);
                names.pop();
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let none = FieldSet::default();
            let element = |item: &Value| match known.list(names, [&none, &none]) {
                Shape::KeyedList(keys) => {
                    let key = ListKey::of_item(item, keys.iter().map(String::as_str));
                    if key.is_empty() { None } else { Some(Element::Key(key)) }
                }
                Shape::SetList => Some(Element::Value(item.clone().into())),
                _ => None,
            };
            let elements: Option<Vec<_>> = items.iter().map(element).collect();
            let Some(elements) = elements else { return set.insert(path) };
            for (element, item) in elements.into_iter().zip(items) {
                let path = path.child(element);
                set.insert(&path);
                collect(item, &path, names, known, set);
            }
        }
        _ => set.insert(path),
    }
}
