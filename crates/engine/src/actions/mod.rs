//! Actions on the objects of units: what can be done to an object at a click, by scripts of the settings or of the unit.
//!
//! In: a unit, one of its objects or something below one, the name of an action. Out: what was created and changed. What
//! an action would do a script says; it is done with the rights of the unit's destination, and nowhere outside of what
//! the engine may manage there.

mod run;
mod site;

use towpath_cluster::Error;
use towpath_health::ScriptError;
use towpath_object::Key;

use crate::diff::UnitError;
use crate::unit::UnitId;

/// What an action has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It created this object.
    Created(Key),
    /// It changed this object.
    Changed(Key),
    /// It had nothing to change in this object.
    Unchanged(Key),
}

/// Why an action was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The unit.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The object is not there.
    #[error("there is no {0}")]
    NoObject(Key),
    /// The object is somebody else's.
    #[error("{key} is not an object of the unit {unit}")]
    NotOfUnit {
        /// The object.
        key: Key,
        /// The unit.
        unit: UnitId,
    },
    /// No script has it.
    #[error("{key} has no action {name}")]
    NoAction {
        /// The object.
        key: Key,
        /// What was asked for.
        name: String,
    },
    /// It has the action, but not now.
    #[error("the action {name} of {key} cannot be carried out now")]
    Disabled {
        /// The object.
        key: Key,
        /// The action.
        name: String,
    },
    /// The script failed.
    #[error("the action {name} of {key}: {source}")]
    Script {
        /// The object.
        key: Box<Key>,
        /// The action; empty for the script that names them.
        name: String,
        /// What happened.
        source: ScriptError,
    },
    /// The script returned something that may not be written.
    #[error("the action {name} must not write {key}: {why}")]
    Outside {
        /// What it returned.
        key: Box<Key>,
        /// The action.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// The server refused, after this was done already.
    #[error("{source}{}", told(.done))]
    Refused {
        /// What was done before.
        done: Vec<Done>,
        /// What the server said.
        source: Error,
    },
}

fn told(done: &[Done]) -> String {
    if done.is_empty() { String::new() } else { format!(" (after {} other writes)", done.len()) }
}
