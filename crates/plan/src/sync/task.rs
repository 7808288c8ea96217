//! Tasks: what a sync does to one object in one phase.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use towpath_object::{Key, Object, Resource};

use super::{DeletePolicy, ObjectOptions, Rules, SyncOptions, Warning};
use crate::Origin;

/// A part of an operation. Phases run in this order; SyncFail only when another has failed. The last three make up
/// the deletion of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Hooks before anything is applied.
    PreSync,
    /// The objects themselves, and hooks among them.
    Sync,
    /// Hooks after everything is ready.
    PostSync,
    /// Hooks after a failure.
    SyncFail,
    /// Hooks before the unit is deleted.
    PreDelete,
    /// The unit's objects go.
    Delete,
    /// Hooks after the unit's objects have gone.
    PostDelete,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PreSync => "PreSync",
            Self::Sync => "Sync",
            Self::PostSync => "PostSync",
            Self::SyncFail => "SyncFail",
            Self::PreDelete => "PreDelete",
            Self::Delete => "Delete",
            Self::PostDelete => "PostDelete",
        })
    }
}

/// What identifies a task within an operation: results are remembered by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId {
    /// The object.
    pub key: Key,
    /// The phase: a hook may run in several.
    pub phase: Phase,
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.key, self.phase)
    }
}

/// What is done to one object in one phase. Either side may be missing, not both: without a target the live object
/// is deleted, without a live object the target is created.
#[derive(Clone, Debug)]
pub struct Task {
    /// The object and the phase.
    pub id: TaskId,
    /// The wave within the phase, after mirroring and bubbling.
    pub wave: i64,
    /// The stage within the wave; always 0 under the rules of Argo CD.
    pub stage: u8,
    /// What is applied.
    pub target: Option<Object>,
    /// What was live when the schedule was made.
    pub live: Option<Object>,
    /// Where the target was written.
    pub origin: Option<Origin>,
    /// How the server serves the kind; nothing when it is not known yet.
    pub resource: Option<Resource>,
    /// When it is deleted, if it is a hook.
    pub hook: Option<BTreeSet<DeletePolicy>>,
    /// The options on the target.
    pub wanted: ObjectOptions,
    /// The options on the live object.
    pub found: ObjectOptions,
    /// It cannot be checked before the operation begins: its kind comes with the operation.
    pub skip_check: bool,
    /// Nothing would change, and `ApplyOutOfSyncOnly` is on.
    pub unchanged: bool,
    /// It creates the unit's own namespace, which happens before everything else.
    pub creates_namespace: bool,
}

impl Task {
    /// True when the live object is deleted.
    pub fn is_prune(&self) -> bool {
        self.target.is_none()
    }

    /// True for hooks.
    pub fn is_hook(&self) -> bool {
        self.hook.is_some()
    }

    /// True when it is a hook with that policy.
    pub fn has_policy(&self, policy: DeletePolicy) -> bool {
        self.hook.as_ref().is_some_and(|policies| policies.contains(&policy))
    }

    /// The barrier it belongs to: everything of one is started before the next begins.
    pub fn slot(&self) -> Slot {
        Slot { phase: self.id.phase, wave: self.wave, stage: self.stage }
    }
}

/// A barrier: a phase, a wave in it, and under `kstatus` a stage in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// The phase.
    pub phase: Phase,
    /// The wave.
    pub wave: i64,
    /// The stage.
    pub stage: u8,
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} wave {}", self.phase, self.wave)
    }
}

/// The sorted tasks of an operation, and what applies to all of them. A value: it can be printed, edited by a gate,
/// and made again after a crash from the same request.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Whose rules.
    pub rules: Rules,
    /// The options of the operation.
    pub options: SyncOptions,
    /// When the operation began.
    pub started: Timestamp,
    /// The tasks in order.
    pub tasks: Vec<Task>,
    /// What people should know before it runs.
    pub warnings: Vec<Warning>,
}

impl Schedule {
    /// True when there is more than one phase or wave: then health decides when the next begins.
    pub fn is_multi_step(&self) -> bool {
        let step = |task: &Task| (task.id.phase, task.wave);
        match (self.tasks.first(), self.tasks.last()) {
            (Some(first), Some(last)) => step(first) != step(last),
            _ => false,
        }
    }

    /// The tasks by their ids, for whoever carries out actions.
    pub fn by_id(&self) -> BTreeMap<&TaskId, &Task> {
        self.tasks.iter().map(|task| (&task.id, task)).collect()
    }
}
