//! CustomResourceDefinitions: what the server makes of one, and when it is served.

use serde_json::{Value, json};

use super::Server;
use super::metadata::{finalizers, of};
use crate::kinds::{items, text};

/// Holds a definition until its objects have gone.
pub(super) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Fills in what people leave out.
pub(super) fn complete(definition: &mut Value) {
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else { return };
    spec.entry("conversion").or_insert_with(|| json!({"strategy": "None"}));
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        let kind = text(names.get("kind")).to_owned();
        names.entry("singular").or_insert_with(|| kind.to_lowercase().into());
        names.entry("listKind").or_insert_with(|| format!("{kind}List").into());
    }
}

impl Server {
    /// Serves a definition as it is now, and says so in its status.
    pub(super) fn define(&mut self, table: usize, key: &str, now: &str) {
        let Some(mut definition) = self.store.get(table, key).map(|record| record.value()) else { return };
        if finalizers(&definition).is_empty() && !of(&definition, "deletionTimestamp").is_empty() {
            return;
        }
        self.kinds.define(&definition);
        let condition = |of_type: &str, reason: &str, message: &str| json!({"type": of_type, "status": "True", "lastTransitionTime": now, "reason": reason, "message": message});
        let stored = items(definition.get("spec").unwrap_or(&Value::Null), "versions")
            .filter(|version| version.get("storage") == Some(&json!(true)))
            .map(|version| text(version.get("name")));
        let status = json!({
            "acceptedNames": definition.pointer("/spec/names"),
            "storedVersions": stored.collect::<Vec<_>>(),
            "conditions": [
                condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
            ],
        });
        let known = definition.get("status").cloned().unwrap_or_default();
        let same =
            ["acceptedNames", "storedVersions"].iter().all(|name| known.get(*name) == status.get(*name));
        if same && known.pointer("/conditions/1").is_some() {
            return;
        }
        if let Some(fields) = definition.as_object_mut() {
            fields.insert("status".into(), status);
        }
        self.store.put(table, key, definition);
    }
}
