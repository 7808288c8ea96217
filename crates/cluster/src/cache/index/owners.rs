//! Who hangs below whom: what objects say of their owners, and what is inferred.
//!
//! An owner is in the same namespace or in none; anything else is a mistake that the server's own garbage collector
//! does not follow either. Cycles are possible, so every walk remembers where it was.

use std::collections::{BTreeSet, HashSet};
use std::hash::BuildHasher as _;

use towpath_object::Key;

use super::entry::{Entry, Owner};
use super::names::Name;
use super::{Index, Slot, Uid};
use crate::cache::row::{Node, Row};

impl Index {
    /// What hangs directly below an object, in the order of keys. O(result).
    pub(crate) fn children(&self, key: &Key) -> Vec<Row> {
        let slots = self.slot_of(key).map(|slot| self.below(slot)).unwrap_or_default();
        slots.into_iter().filter_map(|slot| self.row(slot)).collect()
    }

    /// What an object hangs directly below, in the order of keys.
    pub(crate) fn parents(&self, key: &Key) -> Vec<Row> {
        let slots = self.slot_of(key).map(|slot| self.above(slot)).unwrap_or_default();
        slots.into_iter().filter_map(|slot| self.row(slot)).collect()
    }

    /// The roots and all that hangs below them, depth first, every object once.
    pub(crate) fn tree<'a>(&self, roots: impl IntoIterator<Item = &'a Key>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let (mut met, mut uids) = (HashSet::new(), HashSet::new());
        let mut ahead: Vec<(Slot, usize, Option<usize>)> =
            roots.into_iter().filter_map(|key| Some((self.slot_of(key)?, 0, None))).collect();
        ahead.reverse();
        while let Some((slot, depth, parent)) = ahead.pop() {
            let uid = self.entry(slot).map(|entry| &entry.uid);
            // The same object under two groups has one uid and is met once.
            if !met.insert(slot) || (has_uid(uid) && !uids.insert(uid)) {
                continue;
            }
            let Some(row) = self.row(slot) else { continue };
            nodes.push(Node { row, depth, parent });
            let here = Some(nodes.len() - 1);
            ahead.extend(self.below(slot).into_iter().rev().map(|child| (child, depth + 1, here)));
        }
        nodes
    }

    /// The units of an object and of all that it hangs below.
    pub(super) fn units_over(&self, slot: Slot) -> BTreeSet<Name> {
        let mut units = BTreeSet::new();
        let mut met = HashSet::from([slot]);
        let mut ahead = vec![slot];
        while let Some(slot) = ahead.pop() {
            units.extend(self.entry(slot).and_then(|entry| entry.unit));
            ahead.extend(self.above(slot).into_iter().filter(|parent| met.insert(*parent)));
        }
        units
    }

    fn below(&self, slot: Slot) -> Vec<Slot> {
        let Some(parent) = self.entry(slot) else {
            return Vec::new();
        };
        let mut found = BTreeSet::new();
        let here = |child: &&Slot| self.entry(**child).is_some_and(|child| may_own(self, parent, child));
        found.extend(self.by_owner.get(&parent.uid).into_iter().flatten().filter(here));
        // The look-up needs an owned text; it is one allocation for each call.
        let named = (parent.kind, parent.namespace, parent.name.clone());
        found.extend(self.by_owner_name.get(&named).into_iter().flatten());
        found.extend(self.claims(parent));
        found.remove(&slot);
        self.one_of_each(found)
    }

    fn above(&self, slot: Slot) -> Vec<Slot> {
        let Some(child) = self.entry(slot) else {
            return Vec::new();
        };
        let mut found = BTreeSet::new();
        for owner in &child.owners {
            match owner {
                Owner::Uid(uid) => {
                    let with_uid = self.with_uid(uid).into_iter();
                    found.extend(with_uid.filter(|parent| {
                        self.entry(*parent).is_some_and(|parent| may_own(self, parent, child))
                    }));
                }
                Owner::Named(kind, name) => found.extend(self.slot(*kind, child.namespace, name)),
            }
        }
        found.extend(self.claimants(child));
        found.remove(&slot);
        self.one_of_each(found)
    }

    /// All objects with that uid: more than one where a kind is served in two groups.
    pub(super) fn with_uid(&self, uid: &Uid) -> Vec<Slot> {
        let hash = self.hasher.hash_one(uid);
        let same = |slot: &Slot| self.entry(*slot).is_some_and(|entry| entry.uid == *uid);
        self.by_uid.iter_hash(hash).copied().filter(same).collect()
    }

    /// In the order of keys; of objects with the same uid only the one with the smallest key.
    fn one_of_each(&self, slots: BTreeSet<Slot>) -> Vec<Slot> {
        let mut slots: Vec<Slot> = slots.into_iter().collect();
        slots.sort_by(|one, other| self.key_texts(*one).cmp(&self.key_texts(*other)));
        let mut met = HashSet::new();
        slots.retain(|slot| {
            let uid = self.entry(*slot).map(|entry| &entry.uid);
            !has_uid(uid) || met.insert(uid)
        });
        slots
    }
}

fn has_uid(uid: Option<&Uid>) -> bool {
    !matches!(uid, Some(Uid::Other(text)) if text.is_empty())
}

fn may_own(index: &Index, parent: &Entry, child: &Entry) -> bool {
    parent.namespace == child.namespace || index.names.text(parent.namespace).is_empty()
}
