//! What is written down of runs with hooks, beside the inventory: so that no hook runs twice, and none is forgotten.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use towpath_object::digest;
use towpath_plan::Target;
use towpath_plan::sync::Progress;

/// What is known of the last runs of an app. Empty for apps without hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// The manifests that were delivered with all their hooks, if that was the last thing to happen.
    pub(crate) delivered: String,
    /// The run that is under way, was interrupted, or has failed.
    pub(crate) operation: Option<Operation>,
}

/// A run with hooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Operation {
    /// Of which manifests.
    pub(crate) revision: String,
    /// When it began; names of hooks have it in them.
    pub(crate) started: Timestamp,
    /// How far its hooks are.
    pub(crate) progress: Progress,
}

impl Operation {
    /// Why it is still on record.
    pub(crate) fn trouble(&self) -> String {
        match &self.progress.outcome {
            Some(outcome) => format!("failed: {}", outcome.message),
            None => "has not come to its end; deploy again to go on".into(),
        }
    }
}

impl Record {
    /// The run to go on with: one of the same manifests that was interrupted.
    pub(crate) fn interrupted(&self, revision: &str) -> Option<&Operation> {
        let operation = self.operation.as_ref()?;
        (operation.revision == revision && operation.progress.outcome.is_none()).then_some(operation)
    }
}

/// Which manifests these are. What a Secret holds is not part of it: it is written where more people can read it.
pub(crate) fn revision<'a>(targets: impl Iterator<Item = &'a Target>, part: &str) -> String {
    let each = targets.map(|target| {
        let key = target.key();
        let secret = key.group.is_empty() && key.kind == "Secret";
        let content = if secret { String::new() } else { target.digest.short() };
        json!([key.to_string(), content])
    });
    digest(&json!([each.collect::<Vec<_>>(), part])).short()
}
