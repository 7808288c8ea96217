//! What the executor is asked to do, and what it answers.

use towpath_object::Key;

use super::options::Propagation;
use super::seen::Mark;
use super::{Rules, SyncOptions, Task, TaskId};

/// Something to be done on the cluster. The actions of one step may run side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Find out whether the server would take it, without writing.
    Check {
        /// The task.
        task: TaskId,
        /// How it would be written.
        how: How,
    },
    /// Write the target.
    Apply {
        /// The task.
        task: TaskId,
        /// How.
        how: How,
    },
    /// Delete the live object.
    Prune {
        /// The task.
        task: TaskId,
        /// The object that is meant: another of the same name stays.
        uid: String,
        /// What becomes of its dependants.
        propagation: Propagation,
    },
    /// Take the hook's finalizer off.
    ReleaseHook {
        /// The task.
        task: TaskId,
        /// The object that is meant; empty when not known.
        uid: String,
    },
    /// Delete the hook.
    DeleteHook {
        /// The task.
        task: TaskId,
        /// The object that is meant; empty when not known.
        uid: String,
    },
    /// Ask the server itself whether the object is there.
    Look {
        /// The task.
        task: TaskId,
    },
}

impl Action {
    /// The task it belongs to.
    pub fn task(&self) -> &TaskId {
        match self {
            Self::Check { task, .. }
            | Self::Apply { task, .. }
            | Self::Prune { task, .. }
            | Self::ReleaseHook { task, .. }
            | Self::DeleteHook { task, .. }
            | Self::Look { task } => task,
        }
    }
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is done; for a look: it is there.
    Done,
    /// It was applied; what the server returned.
    Applied(Mark),
    /// There is no such object.
    NotFound,
    /// It was not deleted, and why: that is no failure.
    Kept(String),
    /// The server, or we, could not do it, and why.
    Refused(String),
}

/// How a target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// The request.
    pub method: Method,
    /// When the object is deleted and created again.
    pub recreate: Recreate,
    /// Fields that the schema does not know are refused.
    pub validate: bool,
    /// Take over the fields of kubectl's client-side apply first.
    pub migrate: bool,
}

/// The request that writes a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Server-side apply, forced.
    ServerSide,
    /// The object asks for client-side apply. Whoever carries it out may let the server keep the books.
    ClientSide,
    /// A PUT over the live object.
    Replace,
    /// A POST.
    Create,
}

/// When an object is deleted and created again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recreate {
    /// Never.
    Never,
    /// When the server refuses to change it in place.
    IfRefused,
    /// In any case.
    Always,
}

impl How {
    /// By the options of the operation, of the target and of the live object. Replace wins over server-side apply;
    /// definitions and namespaces are never deleted in order to change them.
    pub fn new(task: &Task, options: &SyncOptions, exists: bool, rules: Rules) -> Self {
        let replace = options.replace || task.wanted.replace || task.found.replace;
        let force = options.force || task.wanted.force || task.found.force;
        let server_side = task.wanted.server_side.unwrap_or(options.server_side || rules.have_stages());
        let method = match (replace, exists, server_side) {
            (true, true, _) => Method::Replace,
            (true, false, _) => Method::Create,
            (false, _, true) => Method::ServerSide,
            (false, _, false) => Method::ClientSide,
        };
        let recreate = match (Self::may_recreate(&task.id.key, force), method) {
            (false, _) | (true, Method::Create) => Recreate::Never,
            (true, Method::Replace) => Recreate::Always,
            (true, Method::ServerSide | Method::ClientSide) => Recreate::IfRefused,
        };
        let validate = options.validate && !task.wanted.no_validation;
        let applies = matches!(method, Method::ServerSide | Method::ClientSide);
        Self { method, recreate, validate, migrate: options.migrate && applies }
    }

    /// Whether an object may be deleted in order to change it, where that is asked for by force.
    pub fn may_recreate(key: &Key, force: bool) -> bool {
        let holds_others = matches!(
            (key.group.as_str(), key.kind.as_str()),
            ("apiextensions.k8s.io", "CustomResourceDefinition") | ("", "Namespace")
        );
        force && !holds_others
    }
}
