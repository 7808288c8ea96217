//! The set of all fields that a value has.

use serde_json::{Map, Value};
use towpath_merge::{Element, FieldSet, ListKey, Path};
use towpath_schema::{Identity, Place};

/// All fields of an object.
pub(crate) fn set_of(object: &Value, place: Place<'_>) -> FieldSet {
    let mut set = FieldSet::default();
    if let Value::Object(map) = object {
        fields(map, place, &Path::root(), &mut set);
    }
    set
}

fn collect(value: &Value, place: Place<'_>, path: &Path, set: &mut FieldSet) {
    match value {
        Value::Object(map) if !place.is_atomic_map() => fields(map, place, path, set),
        Value::Array(items) => match Items::of(items, place) {
            None => set.insert(path),
            Some(items) => {
                for (element, item) in items.0 {
                    let path = path.child(element);
                    collect(item, place.items(), &path, set);
                    set.insert(&path);
                }
            }
        },
        _ => set.insert(path),
    }
}

fn fields(map: &Map<String, Value>, place: Place<'_>, path: &Path, set: &mut FieldSet) {
    for (name, value) in map {
        let path = path.child(Element::field(name));
        collect(value, place.field(name), &path, set);
        let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        if empty || !place.declares(name) {
            set.insert(&path);
        }
    }
}

/// The items of a list that is merged, each with what identifies it.
pub(crate) struct Items<'v>(pub(crate) Vec<(Element, &'v Value)>);

impl<'v> Items<'v> {
    /// Nothing for a list that is replaced as a whole.
    pub(crate) fn of(items: &'v [Value], place: Place<'_>) -> Option<Self> {
        let identity = place.identity();
        let element = |item: &Value| match &identity {
            Identity::Atomic => None,
            Identity::Itself => Some(Element::Value(item.clone().into())),
            Identity::Keys(keys) => {
                let below = place.items();
                let value = |name: &str| item.get(name).or_else(|| below.field(name).default()).cloned();
                let fields = keys.iter().filter_map(|name| Some((*name, value(name)?)));
                Some(Element::Key(ListKey::new(fields)))
            }
        };
        if identity == Identity::Atomic {
            return None;
        }
        items.iter().map(|item| Some((element(item)?, item))).collect::<Option<Vec<_>>>().map(Self)
    }

    pub(crate) fn get(&self, element: &Element) -> Option<&'v Value> {
        self.0.iter().find(|(known, _)| known == element).map(|(_, item)| *item)
    }
}
