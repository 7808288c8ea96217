//! What somebody wants, and where they wrote it.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use towpath_object::{Invalid, Object};

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

impl Manifest {
    /// Checks and takes an object as it was written. While a name has yet to be given, its prefix stands for it: hooks are
    /// given one when they run.
    pub fn new(mut value: Value, origin: Origin) -> Result<Self, Invalid> {
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut)
            && !metadata.contains_key("name")
            && let Some(prefix) = metadata.get("generateName").filter(|prefix| prefix.is_string()).cloned()
        {
            metadata.insert("name".into(), prefix);
        }
        Ok(Self { object: Object::new(value)?, origin })
    }
}
