//! What an engine keeps in mind of a unit, and how it talks to an operation under way.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use towpath_object::Key;
use towpath_plan::Applied;
use towpath_plan::sync::Stop;

use crate::ask::Asked;
use crate::overrides::UnitCustom;
use crate::resolved::Resolved;
use crate::written::Written;

/// What the engine remembers of a unit while it runs. All of it can be had again.
#[derive(Default)]
pub(crate) struct Memory {
    /// Its manifests, ready for comparing.
    pub(crate) resolved: Option<Arc<Resolved>>,
    /// Its own rules and overrides beside the settings'.
    pub(crate) custom: Option<UnitCustom>,
    /// What is known of each apply, Secrets included: that is never written down.
    pub(crate) records: BTreeMap<Key, Applied>,
    /// What the server has said of objects whose record does not prove anything.
    pub(crate) asked: BTreeMap<Key, Asked>,
    /// What it wrote and no watch has told of.
    pub(crate) written: Written,
    /// Rings when something of it changes.
    pub(crate) signal: Arc<Notify>,
    /// The operation under way.
    pub(crate) running: Option<Running>,
    /// When it will be looked at whatever happens.
    pub(crate) later: Option<Instant>,
}

/// An operation under way.
#[derive(Clone)]
pub(crate) struct Running {
    /// Tells it what people want meanwhile.
    pub(crate) orders: watch::Sender<Orders>,
    /// What it syncs to, and gives up for a newer one; empty until that is known, and where somebody chose it.
    pub(crate) revision: String,
    /// It deletes the unit.
    pub(crate) deletion: bool,
}

/// What people want of an operation under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Orders {
    /// That it stops.
    pub(crate) stop: Option<Stop>,
    /// When deletions were consented to.
    pub(crate) approved: Option<Timestamp>,
}
