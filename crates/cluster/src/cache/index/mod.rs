//! What is on a cluster, as tables that answer in time proportional to the answer. Pure and synchronous.
//!
//! In: objects as observed, removals, and whole lists. Out: what changed, and rows.
//!
//! ```text
//! slot 0 │ slot 1 │ slot 2 │ …     one small entry per object, reused when it goes
//!   ▲        ▲        ▲
//!   by key · by uid · by owner · by unit · by kind · by namespace · by volume claim     numbers of slots only
//! ```

mod claims;
mod entry;
mod id;
mod look;
#[cfg(test)]
mod model;
mod names;
mod owners;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod tests;

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use towpath_object::Key;

pub(crate) use entry::Slot;
use entry::{Entry, KindName};
use id::{Uid, Version};
use names::{Name, Names};

use super::{GroupKind, Observed};

/// All objects that are known of a cluster.
#[derive(Default)]
pub(crate) struct Index {
    names: Names,
    slots: Vec<Option<Entry>>,
    free: Vec<Slot>,
    hasher: RandomState,
    by_key: HashTable<Slot>,
    by_uid: HashTable<Slot>,
    by_kind: HashMap<KindName, BTreeSet<Slot>>,
    by_namespace: HashMap<Name, BTreeSet<Slot>>,
    by_unit: HashMap<Name, BTreeSet<Slot>>,
    by_owner: HashMap<Uid, BTreeSet<Slot>>,
    by_owner_name: HashMap<(KindName, Name, Box<str>), BTreeSet<Slot>>,
    by_claim: HashMap<(Name, Box<str>), BTreeSet<Slot>>,
    round: u32,
}

/// What an observation changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing: it was known, or something newer was.
    None,
    /// The object is new.
    Added(Slot),
    /// The object is another than before; it was of this unit.
    Updated(Slot, Option<Name>),
}

impl Index {
    /// Begins the list of a kind. What this round does not see is removed by [`Index::finish`].
    pub(crate) fn begin(&mut self) -> u32 {
        self.round += 1;
        self.round
    }

    /// Takes in an object, as seen by that round of listing or by the watch that followed it.
    pub(crate) fn upsert(&mut self, kind: &GroupKind, seen: Observed, round: u32) -> Effect {
        let kind = self.kind(kind);
        let namespace = self.names.take(&seen.namespace);
        let known = self.slot(kind, namespace, &seen.name);
        let Some((slot, old)) = known.and_then(|slot| Some((slot, self.entry_mut(slot)?))) else {
            let entry = self.entry_of(kind, namespace, seen, round);
            return Effect::Added(self.insert(entry));
        };
        // A new list is believed even where it goes back, as after a restored backup; within a round time goes on.
        let goes_on = old.round >= round;
        old.round = old.round.max(round);
        let same = old.uid == Uid::new(&seen.uid);
        let version = Version::new(&seen.version);
        if same && (old.version == version || (goes_on && version.is_older_than(&old.version))) {
            return Effect::None;
        }
        let round = old.round;
        let unit = old.unit;
        self.unlink(slot);
        let entry = self.entry_of(kind, namespace, seen, round);
        if let Some(place) = self.slots.get_mut(slot.at()) {
            *place = Some(entry);
        }
        self.link(slot);
        Effect::Updated(slot, unit)
    }

    /// The object that a deletion is about: of that name, and that very one where a uid is told.
    pub(crate) fn doomed(&self, kind: &GroupKind, namespace: &str, name: &str, uid: &str) -> Option<Slot> {
        let key = Key::new(&kind.group, &kind.kind, namespace, name);
        let slot = self.slot_of(&key)?;
        let known = &self.entry(slot)?.uid;
        (uid.is_empty() || *known == Uid::new(uid)).then_some(slot)
    }

    /// What is left of the kind, in that namespace or (empty) in all, from before the round. O(kind).
    pub(crate) fn finish(&self, kind: &GroupKind, namespace: &str, round: u32) -> Vec<Slot> {
        let place = self.names.find(namespace);
        let stale = |slot: &Slot| {
            self.entry(*slot).is_some_and(|entry| {
                entry.round < round && (namespace.is_empty() || Some(entry.namespace) == place)
            })
        };
        let slots = self.find_kind(&kind.group, &kind.kind).and_then(|kind| self.by_kind.get(&kind));
        slots.into_iter().flatten().copied().filter(stale).collect()
    }

    /// Forgets an object.
    pub(crate) fn remove(&mut self, slot: Slot) {
        if self.entry(slot).is_none() {
            return;
        }
        self.unlink(slot);
        let hash = self.key_hash(slot);
        if let Ok(found) = self.by_key.find_entry(hash, |other| *other == slot) {
            found.remove();
        }
        if let Some(place) = self.slots.get_mut(slot.at()) {
            *place = None;
        }
        self.free.push(slot);
    }

    /// Whether there is no object of the kind.
    pub(crate) fn has_none(&self, kind: &GroupKind) -> bool {
        self.find_kind(&kind.group, &kind.kind).is_none_or(|kind| !self.by_kind.contains_key(&kind))
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }

    fn insert(&mut self, entry: Entry) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Slot::new(self.slots.len() - 1)
        });
        if let Some(place) = self.slots.get_mut(slot.at()) {
            *place = Some(entry);
        }
        let hash = self.key_hash(slot);
        let (slots, hasher) = (&self.slots, &self.hasher);
        self.by_key.insert_unique(hash, slot, |slot| {
            entry_at(slots, *slot).map_or(0, |entry| hasher.hash_one(entry.identity()))
        });
        self.link(slot);
        slot
    }

    fn entry(&self, slot: Slot) -> Option<&Entry> {
        entry_at(&self.slots, slot)
    }

    fn entry_mut(&mut self, slot: Slot) -> Option<&mut Entry> {
        self.slots.get_mut(slot.at())?.as_mut()
    }

    fn slot(&self, kind: KindName, namespace: Name, name: &str) -> Option<Slot> {
        let hash = self.hasher.hash_one((kind, namespace, name));
        let same =
            |slot: &Slot| self.entry(*slot).is_some_and(|entry| entry.identity() == (kind, namespace, name));
        self.by_key.find(hash, same).copied()
    }

    fn slot_of(&self, key: &Key) -> Option<Slot> {
        let kind = self.find_kind(&key.group, &key.kind)?;
        self.slot(kind, self.names.find(&key.namespace)?, &key.name)
    }

    fn key_hash(&self, slot: Slot) -> u64 {
        self.entry(slot).map_or(0, |entry| self.hasher.hash_one(entry.identity()))
    }

    fn kind(&mut self, kind: &GroupKind) -> KindName {
        KindName { group: self.names.take(&kind.group), kind: self.names.take(&kind.kind) }
    }

    fn find_kind(&self, group: &str, kind: &str) -> Option<KindName> {
        Some(KindName { group: self.names.find(group)?, kind: self.names.find(kind)? })
    }
}

fn entry_at(slots: &[Option<Entry>], slot: Slot) -> Option<&Entry> {
    slots.get(slot.at())?.as_ref()
}
