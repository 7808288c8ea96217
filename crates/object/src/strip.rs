//! What the server alone writes, taken away: for comparing and for showing.

use serde_json::Value;

/// Removes status, managed fields and the metadata that the server fills in. What remains is what a person
/// could have written.
pub fn strip(value: &mut Value) {
    let Some(root) = value.as_object_mut() else { return };
    root.remove("status");
    let Some(metadata) = root.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    for field in ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"] {
        metadata.remove(field);
    }
}
