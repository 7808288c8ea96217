//! What came of a run.

use towpath_object::Key;
use towpath_plan::sync::Phase;
use towpath_plan::{Op, Origin};

use crate::{Awaited, ObjectFailure};

/// What came of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was changed or run, in the order in which it happened.
    pub changed: Vec<(Key, Op)>,
    /// What the server did not take, or what was waited for too long.
    pub failures: Vec<ObjectFailure>,
    /// What was applied and turned out badly: hooks, and objects that others had to wait for.
    pub broken: Vec<Broken>,
    /// What was not tried because something before it failed.
    pub untried: Vec<Key>,
    /// What the server was asked to delete and still holds.
    pub leaving: Vec<Key>,
    /// What is not ready yet.
    pub awaited: Vec<Awaited>,
}

/// Something that was applied and turned out badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The object.
    pub key: Key,
    /// In which phase.
    pub phase: Phase,
    /// It is a hook.
    pub hook: bool,
    /// Where it was written.
    pub origin: Option<Origin>,
    /// Why, in its own words.
    pub message: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        if self.hook {
            write!(f, "the {} hook ", self.phase)?;
        }
        write!(f, "{} failed: {}", self.key, self.message)
    }
}

impl Outcome {
    /// True when everything that was planned has been done.
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty()
            && self.broken.is_empty()
            && self.untried.is_empty()
            && self.leaving.is_empty()
    }
}
