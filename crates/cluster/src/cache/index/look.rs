//! From slots to rows and changes.

use std::sync::Arc;

use towpath_object::Key;

use super::entry::{Entry, Owner};
use super::names::Name;
use super::{Effect, Index, Slot};
use crate::cache::events::{Change, What};
use crate::cache::row::{self, Managed, Row};

impl Index {
    /// The object with that key.
    pub(crate) fn get(&self, key: &Key) -> Option<Row> {
        self.row(self.slot_of(key)?)
    }

    /// The object with that uid; of several the one with the smallest key.
    pub(crate) fn by_uid(&self, uid: &str) -> Option<Row> {
        let slots = self.with_uid(&super::Uid::new(uid)).into_iter();
        self.row(slots.min_by(|one, other| self.key_texts(*one).cmp(&self.key_texts(*other)))?)
    }

    /// The objects that carry the unit's labels.
    pub(crate) fn unit(&self, unit: &str) -> Vec<Row> {
        self.rows(self.names.find(unit).and_then(|unit| self.by_unit.get(&unit)))
    }

    /// The objects of a kind.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> Vec<Row> {
        self.rows(self.find_kind(group, kind).and_then(|kind| self.by_kind.get(&kind)))
    }

    /// The objects in a namespace; with an empty one those in none.
    pub(crate) fn in_namespace(&self, namespace: &str) -> Vec<Row> {
        self.rows(self.names.find(namespace).and_then(|namespace| self.by_namespace.get(&namespace)))
    }

    /// What an effect means to others; nothing where nothing happened.
    pub(crate) fn describe(&self, effect: Effect) -> Option<Change> {
        match effect {
            Effect::None => None,
            Effect::Added(slot) => self.change(slot, What::Added, None),
            Effect::Updated(slot, unit) => self.change(slot, What::Updated, unit),
        }
    }

    /// What the removal of an object means to others. Ask before removing it.
    pub(crate) fn describe_removal(&self, slot: Slot) -> Option<Change> {
        self.change(slot, What::Removed, None)
    }

    fn change(&self, slot: Slot, what: What, before: Option<Name>) -> Option<Change> {
        let entry = self.entry(slot)?;
        let mut units = self.units_over(slot);
        units.extend(before);
        Some(Change {
            key: self.key_of(entry),
            what,
            unit: entry.unit.and_then(|unit| self.shared(unit)),
            units: units.into_iter().filter_map(|unit| self.shared(unit)).collect(),
        })
    }

    pub(super) fn row(&self, slot: Slot) -> Option<Row> {
        let entry = self.entry(slot)?;
        let more = entry.more.as_ref();
        let managed = more.and_then(|more| {
            Some(Managed {
                json: Arc::clone(more.json.as_ref()?),
                owned: more.owned.clone(),
                managers: more.managers.iter().filter_map(|name| self.shared(*name)).collect(),
            })
        });
        Some(Row {
            key: self.key_of(entry),
            uid: entry.uid.to_string(),
            version: entry.version.to_string(),
            generation: entry.generation,
            leaving: entry.leaving,
            owners: entry.owners.iter().map(|owner| self.owner(entry, owner)).collect(),
            unit: entry.unit.and_then(|unit| self.shared(unit)),
            managed,
        })
    }

    /// What keys are compared by.
    pub(super) fn key_texts(&self, slot: Slot) -> Option<(&str, &str, &str, &str)> {
        let entry = self.entry(slot)?;
        let text = |name| self.names.text(name);
        Some((text(entry.kind.group), text(entry.kind.kind), text(entry.namespace), &entry.name))
    }

    fn rows<'a>(&self, slots: Option<impl IntoIterator<Item = &'a Slot>>) -> Vec<Row> {
        let mut rows: Vec<Row> = slots.into_iter().flatten().filter_map(|slot| self.row(*slot)).collect();
        rows.sort_by(|one, other| one.key.cmp(&other.key));
        rows
    }

    fn key_of(&self, entry: &Entry) -> Key {
        let text = |name| self.names.text(name);
        Key::new(text(entry.kind.group), text(entry.kind.kind), text(entry.namespace), &entry.name)
    }

    fn owner(&self, entry: &Entry, owner: &Owner) -> row::Owner {
        match owner {
            Owner::Uid(uid) => row::Owner::Uid(uid.to_string()),
            Owner::Named(kind, name) => {
                let text = |name| self.names.text(name);
                row::Owner::Named(Key::new(text(kind.group), text(kind.kind), text(entry.namespace), name))
            }
        }
    }

    fn shared(&self, name: Name) -> Option<Arc<str>> {
        self.names.shared(name).cloned()
    }
}
