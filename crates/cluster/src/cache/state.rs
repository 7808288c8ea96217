//! Each kind, in each place where it is watched, is a failure domain of its own.
//!
//! ```text
//! Listing ──listed──► Live ──fault──► Stale ──listed or watching again──► Live
//!    │                  │
//!    ├── we may not ────┴──► Forbidden       tried again now and then
//!    └── not served ────────► Gone           its objects are gone too
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;
use towpath_object::Key;

use super::GroupKind;
use crate::Error;

/// How well a kind is known.
#[derive(Clone, Debug)]
pub enum KindState {
    /// It is being read for the first time.
    Listing,
    /// What the cache says of it is so, but for the moment it takes to hear of a change.
    Live,
    /// What the cache says of it was so.
    Stale {
        /// Since when it is not known any more.
        since: Instant,
        /// Why not.
        error: Arc<Error>,
    },
    /// We may not read it.
    Forbidden {
        /// What the server said.
        error: Arc<Error>,
    },
    /// The server does not serve it.
    Gone,
}

impl KindState {
    /// True when what the cache says of the kind is so.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live)
    }

    /// True when both are the same but for the details.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// The higher, the worse.
    fn rank(&self) -> u8 {
        match self {
            Self::Live => 0,
            Self::Gone => 1,
            Self::Forbidden { .. } => 2,
            Self::Listing => 3,
            Self::Stale { .. } => 4,
        }
    }
}

/// Why the cache cannot answer for an object.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Blind {
    /// It is in none of the namespaces that are watched.
    #[error("{key} is outside the namespaces that this cluster is managed in")]
    OutOfScope {
        /// The object.
        key: Key,
    },
    /// Nobody asked for its kind.
    #[error("{kind} is not watched")]
    NotWatched {
        /// The kind.
        kind: GroupKind,
    },
    /// Its kind has not been read yet.
    #[error("{kind} has not been read yet")]
    Listing {
        /// The kind.
        kind: GroupKind,
    },
    /// Its kind cannot be read at the moment.
    #[error("{kind} cannot be read: {error}")]
    Stale {
        /// The kind.
        kind: GroupKind,
        /// Why not.
        error: Arc<Error>,
    },
    /// We may not read its kind.
    #[error("{kind} may not be read: {error}")]
    Forbidden {
        /// The kind.
        kind: GroupKind,
        /// What the server said.
        error: Arc<Error>,
    },
    /// The server does not serve its kind.
    #[error("{kind} is not served by the cluster")]
    Gone {
        /// The kind.
        kind: GroupKind,
    },
}

/// A kind in a place: a namespace, or (empty) everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FeedId {
    pub(super) kind: GroupKind,
    pub(super) place: String,
}

/// The states of all kinds.
#[derive(Debug, Default)]
pub(super) struct States {
    /// Whether the server has told what it serves.
    pub(super) discovered: bool,
    /// The kinds of the mode [`Used`](super::Mode::Used) that the server does not serve.
    pub(super) missing: Vec<GroupKind>,
    feeds: BTreeMap<FeedId, KindState>,
}

impl States {
    /// Sets a state; true when it is another than before.
    pub(super) fn set(&mut self, id: &FeedId, state: KindState) -> bool {
        let other = self.feeds.get(id).is_none_or(|old| !old.is_like(&state));
        self.feeds.insert(id.clone(), state);
        other
    }

    pub(super) fn get(&self, id: &FeedId) -> Option<&KindState> {
        self.feeds.get(id)
    }

    pub(super) fn remove(&mut self, id: &FeedId) {
        self.feeds.remove(id);
    }

    /// The state of a kind: the worst of its places. Nothing where it is not watched.
    pub(super) fn of(&self, kind: &GroupKind) -> Option<KindState> {
        let first = FeedId { kind: kind.clone(), place: String::new() };
        let places = self.feeds.range(first..).take_while(|(id, _)| id.kind == *kind).map(|(_, state)| state);
        let watched = places.max_by_key(|state| state.rank()).cloned();
        watched.or_else(|| self.missing.contains(kind).then_some(KindState::Gone))
    }

    /// All kinds with their states.
    pub(super) fn all(&self) -> Vec<(GroupKind, KindState)> {
        let mut all: BTreeMap<&GroupKind, &KindState> =
            self.missing.iter().map(|kind| (kind, &KindState::Gone)).collect();
        for (id, state) in &self.feeds {
            let worst = all.entry(&id.kind).or_insert(state);
            if state.rank() > worst.rank() {
                *worst = state;
            }
        }
        all.into_iter().map(|(kind, state)| (kind.clone(), state.clone())).collect()
    }

    /// True when nothing is being read for the first time.
    pub(super) fn settled(&self) -> bool {
        self.discovered && !self.feeds.values().any(|state| matches!(state, KindState::Listing))
    }

    /// Why an object of this kind in this namespace cannot be told, if so.
    pub(super) fn blind(&self, key: &Key) -> Option<Blind> {
        let kind = GroupKind::from(key);
        let id = |place: &str| FeedId { kind: kind.clone(), place: place.into() };
        let state = self.feeds.get(&id("")).or_else(|| self.feeds.get(&id(&key.namespace)));
        match state {
            Some(KindState::Live) => None,
            Some(KindState::Listing) => Some(Blind::Listing { kind }),
            Some(KindState::Stale { error, .. }) => Some(Blind::Stale { kind, error: Arc::clone(error) }),
            Some(KindState::Forbidden { error }) => Some(Blind::Forbidden { kind, error: Arc::clone(error) }),
            Some(KindState::Gone) => Some(Blind::Gone { kind }),
            None if self.missing.contains(&kind) => Some(Blind::Gone { kind }),
            None => Some(Blind::NotWatched { kind }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_as_bad_as_its_worst_place() {
        let kind = GroupKind::new("apps", "Deployment");
        let at = |place: &str| FeedId { kind: kind.clone(), place: place.into() };
        let mut states = States::default();
        assert!(states.of(&kind).is_none());
        assert!(states.set(&at("a"), KindState::Live));
        assert!(states.set(&at("b"), KindState::Listing));
        assert!(matches!(states.of(&kind), Some(KindState::Listing)));
        assert!(states.set(&at("b"), KindState::Live) && !states.set(&at("b"), KindState::Live));
        assert!(states.of(&kind).is_some_and(|state| state.is_live()));
        assert!(states.blind(&Key::new("apps", "Deployment", "a", "x")).is_none());
        let elsewhere = states.blind(&Key::new("apps", "Deployment", "c", "x"));
        assert!(matches!(elsewhere, Some(Blind::NotWatched { .. })));
    }
}
