//! Taking fields away.

use serde_json::{Map, Value};
use towpath_merge::{Element, FieldSet, Path};
use towpath_schema::Place;

use super::Items;

/// The object without the fields in `gone`, and all that is in them, as far as nobody owns any of it. A container that
/// is empty by that goes too.
pub(crate) fn without(object: &Value, place: Place<'_>, gone: &FieldSet, owned: &FieldSet) -> Value {
    if gone.is_empty() {
        return object.clone();
    }
    // What stays, with all that it is in.
    let mut kept = FieldSet::default();
    for path in owned.paths() {
        let mut above = Path::root();
        for element in path.elements() {
            above = above.child(element.clone());
            kept.insert(&above);
        }
    }
    let cut = Cut { gone, kept: &kept };
    cut.value(object, place, &Path::root()).unwrap_or_else(|| Value::Object(Map::new()))
}

struct Cut<'a> {
    gone: &'a FieldSet,
    kept: &'a FieldSet,
}

impl Cut<'_> {
    fn value(&self, value: &Value, place: Place<'_>, path: &Path) -> Option<Value> {
        match value {
            Value::Object(map) if !map.is_empty() && !place.is_atomic_map() => {
                let mut left = Map::new();
                for (name, value) in map {
                    let path = path.child(Element::field(name));
                    let value = self.step(value, place.field(name), &path);
                    left.extend(value.map(|value| (name.clone(), value)));
                }
                (!left.is_empty()).then_some(Value::Object(left))
            }
            Value::Array(items) if !items.is_empty() => match Items::of(items, place) {
                None => Some(value.clone()),
                Some(items) => {
                    let left: Vec<Value> = items
                        .0
                        .iter()
                        .filter_map(|(element, item)| {
                            self.step(item, place.items(), &path.child(element.clone()))
                        })
                        .collect();
                    (!left.is_empty()).then_some(Value::Array(left))
                }
            },
            other => Some(other.clone()),
        }
    }

    fn step(&self, value: &Value, place: Place<'_>, path: &Path) -> Option<Value> {
        if self.gone.contains(path) && !self.kept.contains(path) {
            return None;
        }
        self.value(value, place, path)
    }
}
