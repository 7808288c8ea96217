//! Scripts in Lua, compatible with those that people wrote for Argo CD.
//!
//! In: a script's text, once, and an object for each run. Out: what the script returned. A script sees the
//! object as `obj` and the parameters of an action as `actionParams`. It is Lua 5.4 with what Argo CD's
//! interpreter has beside: `table.getn`, `unpack`, `math.pow`, and `os` with only `time` and `date`, also by
//! `require("os")`. There are no files, processes, modules, coroutines or compilers.
//!
//! A run has its own interpreter and limits of memory, instructions and time; see [`sandbox`].
//!
//! One difference from Lua 5.1 remains: a quotient such as `6 / 2` joined to a text reads `3.0`, not `3`.
//! `tostring`, `string.format` and results do not show it.

mod clock;
mod pattern;
mod sandbox;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use towpath_object::Object;

use crate::argo::{Health, Status};

/// A compiled script. Cheap to clone, and may be run by many threads at once.
#[derive(Clone)]
pub struct Script {
    code: Arc<[u8]>,
}

/// Why a script gives no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It is not Lua.
    #[error("{0}")]
    Syntax(String),
    /// It ended with an error, of its own or of the interpreter.
    #[error("{0}")]
    Failed(String),
    /// It was stopped.
    #[error("the script takes too long")]
    TooLong,
    /// It wanted more memory than a run may have.
    #[error("the script takes too much memory")]
    TooMuchMemory,
    /// It returned more than an object may be.
    #[error("the script returns too much")]
    TooLarge,
    /// It returned something else.
    #[error("the script must return {expected}, not {found}")]
    Returned {
        /// What it should have returned.
        expected: &'static str,
        /// What it did return.
        found: String,
    },
    /// It returned something that has no form in JSON.
    #[error("the script returns {0}, which cannot be JSON")]
    NotJson(&'static str),
}

/// What a script returned.
#[derive(Debug)]
pub(crate) enum Returned {
    /// Nothing, or nil.
    Nothing,
    /// A table.
    Table(Value),
    /// Something else; its type's name.
    Other(&'static str),
}

impl Returned {
    /// The error that it is not that.
    pub(crate) fn is_not(&self, expected: &'static str) -> ScriptError {
        let found = match self {
            Self::Nothing => "nothing",
            Self::Table(Value::Object(_)) => "a table with other contents",
            Self::Table(_) => "a list",
            Self::Other(name) => name,
        };
        ScriptError::Returned { expected, found: found.to_owned() }
    }
}

impl Script {
    /// Compiles `text`.
    pub fn new(text: &str) -> Result<Self, ScriptError> {
        Ok(Self { code: sandbox::compile(text, "=script")? })
    }

    /// The health of `object` by this script; `None` where it says that there is none.
    pub fn health(&self, object: &Object, now: Timestamp) -> Result<Option<Health>, ScriptError> {
        match self.run(object, &BTreeMap::new(), now)? {
            Returned::Nothing => Ok(None),
            Returned::Table(table) => Ok(health_of(&table)),
            other @ Returned::Other(_) => Err(other.is_not("a table")),
        }
    }

    pub(crate) fn run(
        &self,
        object: &Object,
        parameters: &BTreeMap<String, String>,
        now: Timestamp,
    ) -> Result<Returned, ScriptError> {
        let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        sandbox::run(&self.code, object.value(), parameters, now)
    }
}

/// A table with fields of other types than text is no health, as is a list; one with another status is Unknown.
fn health_of(table: &Value) -> Option<Health> {
    let field = |name: &str| match table.get(name) {
        None | Some(Value::Null) => Some(""),
        Some(value) => value.as_str(),
    };
    let (status, message) = table.as_object().and(field("status").zip(field("message")))?;
    Some(match Status::from_word(status) {
        Some(status) => Health::new(status, message),
        None => Health::new(Status::Unknown, "the script returned a status that does not exist"),
    })
}
