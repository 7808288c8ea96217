//! How to run.

use std::path::PathBuf;
use std::time::Duration;

use towpath_cluster::Apply;
use towpath_object::Object;
use towpath_plan::sync::{Rules, wave};
use towpath_plan::{Approval, Removal};

use crate::Pick;

/// The name under which our fields are owned.
pub const MANAGER: &str = "towpath";

/// How to run a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// What becomes of objects that are no longer wanted.
    pub removal: Removal,
    /// Whether somebody consents to deletions that objects ask consent for.
    pub approval: Approval,
    /// Take objects that belong to another app.
    pub adopt: bool,
    /// Create the app's namespace when it is missing and no manifest defines it.
    pub create_namespace: bool,
    /// Delete and create again what cannot be changed in place. Objects may ask for it themselves.
    pub recreate: bool,
    /// Whose rules decide about order, hooks and health.
    pub rules: Rules,
    /// Which part of the app.
    pub pick: Pick,
    /// Check new objects against the server's own schemas before anything is written.
    pub check_schemas: bool,
    /// Where the server's schemas are kept between runs; without it they are fetched each time.
    pub schema_cache: Option<PathBuf>,
    /// How many requests are under way at once.
    pub concurrency: usize,
    /// How long to wait for what has to happen in between: definitions to be served, hooks to complete, waves to become
    /// ready, deleted objects to be gone.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            removal: Removal::Off,
            approval: Approval::Missing,
            adopt: false,
            create_namespace: false,
            recreate: false,
            rules: Rules::Towpath,
            pick: Pick::All,
            check_schemas: true,
            schema_cache: None,
            concurrency: 16,
            timeout: Duration::from_secs(300),
        }
    }
}

impl Options {
    /// True when an object is in the part that was picked.
    pub(crate) fn picks(&self, object: &Object) -> bool {
        match &self.pick {
            Pick::All | Pick::NoHooks => true,
            Pick::Part { labels, waves } => {
                labels.takes(|name| object.label(name)) && waves.has(wave(object, self.rules))
            }
            Pick::Hooks(_) => false,
        }
    }
}

/// The same as [`apply`], only asked.
pub(crate) fn dry_run() -> Apply {
    Apply { manager: MANAGER.into(), force: true, dry_run: true }
}
