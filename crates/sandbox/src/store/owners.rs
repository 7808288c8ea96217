//! Which objects name which others as their owners.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::kinds::{TableId, items, text};

/// Where an object is.
pub(super) type Spot = (TableId, Box<str>);

/// Dependants by the uid of their owner.
#[derive(Debug, Default)]
pub(super) struct Owners {
    below: BTreeMap<Box<str>, BTreeSet<Spot>>,
    /// Objects that have owners, and which.
    above: BTreeMap<Spot, Box<[Box<str>]>>,
}

impl Owners {
    /// Takes in an object as it is now.
    pub(super) fn note(&mut self, table: TableId, key: &str, object: &Value) {
        let owners: Box<[Box<str>]> = object
            .get("metadata")
            .map(|metadata| {
                items(metadata, "ownerReferences").map(|owner| text(owner.get("uid")).into()).collect()
            })
            .unwrap_or_default();
        let place = (table, Box::from(key));
        if self.above.get(&place).map(|known| &**known).unwrap_or_default() == &*owners {
            return;
        }
        self.take_away(&place);
        if owners.is_empty() {
            return;
        }
        for owner in &owners {
            self.below.entry(owner.clone()).or_default().insert(place.clone());
        }
        self.above.insert(place, owners);
    }

    /// Forgets an object that has gone.
    pub(super) fn forget(&mut self, table: TableId, key: &str) {
        self.take_away(&(table, key.into()));
    }

    pub(super) fn below(&self, uid: &str) -> Vec<Spot> {
        self.below.get(uid).map(|places| places.iter().cloned().collect()).unwrap_or_default()
    }

    fn take_away(&mut self, place: &Spot) {
        for owner in self.above.remove(place).unwrap_or_default() {
            if let Some(places) = self.below.get_mut(&owner) {
                places.remove(place);
                if places.is_empty() {
                    self.below.remove(&owner);
                }
            }
        }
    }
}
