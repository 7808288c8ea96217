//! An object to its health.
//!
//! In: an [`Object`] as the server shows it, with its status. Out: a [`Health`]: what state it is in and, in
//! a few words, why. Pure: no network, and no clock either, the caller says what time it is.
//!
//! The rules are those of kstatus, Flux's library: the conditions `Reconciling` and `Stalled` and the observed
//! generation are asked first, then the rule of a built-in kind, then the condition `Ready`; an object that
//! says nothing of itself is current.
//!
//! ```
//! use towpath_health::{Status, assess};
//! use towpath_object::Object;
//!
//! let claim = Object::new(serde_json::json!({
//!     "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
//!     "status": {"phase": "Pending"},
//! }))?;
//! let health = assess(&claim);
//! assert_eq!(health.status, Status::InProgress);
//! assert_eq!(health.message, "claim is Pending, not Bound");
//! # Ok::<(), towpath_object::Invalid>(())
//! ```

mod kstatus;

use std::fmt;

use jiff::Timestamp;
use towpath_object::Object;

/// What state an object is in, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Health {
    /// The state.
    pub status: Status,
    /// A few words for people; never parsed.
    pub message: String,
}

/// The states that kstatus knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// What was asked for is what there is.
    Current,
    /// On the way to it.
    InProgress,
    /// Will not get there by itself.
    Failed,
    /// The server has been asked to delete it.
    Terminating,
    /// It is not on the server. No object is ever judged so; callers say it of what they cannot find.
    NotFound,
    /// Its status cannot be read: a field is of a type that its kind does not allow.
    Unknown,
}

/// The word that kstatus uses: `Current`, `InProgress` and so on.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Current => "Current",
            Self::InProgress => "InProgress",
            Self::Failed => "Failed",
            Self::Terminating => "Terminating",
            Self::NotFound => "NotFound",
            Self::Unknown => "Unknown",
        })
    }
}

impl Health {
    fn new(status: Status, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }

    fn current(message: impl Into<String>) -> Self {
        Self::new(Status::Current, message)
    }

    fn in_progress(message: impl Into<String>) -> Self {
        Self::new(Status::InProgress, message)
    }

    fn failed(message: impl Into<String>) -> Self {
        Self::new(Status::Failed, message)
    }

    /// The health of something that the server does not have.
    pub fn not_found() -> Self {
        Self::new(Status::NotFound, "not found")
    }
}

/// The health of `object`, with patience: a pod that cannot be scheduled stays in progress, as a node may
/// still come. Everything else is judged as by [`assess_at`].
pub fn assess(object: &Object) -> Health {
    kstatus::assess(object, None)
}

/// The health of `object` at the time `now`: a pod that cannot be scheduled has failed when it is older than
/// fifteen seconds. That is the only rule that time alone can change, so a watcher need not ask again for any
/// object but an unscheduled pod.
pub fn assess_at(object: &Object, now: Timestamp) -> Health {
    kstatus::assess(object, Some(now))
}
