//! What a cache watches, and how.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use towpath_object::{Gvk, Key};

use super::filter::Filter;

/// How a cache works. The defaults watch what is asked for in the whole cluster.
#[derive(Clone)]
pub struct CacheSettings {
    /// Which kinds.
    pub mode: Mode,
    /// In which namespaces.
    pub scope: Scope,
    /// What to make of kinds that we may not read.
    pub rbac: Rbac,
    /// The labels that name an object's unit: the unit is their values joined by `/`, and an object without one of
    /// them belongs to none. Without any label no object is managed.
    pub unit_labels: Vec<String>,
    /// The unit that an object names in another way, which counts before its labels. Every object is then read whole.
    pub unit_of: Option<UnitOf>,
    /// The digest of what our manager owns of an object, taken while its managed fields are still there.
    pub owned: OwnedDigest,
    /// How many objects are listed at a time, where the server does not stream lists.
    pub page: usize,
    /// How many kinds are listed at the same time.
    pub parallel_lists: usize,
    /// Changes of one object within this time are told as one.
    pub batch: Duration,
    /// How many events a subscriber may be behind.
    pub backlog: usize,
    /// How long changes of definitions are gathered before the server is asked what it serves.
    pub debounce: Duration,
    /// A watch that says nothing for so long is opened anew; the server says something every minute or so.
    pub idle: Duration,
    /// The longest pause between two attempts at a kind that fails.
    pub longest_pause: Duration,
    /// How often a kind that we may not read is tried again.
    pub forbidden_pause: Duration,
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self {
            mode: Mode::Used,
            scope: Scope::Cluster,
            rbac: Rbac::Off,
            unit_labels: Vec::new(),
            unit_of: None,
            owned: Arc::new(|_| None),
            page: 500,
            parallel_lists: 16,
            batch: Duration::from_millis(10),
            backlog: 4096,
            debounce: Duration::from_secs(1),
            idle: Duration::from_secs(150),
            longest_pause: Duration::from_secs(20),
            forbidden_pause: Duration::from_secs(120),
        }
    }
}

/// From an object, with its key because metadata alone do not name their kind, to its unit.
pub type UnitOf = Arc<dyn Fn(&Key, &Value) -> Option<String> + Send + Sync>;

/// From an object as the server returned it to the digest of what is ours in it.
pub type OwnedDigest = Arc<dyn Fn(&Value) -> Option<String> + Send + Sync>;

/// Which kinds a cache watches. CustomResourceDefinitions and APIServices always are, where we may.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    /// Those asked for with [`Cache::want`](super::Cache::want).
    #[default]
    Used,
    /// All that can be listed and watched and pass the filter, each in the version that the server prefers.
    All(Filter),
}

/// In which namespaces a cache watches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// In all, and what is in none.
    #[default]
    Cluster,
    /// Only in some.
    Namespaces {
        /// These.
        names: BTreeSet<String>,
        /// Cluster-scoped kinds as well.
        cluster_kinds: bool,
    },
}

impl Scope {
    /// Whether an object in this namespace (empty: cluster-scoped) can be seen.
    pub fn covers(&self, namespace: &str) -> bool {
        match self {
            Self::Cluster => true,
            Self::Namespaces { cluster_kinds, .. } if namespace.is_empty() => *cluster_kinds,
            Self::Namespaces { names, .. } => names.contains(namespace),
        }
    }

    /// The namespaces in which a kind is watched, each by itself; an empty one is all at once.
    pub(super) fn places(&self, namespaced: bool) -> Vec<String> {
        match self {
            Self::Namespaces { names, .. } if namespaced => names.iter().cloned().collect(),
            Self::Cluster | Self::Namespaces { cluster_kinds: true, .. } => vec![String::new()],
            Self::Namespaces { .. } => Vec::new(),
        }
    }
}

/// What a 403 means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rbac {
    /// A fault like any other: the kind is stale.
    #[default]
    Off,
    /// That the kind is not ours to see.
    Normal,
    /// The same, if the server also says so when asked whether we may list it; else a fault.
    Strict,
}

/// A kind in whatever version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKind {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

impl GroupKind {
    /// From its two parts.
    pub fn new(group: &str, kind: &str) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }

    pub(super) fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }
}

impl From<&Gvk> for GroupKind {
    fn from(gvk: &Gvk) -> Self {
        Self::new(&gvk.group, &gvk.kind)
    }
}

impl From<&Key> for GroupKind {
    fn from(key: &Key) -> Self {
        Self::new(&key.group, &key.kind)
    }
}

/// `Deployment.apps`, or `Service` for the core group.
impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.kind)
        } else {
            write!(f, "{}.{}", self.kind, self.group)
        }
    }
}

/// A kind to be watched, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The kind.
    pub kind: GroupKind,
    /// Only objects with these labels: `app=shop`; empty for all.
    pub labels: String,
    /// True where metadata is enough: no object of the kind is then kept whole.
    pub metadata_only: bool,
}

impl Wanted {
    /// All of a kind.
    pub fn all(kind: impl Into<GroupKind>) -> Self {
        Self { kind: kind.into(), labels: String::new(), metadata_only: false }
    }

    /// Only those with these labels.
    #[must_use]
    pub fn labelled(self, labels: &str) -> Self {
        Self { labels: labels.into(), ..self }
    }

    /// Only their metadata.
    #[must_use]
    pub fn metadata(self) -> Self {
        Self { metadata_only: true, ..self }
    }

    /// What serves both wishes for one kind: two different selections make all of it.
    pub(super) fn widened(&self, other: &Self) -> Self {
        let labels = if self.labels == other.labels { self.labels.clone() } else { String::new() };
        let metadata_only = self.metadata_only && other.metadata_only;
        Self { kind: self.kind.clone(), labels, metadata_only }
    }
}
