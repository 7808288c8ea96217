//! How to run.

use std::path::PathBuf;
use std::time::Duration;

use towpath_cluster::Apply;
use towpath_plan::Removal;

/// The name under which our fields are owned.
pub const MANAGER: &str = "towpath";

/// How to run a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// What becomes of objects that are no longer wanted.
    pub removal: Removal,
    /// Take objects that belong to another app.
    pub adopt: bool,
    /// Create the app's namespace when it is missing and no manifest defines it.
    pub create_namespace: bool,
    /// Check new objects against the server's own schemas before anything is written.
    pub check_schemas: bool,
    /// Where the server's schemas are kept between runs; without it they are fetched each time.
    pub schema_cache: Option<PathBuf>,
    /// How many requests are under way at once.
    pub concurrency: usize,
    /// How long to wait for what has to happen in between: definitions to be served, deleted objects to be gone.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            removal: Removal::Off,
            adopt: false,
            create_namespace: false,
            check_schemas: true,
            schema_cache: None,
            concurrency: 32,
            timeout: Duration::from_secs(300),
        }
    }
}

/// Forced: desired state wins over whoever else changed these fields. The plan shows it before it happens.
pub(crate) fn apply() -> Apply {
    Apply { manager: MANAGER.into(), force: true, dry_run: false }
}

/// The same, only asked.
pub(crate) fn dry_run() -> Apply {
    Apply { dry_run: true, ..apply() }
}
