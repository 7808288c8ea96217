//! The plan: every change as a value.

use serde::Serialize;
use serde_json::Value;
use towpath_object::{Key, Object, Resource};

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
    /// When it happens.
    pub stage: Stage,
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
            Op::Create => self.target.as_ref().map(|target| target.object.value()),
            _ => self.after.as_ref(),
        }
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
            keep: count(Op::Keep),
            same: count(Op::Same),
        }
    }

    /// True when the run would change nothing on the cluster.
    pub fn is_empty(&self) -> bool {
        !self.changes.iter().any(|change| matches!(change.op, Op::Create | Op::Update | Op::Delete))
    }
}
