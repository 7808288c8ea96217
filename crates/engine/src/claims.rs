//! Which units want which objects of a cluster: two that want one fight for it, and both are told.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use towpath_object::Key;

use crate::resolved::Resolved;
use crate::unit::UnitId;

/// What units want. Objects are known by a hash of their key: there are many, and hardly one is shared.
#[derive(Default)]
pub(crate) struct Claims {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// What a unit wants, as long as somebody remembers it, and the hashes of that.
    units: BTreeMap<UnitId, (Weak<Resolved>, Vec<u64>)>,
    objects: BTreeSet<(u64, UnitId)>,
}

impl Claims {
    /// A unit wants this now. Gives back the others that it concerns.
    pub(crate) fn hold(&self, unit: &UnitId, resolved: &Arc<Resolved>) -> BTreeSet<UnitId> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.units.get(unit).is_some_and(|(known, _)| known.as_ptr() == Arc::as_ptr(resolved)) {
            return BTreeSet::new();
        }
        let gone = held.units.iter().filter(|(_, (known, _))| known.strong_count() == 0);
        let gone: Vec<UnitId> = gone.map(|(unit, _)| unit.clone()).chain([unit.clone()]).collect();
        let mut concerned = BTreeSet::new();
        for gone in &gone {
            for hash in held.release(gone) {
                concerned.extend(held.others(hash, gone).cloned());
            }
        }
        let hashes: Vec<u64> = resolved.targets.iter().map(|goal| hash(&goal.key)).collect();
        for hash in &hashes {
            concerned.extend(held.others(*hash, unit).cloned());
            held.objects.insert((*hash, unit.clone()));
        }
        held.units.insert(unit.clone(), (Arc::downgrade(resolved), hashes));
        concerned.remove(unit);
        concerned
    }

    /// An object of the unit that another wants as well, and which.
    pub(crate) fn shared(&self, unit: &UnitId, resolved: &Resolved) -> Option<(Key, UnitId)> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        resolved.targets.iter().map(|goal| &goal.key).find_map(|key| {
            let other = held.others(hash(key), unit).find(|other| held.wants(other, key))?.clone();
            Some((key.clone(), other))
        })
    }
}

impl Held {
    fn release(&mut self, unit: &UnitId) -> Vec<u64> {
        let (_, hashes) = self.units.remove(unit).unwrap_or_default();
        for hash in &hashes {
            self.objects.remove(&(*hash, unit.clone()));
        }
        hashes
    }

    fn others(&self, hash: u64, unit: &UnitId) -> impl Iterator<Item = &UnitId> {
        let first = (hash, UnitId(String::new()));
        let same = self.objects.range(first..).take_while(move |(other, _)| *other == hash);
        same.map(|(_, other)| other).filter(move |other| *other != unit)
    }

    fn wants(&self, unit: &UnitId, key: &Key) -> bool {
        let wanted = self.units.get(unit).and_then(|(known, _)| known.upgrade());
        wanted.is_some_and(|wanted| wanted.targets.iter().any(|goal| goal.key == *key))
    }
}

fn hash(key: &Key) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use towpath_object::digest;

    use super::*;
    use crate::resolved::Goal;

    fn resolved(names: &[&str]) -> Arc<Resolved> {
        let key = |name: &&str| Key::new("", "ConfigMap", "web", name);
        let goal = |name| Goal { key: key(name), digest: digest(&json!({})), exact: false };
        Arc::new(Resolved {
            revision: String::new(),
            generation: 1,
            keys: names.iter().map(key).collect(),
            targets: names.iter().map(goal).collect(),
            unknown: Vec::new(),
            outside: None,
        })
    }

    #[test]
    fn who_wants_the_same_is_told_of_each_other_until_one_gives_up_or_goes() {
        let (claims, id) = (Claims::default(), |name: &str| UnitId(name.into()));
        let (first, second) = (resolved(&["a", "b"]), resolved(&["b", "c"]));
        assert!(claims.hold(&id("first"), &first).is_empty());
        assert!(claims.shared(&id("first"), &first).is_none());
        assert_eq!(claims.hold(&id("second"), &second), [id("first")].into());
        assert!(claims.hold(&id("second"), &second).is_empty(), "nothing new");
        let shared = claims.shared(&id("first"), &first).map(|(key, other)| (key.name, other));
        assert_eq!(shared, Some(("b".into(), id("second"))));
        assert!(claims.shared(&id("second"), &second).is_some());

        let less = resolved(&["c"]);
        assert_eq!(claims.hold(&id("second"), &less), [id("first")].into());
        assert!(claims.shared(&id("first"), &first).is_none());

        let third = resolved(&["a"]);
        claims.hold(&id("third"), &third);
        drop(third);
        assert!(claims.shared(&id("first"), &first).is_none(), "who is forgotten wants nothing");
    }
}
