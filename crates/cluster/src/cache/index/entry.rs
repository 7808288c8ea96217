//! One object in the index, and the tables that lead to it.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, Hash};
use std::sync::Arc;

use super::names::Name;
use super::{Index, Uid, Version, claims, entry_at};
use crate::cache::observe::{Observed, OwnerText};

/// The place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

impl Slot {
    pub(super) fn new(at: usize) -> Self {
        Self(u32::try_from(at).expect("fewer than four billion objects fit in memory"))
    }

    pub(super) fn at(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A kind in whatever version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KindName {
    pub(super) group: Name,
    pub(super) kind: Name,
}

/// What is kept of an object.
pub(super) struct Entry {
    pub(super) kind: KindName,
    pub(super) namespace: Name,
    pub(super) unit: Option<Name>,
    pub(super) round: u32,
    pub(super) leaving: bool,
    pub(super) name: Box<str>,
    pub(super) uid: Uid,
    pub(super) version: Version,
    pub(super) generation: i64,
    pub(super) owners: Box<[Owner]>,
    /// What few objects have.
    pub(super) more: Option<Box<More>>,
}

pub(super) enum Owner {
    Uid(Uid),
    Named(KindName, Box<str>),
}

#[derive(Default)]
pub(super) struct More {
    pub(super) templates: Box<[Box<str>]>,
    pub(super) json: Option<Arc<[u8]>>,
    pub(super) owned: Option<Arc<str>>,
    pub(super) managers: Box<[Name]>,
}

impl Entry {
    /// What identifies it, for hashing and comparing.
    pub(super) fn identity(&self) -> (KindName, Name, &str) {
        (self.kind, self.namespace, &self.name)
    }
}

impl Index {
    pub(super) fn entry_of(&mut self, kind: KindName, namespace: Name, seen: Observed, round: u32) -> Entry {
        let owners = seen.owners.iter().map(|owner| match owner {
            OwnerText::Uid(uid) => Owner::Uid(Uid::new(uid)),
            OwnerText::Named(kind, name) => Owner::Named(self.kind(kind), name.as_str().into()),
        });
        let owners = owners.collect();
        let mut more = More {
            templates: seen.templates.iter().map(|name| name.as_str().into()).collect(),
            ..More::default()
        };
        let has_more = !more.templates.is_empty() || seen.kept.is_some();
        if let Some(kept) = seen.kept {
            more.json = Some(kept.json);
            more.owned = kept.owned.map(Into::into);
            more.managers = kept.managers.iter().map(|name| self.names.take(name)).collect();
        }
        Entry {
            kind,
            namespace,
            unit: seen.unit.map(|unit| self.names.take(&unit)),
            round,
            leaving: seen.leaving,
            name: seen.name.into(),
            uid: Uid::new(&seen.uid),
            version: Version::new(&seen.version),
            generation: seen.generation,
            owners,
            more: has_more.then(|| Box::new(more)),
        }
    }

    /// Enters the object in all tables but that of keys.
    pub(super) fn link(&mut self, slot: Slot) {
        let Some(entry) = entry_at(&self.slots, slot) else { return };
        self.by_kind.entry(entry.kind).or_default().insert(slot);
        self.by_namespace.entry(entry.namespace).or_default().insert(slot);
        if let Some(unit) = entry.unit {
            self.by_unit.entry(unit).or_default().insert(slot);
        }
        for owner in &entry.owners {
            match owner {
                Owner::Uid(uid) => self.by_owner.entry(uid.clone()).or_default().insert(slot),
                Owner::Named(kind, name) => {
                    self.by_owner_name.entry((*kind, entry.namespace, name.clone())).or_default().insert(slot)
                }
            };
        }
        if let Some(stem) = claims::stem(&self.names, entry) {
            self.by_claim.entry((entry.namespace, stem.into())).or_default().insert(slot);
        }
        let (slots, hasher) = (&self.slots, &self.hasher);
        let hash = |slot: &Slot| entry_at(slots, *slot).map_or(0, |entry| hasher.hash_one(&entry.uid));
        self.by_uid.insert_unique(hash(&slot), slot, hash);
    }

    /// Takes the object out of all tables but that of keys.
    pub(super) fn unlink(&mut self, slot: Slot) {
        let Some(entry) = entry_at(&self.slots, slot) else { return };
        leave(&mut self.by_kind, &entry.kind, slot);
        leave(&mut self.by_namespace, &entry.namespace, slot);
        if let Some(unit) = entry.unit {
            leave(&mut self.by_unit, &unit, slot);
        }
        for owner in &entry.owners {
            match owner {
                Owner::Uid(uid) => leave(&mut self.by_owner, uid, slot),
                Owner::Named(kind, name) => {
                    leave(&mut self.by_owner_name, &(*kind, entry.namespace, name.clone()), slot);
                }
            }
        }
        if let Some(stem) = claims::stem(&self.names, entry) {
            leave(&mut self.by_claim, &(entry.namespace, stem.into()), slot);
        }
        let hash = self.hasher.hash_one(&entry.uid);
        if let Ok(found) = self.by_uid.find_entry(hash, |other| *other == slot) {
            found.remove();
        }
    }
}

fn leave<K: Hash + Eq>(table: &mut HashMap<K, BTreeSet<Slot>>, key: &K, slot: Slot) {
    if let Some(slots) = table.get_mut(key) {
        slots.remove(&slot);
        if slots.is_empty() {
            table.remove(key);
        }
    }
}
