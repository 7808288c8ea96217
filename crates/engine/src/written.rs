//! What was written and has not been heard of yet. Watches are late, by milliseconds or by minutes: until one tells, what
//! was written counts as written, and is not written a second time.

use std::collections::BTreeMap;

use towpath_cluster::cache::Cache;
use towpath_object::{Digest, Key};

use crate::compare::{Comparison, Standing};
use crate::resolved::{Goal, Resolved};
use crate::unit::UnitHealth;

/// The writes of a unit that no watch has told of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    /// The version that an apply left behind, and the manifest it was.
    applied: BTreeMap<Key, (String, Digest)>,
    /// The uid of what was deleted.
    removed: BTreeMap<Key, String>,
}

impl Written {
    pub(crate) fn applied(&mut self, key: Key, version: String, manifest: Digest) {
        self.removed.remove(&key);
        self.applied.insert(key, (version, manifest));
    }

    pub(crate) fn removed(&mut self, key: Key, uid: String) {
        self.applied.remove(&key);
        self.removed.insert(key, uid);
    }

    /// Forgets what the cache has heard of, whatever became of it since; true when something is left.
    pub(crate) fn settle(&mut self, cache: &Cache) -> bool {
        self.applied.retain(|key, (version, _)| !cache.has_reached(key, version));
        self.removed.retain(|key, uid| cache.get(key).is_some_and(|row| row.uid == *uid && !row.leaving));
        // An emptied map keeps its room, and there are many units.
        if self.applied.is_empty() {
            self.applied = BTreeMap::new();
        }
        if self.removed.is_empty() {
            self.removed = BTreeMap::new();
        }
        !(self.applied.is_empty() && self.removed.is_empty())
    }

    /// A comparison from the cache, with what the cache has not heard of.
    pub(crate) fn correct(&self, resolved: &Resolved, comparison: &mut Comparison) {
        let mut awaited = None;
        for Goal { key, digest, .. } in &resolved.targets {
            if self.applied.get(key).is_some_and(|(_, manifest)| manifest == digest) {
                awaited.get_or_insert_with(|| format!("{key} was written a moment ago"));
                comparison.standing.insert(key.clone(), Standing::Same);
            }
        }
        comparison.extra.retain(|row| self.removed.get(&row.key) != Some(&row.uid));
        // How it is now nobody has said yet.
        let unsaid = matches!(comparison.health, UnitHealth::Healthy | UnitHealth::Missing);
        if let (true, Some(awaited)) = (unsaid, awaited) {
            let nothing_worse = comparison.health == UnitHealth::Missing && !comparison.unserved;
            if comparison.message.is_empty() || nothing_worse {
                comparison.message = awaited;
            }
            comparison.health = UnitHealth::Progressing;
        }
    }
}
