//! What somebody wants, and where they wrote it.

use std::fmt;
use std::sync::Arc;

use towpath_object::Object;

/// Where a manifest was written: for every message about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file, as the person named it.
    pub file: Arc<str>,
    /// The line on which the object begins, from 1.
    pub line: u32,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A wanted object.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The object as written.
    pub object: Object,
    /// Where it was written.
    pub origin: Origin,
}
