//! How an engine works, changeable while it runs.

use std::time::Duration;

use towpath_cluster::cache::Filter;

use crate::overrides::Overrides;
use crate::tracking::Tracking;

/// How an engine works.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The label that names an object's unit. Every managed object carries it, unless they are tracked otherwise.
    pub instance_label: String,
    /// How an object says which unit it belongs to.
    pub tracking: Tracking,
    /// The name under which our fields are owned.
    pub manager: String,
    /// Which kinds are watched at all; nothing: those that units use.
    pub watch_all: Option<Filter>,
    /// Health, actions and ignored fields that differ from the built-in rules, by kind.
    pub overrides: Overrides,
    /// How often a unit is compared even if nothing seems to have happened.
    pub recompare: Duration,
    /// How many requests one operation has under way at once.
    pub concurrency: usize,
    /// How many deliveries a unit remembers.
    pub history: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            instance_label: "towpath.dev/unit".into(),
            tracking: Tracking::default(),
            manager: "towpath".into(),
            watch_all: None,
            overrides: Overrides::new(),
            recompare: Duration::from_secs(600),
            concurrency: 16,
            history: 10,
        }
    }
}

/// What a change of settings brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Units are compared again.
    Recompare,
    /// What is known of clusters is gathered anew.
    Rebuild,
}

impl Settings {
    /// What follows from changing to `next`.
    pub fn effect(&self, next: &Self) -> Effect {
        if self == next {
            Effect::None
        } else if self.instance_label != next.instance_label
            || self.tracking != next.tracking
            || self.manager != next.manager
            || self.watch_all != next.watch_all
        {
            Effect::Rebuild
        } else {
            Effect::Recompare
        }
    }
}
