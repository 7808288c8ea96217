//! The plan: every change as a value.

use serde::Serialize;
use serde_json::Value;
use towpath_object::{Key, Object, Resource};

use crate::sync::{Phase, TaskId};
use crate::{Applied, Origin, Stage, Target};

/// What happens to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// It is new.
    Create,
    /// It exists and will change.
    Update,
    /// It exists and will go.
    Delete,
    /// It is a hook and will run.
    Run,
    /// It is no longer wanted and stays.
    Keep,
    /// It is as wanted.
    Same,
}

/// What becomes of one object, and why.
#[derive(Clone, Debug)]
pub struct Change {
    /// The object.
    pub key: Key,
    /// How the server serves its kind.
    pub resource: Resource,
    /// What happens to it.
    pub op: Op,
    /// When it happens: the phase,
    pub phase: Phase,
    /// the wave in it,
    pub wave: i64,
    /// and the stage of its kind.
    pub stage: Stage,
    /// It is a hook.
    pub hook: bool,
    /// As it is now.
    pub live: Option<Object>,
    /// As the server says it would be after an update.
    pub after: Option<Value>,
    /// What is applied; nothing for deletions.
    pub target: Option<Target>,
    /// What was known of the last apply.
    pub applied: Applied,
    /// Why it is kept.
    pub note: Option<&'static str>,
}

impl Change {
    /// As it would be: what the server says of an update, the manifest of a new object, nothing of the others.
    pub fn outcome(&self) -> Option<&Value> {
        match self.op {
            Op::Create | Op::Run => self.target.as_ref().map(|target| target.object.value()),
            _ => self.after.as_ref(),
        }
    }

    /// The task that carries it out.
    pub fn task(&self) -> TaskId {
        TaskId { key: self.key.clone(), phase: self.phase }
    }

    /// True when something is done to the object.
    pub fn is_effective(&self) -> bool {
        matches!(self.op, Op::Create | Op::Update | Op::Delete | Op::Run)
    }

    /// Where it was written.
    pub fn origin(&self) -> Option<&Origin> {
        self.target.as_ref().map(|target| &target.origin)
    }
}

/// Everything that a run will do, in order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Wanted objects in the order of application, then those no longer wanted in the order of deletion.
    pub changes: Vec<Change>,
}

/// How many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// New objects.
    pub create: usize,
    /// Objects that change.
    pub update: usize,
    /// Objects that go.
    pub delete: usize,
    /// Hooks that run.
    #[serde(skip_serializing_if = "is_none")]
    pub run: usize,
    /// Objects that are no longer wanted and stay.
    pub keep: usize,
    /// Objects that are as wanted.
    pub same: usize,
}

impl Plan {
    /// How many of each operation.
    pub fn summary(&self) -> Summary {
        let count = |op: Op| self.changes.iter().filter(|change| change.op == op).count();
        Summary {
            create: count(Op::Create),
            update: count(Op::Update),
            delete: count(Op::Delete),
            run: count(Op::Run),
            keep: count(Op::Keep),
            same: count(Op::Same),
        }
    }

    /// True when the run would change nothing on the cluster.
    pub fn is_empty(&self) -> bool {
        !self.changes.iter().any(Change::is_effective)
    }

    /// True when phases or waves say more than the order of kinds.
    pub fn has_waves(&self) -> bool {
        self.changes.iter().any(|change| change.hook || change.wave != 0)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}
