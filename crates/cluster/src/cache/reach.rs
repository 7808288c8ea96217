//! How far the index has come: the newest version of each kind in each place that it has taken in.
//!
//! Whoever has written an object knows the version that the server gave it. What the index says of the object counts
//! once that version has been reached, also if it then says that the object is gone.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use towpath_object::Key;

use super::GroupKind;
use super::state::FeedId;

/// The newest versions.
#[derive(Default)]
pub(super) struct Reach {
    versions: Mutex<BTreeMap<FeedId, u64>>,
}

impl Reach {
    /// Everything up to this version has been taken in.
    pub(super) fn note(&self, id: &FeedId, version: &str) {
        let Some(version) = number(version) else { return };
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        match versions.get_mut(id) {
            Some(known) => *known = version.max(*known),
            None => drop(versions.insert(id.clone(), version)),
        }
    }

    /// Nothing is known of a kind in a place any more.
    pub(super) fn forget(&self, id: &FeedId) {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Whether this version of an object, or what came of it later, has been taken in. True where versions are no
    /// numbers: then it cannot be told.
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>
    pub(super) fn covers(&self, key: &Key, version: &str) -> bool {
        let Some(version) = number(version) else { return true };
        let kind = GroupKind::from(key);
        let at = |place: &str| FeedId { kind: kind.clone(), place: place.into() };
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = versions.get(&at("")).or_else(|| versions.get(&at(&key.namespace)));
        reached.is_some_and(|reached| *reached >= version)
    }
}

fn number(version: &str) -> Option<u64> {
    version.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_reached_by_kind_and_place() {
        let reach = Reach::default();
        let id = |place: &str| FeedId { kind: GroupKind::new("", "Pod"), place: place.into() };
        let key = Key::new("", "Pod", "a", "x");
        assert!(!reach.covers(&key, "5"));
        reach.note(&id("a"), "9");
        reach.note(&id("a"), "7");
        assert!(reach.covers(&key, "9") && !reach.covers(&key, "10") && reach.covers(&key, "new"));
        assert!(!reach.covers(&Key::new("", "Pod", "b", "x"), "5"));
        reach.note(&id(""), "10");
        assert!(reach.covers(&key, "10"));
        reach.forget(&id(""));
        assert!(!reach.covers(&key, "10"));
    }
}
