//! Whose a field is that only the live object has.

use serde_json::Value;

use super::Reason;
use crate::fields::FieldSet;
use crate::managers::ManagerEntry;
use crate::path::{Element, ListKey, Path};

/// The managers of an object without ourselves.
pub(super) struct Owners {
    entries: Vec<ManagerEntry>,
    /// Whether the server keeps managed fields of it at all.
    known: bool,
}

/// How far one manager's set has been followed.
enum Followed<'a> {
    /// All below is its own.
    Whole,
    Part(&'a FieldSet),
}

impl Owners {
    /// Nothing is known where managed fields are absent or cannot be read.
    pub(super) fn new(entries: Option<Vec<ManagerEntry>>, manager: &str) -> Self {
        let mut entries = entries.unwrap_or_default();
        let known = !entries.is_empty();
        entries.retain(|entry| entry.manager != manager);
        Self { entries, known }
    }

    /// The reasons for the value at `path`: one where it has one, otherwise those of its parts.
    pub(super) fn reasons(&self, path: &Path, value: &Value, object: &Value) -> Vec<(Path, Reason)> {
        let mut followed: Vec<_> =
            self.entries.iter().map(|entry| (&*entry.manager, Followed::Part(&entry.fields))).collect();
        let mut here = Some(object);
        for element in path.elements() {
            let item = |list: &Value| element.position(list.as_array()?);
            here = here.and_then(|value| match element {
                Element::Field(name) => value.get(&**name),
                _ => value.get(item(value)?),
            });
            followed = step(followed, element, here);
        }
        self.parts(path, value, &followed)
    }

    fn parts(&self, path: &Path, value: &Value, followed: &[(&str, Followed<'_>)]) -> Vec<(Path, Reason)> {
        let below: Vec<(Element, &Value)> = match value {
            Value::Object(map) => map.iter().map(|(name, value)| (Element::field(name), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(element).collect(),
            _ => Vec::new(),
        };
        let parts: Vec<_> = below
            .into_iter()
            .flat_map(|(element, value)| {
                let next = step(followed.iter().map(copy).collect(), &element, Some(value));
                self.parts(&path.child(element), value, &next)
            })
            .collect();
        match parts.first() {
            None => vec![(path.clone(), self.reason(followed))],
            Some((_, first)) if parts.iter().all(|(_, reason)| reason == first) => {
                vec![(path.clone(), first.clone())]
            }
            Some(_) => parts,
        }
    }

    /// People before machines: they are who is asked.
    fn reason(&self, followed: &[(&str, Followed<'_>)]) -> Reason {
        let person = followed.iter().find(|(manager, _)| super::is_person(manager));
        match person.or(followed.first()) {
            Some((manager, _)) => Reason::OwnedBy((*manager).into()),
            None if self.known => Reason::DefaultedByServer,
            None => Reason::LiveOnly,
        }
    }
}

fn copy<'a>((manager, followed): &(&'a str, Followed<'a>)) -> (&'a str, Followed<'a>) {
    let followed = match followed {
        Followed::Whole => Followed::Whole,
        Followed::Part(set) => Followed::Part(set),
    };
    (*manager, followed)
}

/// A list's item, by name where it has one.
fn element((place, item): (usize, &Value)) -> (Element, &Value) {
    match item.get("name") {
        Some(name) => (Element::Key(ListKey::new([("name", name.clone())])), item),
        None => (Element::Index(place), item),
    }
}

/// Those managers that have something there.
fn step<'a>(
    followed: Vec<(&'a str, Followed<'a>)>,
    element: &Element,
    value: Option<&Value>,
) -> Vec<(&'a str, Followed<'a>)> {
    let next = |(manager, followed)| {
        let Followed::Part(set) = followed else { return Some((manager, Followed::Whole)) };
        let (owned, below) = match element {
            Element::Field(name) => set.field(name)?,
            _ => set.item(value?)?,
        };
        let whole = owned && below.is_empty();
        Some((manager, if whole { Followed::Whole } else { Followed::Part(below) }))
    };
    followed.into_iter().filter_map(next).collect()
}
