//! What keeps an operation from beginning, and what people should know of it.

use std::fmt;

use towpath_object::Key;

use crate::Origin;

/// Why an operation cannot begin. All of them are told at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the object was written.
    pub origin: Option<Origin>,
    /// The object.
    pub key: Option<Key>,
    /// What is wrong.
    pub trouble: Trouble,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The server serves no such kind and nothing wanted defines it.
    #[error(
        "the cluster has no kind {kind} in {api_version}; add its CustomResourceDefinition, or the sync option SkipDryRunOnMissingResource=true"
    )]
    UnknownKind {
        /// The version asked for.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// It is not known whether the server serves the kind.
    #[error("the API group {group:?} could not be discovered: {reason}")]
    Undiscovered {
        /// The group.
        group: String,
        /// Why.
        reason: String,
    },
    /// The caller refused it.
    #[error("not permitted: {reason}")]
    NotPermitted {
        /// Why.
        reason: String,
    },
    /// It belongs to another unit, and that was declared an error.
    #[error("it belongs to {owner} as well, and FailOnSharedResource is on")]
    Shared {
        /// The other unit.
        owner: String,
    },
    /// It is wanted twice.
    #[error("it is wanted twice{}; an object may be in one place only", before(first.as_ref()))]
    Repeated {
        /// Where it was written first.
        first: Option<Origin>,
    },
    /// The server would not take so large an object.
    #[error("{what} is {size} bytes; Kubernetes takes at most {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
    /// Only hooks are given a name.
    #[error("it has a generateName; only hooks are given a name, a plain object needs one of its own")]
    Unnamed,
    /// Everything would go.
    #[error(
        "nothing is wanted, so pruning would delete all {count} objects; allow empty units if that is meant"
    )]
    WouldEmpty {
        /// How many objects there are.
        count: usize,
    },
}

fn before(first: Option<&Origin>) -> String {
    first.map(|first| format!(", first at {first}")).unwrap_or_default()
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        self.trouble.fmt(f)
    }
}

impl std::error::Error for Problem {}

/// What people should know although the operation can begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// It is wanted twice; the last one counts, as with Argo CD.
    #[error("{0} is wanted more than once; the last one counts")]
    Repeated(Key),
    /// It belongs to another unit as well.
    #[error("{0} belongs to {1} as well")]
    Shared(Key, String),
    /// It says that it is a hook, but of no phase that we know.
    #[error("{0} is a hook of no known phase and is left out")]
    IgnoredHook(Key),
}
