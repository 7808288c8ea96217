//! Which fields two states of an object differ in.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use towpath_merge::{Element, FieldSet, Path};
use towpath_schema::Place;

use super::Items;

/// What is different, containers included: a mapping that is new is added, and so is all that is in it.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) added: FieldSet,
    pub(crate) modified: FieldSet,
    pub(crate) removed: FieldSet,
}

impl Comparison {
    /// What has a new value.
    pub(crate) fn written(&self) -> FieldSet {
        self.added.union(&self.modified)
    }
}

static EMPTY: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));

/// From `old` to `new`.
pub(crate) fn compare(old: &Value, new: &Value, place: Place<'_>) -> Comparison {
    let mut found = Comparison::default();
    walk(Some(old), Some(new), place, &Path::root(), &mut found);
    found
}

fn walk(old: Option<&Value>, new: Option<&Value>, place: Place<'_>, path: &Path, found: &mut Comparison) {
    let (before, after) = (old.filter(|value| !value.is_null()), new.filter(|value| !value.is_null()));
    let none = Map::new();
    let inside = match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => Some((before, after)),
        (Some(Value::Object(before)), None) => Some((before, &none)),
        (None, Some(Value::Object(after))) => Some((&none, after)),
        _ => None,
    };
    if let Some((before, after)) = inside
        && !(before.is_empty() && after.is_empty())
        && !place.is_atomic_map()
    {
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
        for name in names {
            let below = place.field(name);
            let path = path.child(Element::field(name));
            // What the server's types have at all times was there before, empty, if what it is in was.
            let given = old.is_some() && below.is_given() && after.get(name).is_some_and(Value::is_object);
            let was = before.get(name).or(given.then(|| &*EMPTY));
            step(was, after.get(name), below, &path, found);
        }
        return;
    }
    if let (Some(before), Some(after)) = (items(before), items(after))
        && !(before.is_empty() && after.is_empty())
        && let (Some(before), Some(after)) = (Items::of(before, place), Items::of(after, place))
    {
        let news = after.0.iter().filter(|(element, _)| before.get(element).is_none());
        for (element, _) in before.0.iter().chain(news) {
            let path = path.child(element.clone());
            step(before.get(element), after.get(element), place.items(), &path, found);
        }
        return;
    }
    match (old, new) {
        (None, Some(_)) => found.added.insert(path),
        (Some(_), None) => found.removed.insert(path),
        (Some(old), Some(new)) if old != new => found.modified.insert(path),
        _ => {}
    }
}

fn step(old: Option<&Value>, new: Option<&Value>, place: Place<'_>, path: &Path, found: &mut Comparison) {
    walk(old, new, place, path, found);
    match (old, new) {
        // A list that the server's types have at all times was there before.
        (None, Some(new)) if place.is_given() && new.is_array() => {}
        (None, Some(_)) => found.added.insert(path),
        (Some(_), None) => found.removed.insert(path),
        _ => {}
    }
}

/// The items of a list, none where there is no list; nothing for another kind of value.
fn items(value: Option<&Value>) -> Option<&[Value]> {
    match value {
        Some(Value::Array(items)) => Some(items),
        None => Some(&[]),
        Some(_) => None,
    }
}
