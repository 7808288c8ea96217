//! A unit: something to keep in sync. What a person wants of it, what the engine says of it, and what is asked of it
//! now, all plain data that a store can keep.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use towpath_merge::ignore::Rule;
use towpath_plan::sync::policy::{Preemption, RetryPolicy};
use towpath_plan::sync::{NamespaceMetadata, Progress, Rules, Selection, SyncOptions};

use crate::overrides::{BadOverride, Custom, Overrides};

/// The name of a unit: unique in its store, and fit for a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitId(pub String);

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClusterId(pub String);

impl fmt::Display for ClusterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something to keep in sync.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Its name.
    pub id: UnitId,
    /// Counts the changes to source, destination and policy.
    #[serde(default)]
    pub generation: u64,
    /// Where its manifests come from. Only the manifest source understands it.
    pub source: Value,
    /// Where they go.
    pub destination: Destination,
    /// How.
    #[serde(default)]
    pub policy: Policy,
    /// Units that have to be in sync and ready first.
    #[serde(default)]
    pub depends_on: Vec<UnitId>,
    /// It is to go with everything it has.
    #[serde(default)]
    pub deleting: bool,
    /// What the engine says of it.
    #[serde(default)]
    pub status: Status,
    /// What is asked of it now.
    #[serde(default)]
    pub operation: Option<Operation>,
}

/// Where a unit goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// The cluster.
    pub cluster: ClusterId,
    /// The namespace of objects that name none.
    pub namespace: String,
}

/// How a unit is kept in sync.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// Whose rules decide about order, health and failure.
    pub rules: Rules,
    /// What the engine does without being asked.
    pub automated: Option<Automated>,
    /// The options of its syncs.
    pub options: SyncOptions,
    /// How often and how soon a failed sync is tried again. Syncs that nobody asked for have five more attempts if
    /// nothing is said.
    #[serde(default)]
    pub retry: Option<RetryPolicy>,
    /// What becomes of a sync under way when there is a newer revision.
    #[serde(default)]
    pub preemption: Preemption,
    /// Labels and annotations of the unit's namespace, where the options create it.
    #[serde(default)]
    pub namespace_metadata: Option<NamespaceMetadata>,
    /// When somebody consented to deletions that need it. It counts for operations that began before it.
    #[serde(default)]
    pub deletions_approved: Option<Timestamp>,
    /// How its objects are compared.
    #[serde(default)]
    pub compare: Compare,
    /// Fields that are left alone, beside those of the settings. They do not count for the comparison, and are applied as
    /// they are live; by Argo CD's rules the latter needs `RespectIgnoreDifferences=true`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<Rule>,
    /// Overrides for its objects, by kind: they count before those of the settings.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

impl Policy {
    /// Whether its rules and overrides can be used; or what is wrong with them, and where.
    pub fn check(&self) -> Result<(), BadOverride> {
        Custom::default().and_unit(&Overrides::new(), &self.overrides, &self.ignore).map(|_| ())
    }

    /// Whether ignore rules govern what is applied, too: by our rules always, by Argo CD's on request.
    pub(crate) fn respects_ignored(&self, options: &SyncOptions) -> bool {
        self.rules != Rules::Argo || options.respect_ignore_rules
    }
}

/// How a unit's objects are compared. Single objects may ask for more by Argo CD's annotation for compare options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compare {
    /// The server is asked about every object, also where the record of its last apply proves that it is as wanted, and
    /// again at each refresh: what admission would refuse today is seen before the next sync.
    pub exact: bool,
    /// What admission changes counts, also where the manifests do not name it.
    pub include_webhooks: bool,
    /// Fields that people added by hand count.
    pub strict: bool,
}

/// What the engine does without being asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Automated {
    /// Delete what is no longer wanted.
    pub prune: bool,
    /// Put right what others changed.
    pub self_heal: bool,
    /// Accept a revision without any object.
    pub allow_empty: bool,
}

/// A request: sync now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// To this revision; otherwise to the newest.
    pub revision: Option<String>,
    /// Options that are different this time.
    pub options: Option<SyncOptions>,
    /// Who asks.
    pub initiator: String,
    /// Stop what is under way.
    pub terminate: bool,
    /// Only these objects.
    #[serde(default)]
    pub selection: Selection,
}

/// What the engine says of a unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The generation that was looked at.
    pub observed_generation: u64,
    /// The newest revision of its manifests that was seen.
    pub revision: String,
    /// Whether the cluster holds them.
    pub sync: SyncState,
    /// How its objects are.
    pub health: UnitHealth,
    /// Why it is as it is, in a sentence.
    pub message: String,
    /// The objects it has, as the inventory writes them: kept before they are applied.
    pub inventory: String,
    /// The operation under way, or the last one.
    pub operation: Option<OperationState>,
    /// Successful syncs, the newest last.
    pub history: Vec<Delivery>,
}

/// Whether a cluster holds a unit's manifests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyncState {
    /// It cannot be told.
    #[default]
    Unknown,
    /// It does.
    Synced,
    /// It does not.
    OutOfSync,
}

/// How a unit's objects are, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitHealth {
    /// It cannot be told.
    #[default]
    Unknown,
    /// All are as they should be.
    Healthy,
    /// Some are paused.
    Suspended,
    /// Some are on their way.
    Progressing,
    /// None is there.
    Missing,
    /// Some will not get there by themselves.
    Degraded,
}

/// How an operation goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// It goes on.
    #[default]
    Running,
    /// It is being stopped.
    Terminating,
    /// It did what it should.
    Succeeded,
    /// The cluster or a hook said no.
    Failed,
    /// We could not do our part.
    Error,
}

impl Phase {
    /// True when nothing more will happen.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Error)
    }
}

/// An operation and how it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationState {
    /// What was asked.
    pub operation: Operation,
    /// How it goes.
    pub phase: Phase,
    /// Why, in a sentence.
    pub message: String,
    /// The revision it is pinned to.
    pub revision: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Option<Timestamp>,
    /// How many times it has been tried again.
    pub retries: u32,
    /// How many repairs in a row it is, if it is one; or how many deletions have failed before it.
    #[serde(default)]
    pub repairs: u32,
    /// It deletes the unit.
    #[serde(default)]
    pub deletion: bool,
    /// The digest of the source it was made from.
    #[serde(default)]
    pub source: String,
    /// What was done so far: enough to go on after a crash.
    #[serde(default)]
    pub progress: Progress,
}

/// A successful sync.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Counts up.
    pub id: u64,
    /// What was delivered.
    pub revision: String,
    /// From where.
    pub source: Value,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// Who asked.
    pub initiator: String,
}
