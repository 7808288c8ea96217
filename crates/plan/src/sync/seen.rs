//! What is known of a live object, in words that all rule sets share.
//!
//! An observation counts only if it is at least as new as our own last write. Caches lag; judging the object as it was
//! before the write is how a sync goes on too early.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use towpath_object::Object;

use super::hook::{ARGO_HOOK_FINALIZER, HOOK_FINALIZER};

/// What is known of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The cache does not have it. That may be because the cache lags.
    Unseen,
    /// The server has said that it does not exist.
    Gone,
    /// It is there.
    There(Observation),
}

/// An object as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How it is.
    pub verdict: Verdict,
    /// Why, in its own words.
    pub message: String,
    /// Its uid.
    pub uid: String,
    /// Its version.
    pub resource_version: String,
    /// Its generation; 0 for kinds without.
    pub generation: i64,
    /// The generation its controller has seen, for kinds that tell.
    pub observed_generation: Option<i64>,
    /// It is being deleted.
    pub terminating: bool,
    /// A hook's finalizer holds it.
    pub held: bool,
}

/// How an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// As it should be.
    Ready,
    /// On its way.
    Progressing,
    /// It will not get there by itself.
    Failed,
    /// Paused until somebody goes on with it.
    Suspended,
    /// It cannot be told.
    Unknown,
    /// Its kind has no health.
    None,
}

impl Observation {
    /// From the live object and what was judged of it.
    pub fn new(object: &Object, verdict: Verdict, message: &str) -> Self {
        let number = |pointer| object.value().pointer(pointer).and_then(Value::as_i64);
        let finalizers = object.value().pointer("/metadata/finalizers").and_then(Value::as_array);
        Self {
            verdict,
            message: message.into(),
            uid: object.uid().into(),
            resource_version: object.resource_version().into(),
            generation: number("/metadata/generation").unwrap_or(0),
            observed_generation: number("/status/observedGeneration"),
            terminating: object.is_terminating(),
            held: finalizers
                .into_iter()
                .flatten()
                .any(|one| one == HOOK_FINALIZER || one == ARGO_HOOK_FINALIZER),
        }
    }
}

/// What the server returned for a write of ours: observations before it do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The object's uid.
    pub uid: String,
    /// Its version after the write.
    pub resource_version: String,
    /// Its generation after the write.
    pub generation: i64,
}

impl Mark {
    /// From the object that the server returned.
    pub fn new(returned: &Object) -> Self {
        let generation = returned.value().pointer("/metadata/generation").and_then(Value::as_i64);
        Self {
            uid: returned.uid().into(),
            resource_version: returned.resource_version().into(),
            generation: generation.unwrap_or(0),
        }
    }

    /// True when the observation is of this write or a later one, and the object's controller, if it tells, has seen
    /// the write too. Versions are compared as numbers where they are numbers.
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>
    pub fn is_seen_in(&self, seen: &Observation) -> bool {
        let number = |text: &str| text.parse::<u64>().ok();
        let newer = match (number(&self.resource_version), number(&seen.resource_version)) {
            (Some(written), Some(seen)) => seen >= written,
            // The executor did not say what the server returned.
            _ if self.resource_version.is_empty() => true,
            _ => {
                seen.resource_version == self.resource_version
                    || (seen.uid == self.uid && seen.generation > self.generation)
            }
        };
        let known_to_controller = seen
            .observed_generation
            .is_none_or(|generation| generation >= self.generation || seen.uid != self.uid);
        newer && known_to_controller
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(resource_version: &str, generation: i64, observed: Option<i64>) -> Observation {
        Observation {
            verdict: Verdict::Ready,
            message: String::new(),
            uid: "u".into(),
            resource_version: resource_version.into(),
            generation,
            observed_generation: observed,
            terminating: false,
            held: false,
        }
    }

    #[test]
    fn what_was_seen_before_the_write_does_not_count() {
        let mark = Mark { uid: "u".into(), resource_version: "100".into(), generation: 4 };
        assert!(!mark.is_seen_in(&seen("99", 3, None)));
        assert!(mark.is_seen_in(&seen("100", 4, None)));
        assert!(mark.is_seen_in(&seen("1000", 4, None)), "versions are numbers, not texts");
        assert!(!mark.is_seen_in(&seen("101", 4, Some(3))), "the controller has not seen it yet");
        assert!(mark.is_seen_in(&seen("102", 4, Some(4))));
    }

    #[test]
    fn without_numbers_the_generation_decides() {
        let mark = Mark { uid: "u".into(), resource_version: "x".into(), generation: 4 };
        assert!(mark.is_seen_in(&seen("x", 4, None)));
        assert!(!mark.is_seen_in(&seen("y", 4, None)));
        assert!(mark.is_seen_in(&seen("y", 5, None)));
    }
}
