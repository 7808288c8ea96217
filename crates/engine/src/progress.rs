//! What a run tells while it goes on.

use towpath_health::Health;
use towpath_object::Key;
use towpath_plan::{Op, Stage};

/// Something happened.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// A stage begins, with so many changes.
    Stage {
        /// The stage.
        stage: Stage,
        /// How many objects change in it.
        changes: usize,
    },
    /// An object was changed.
    Changed {
        /// The object.
        key: &'a Key,
        /// What happened to it.
        op: Op,
    },
    /// An object could not be changed.
    Failed {
        /// The object.
        key: &'a Key,
        /// Why.
        message: &'a str,
    },
    /// The server wants the person to know something.
    Warning {
        /// The object.
        key: &'a Key,
        /// What it says.
        message: &'a str,
    },
    /// Something has to become true before the run goes on.
    Waiting {
        /// What.
        what: &'a str,
    },
    /// An object is on its way out and is waited for.
    Leaving {
        /// The object.
        key: &'a Key,
    },
    /// An object's health changed while it is waited for.
    Health {
        /// The object.
        key: &'a Key,
        /// Its health now.
        health: &'a Health,
        /// How many are still awaited.
        pending: usize,
    },
}
