//! What an object's time and chance decide is made equal before objects are compared, in the same places as
//! upstream's own test does it.

use serde_json::{Value, json};
use towpath_object::Object;

/// What stands for a time.
const TIME: &str = "0001-01-01T00:00:00Z";

/// `object` without what differs from run to run.
pub fn normalise(object: &Object) -> Value {
    let mut value = object.clone().into_value();
    let gvk = object.gvk();
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("batch", "Job") => {
            set(&mut value, &["metadata", "name"], json!("any"));
            for condition in
                value.pointer_mut("/status/conditions").and_then(Value::as_array_mut).into_iter().flatten()
            {
                if condition["type"] == "FailureTarget" {
                    condition["lastTransitionTime"] = json!(TIME);
                }
            }
        }
        ("apps", "DaemonSet" | "Deployment" | "StatefulSet") => {
            set(
                &mut value,
                &["spec", "template", "metadata", "annotations"],
                json!({"kubectl.kubernetes.io/restartedAt": TIME}),
            );
            if gvk.kind == "Deployment" {
                for path in [&["status"][..], &["metadata", "creationTimestamp"], &["metadata", "generation"]]
                {
                    set(&mut value, path, Value::Null);
                }
            }
        }
        ("argoproj.io", "Rollout") => set(&mut value, &["spec", "restartAt"], Value::Null),
        ("argoproj.io", "Workflow") => {
            set(&mut value, &["metadata", "name"], json!("any"));
            set(&mut value, &["metadata", "resourceVersion"], Value::Null);
            set(&mut value, &["metadata", "uid"], Value::Null);
            let scheduled = "workflows.argoproj.io/scheduled-time";
            set(&mut value, &["metadata", "annotations", scheduled], Value::Null);
        }
        ("external-secrets.io", "ExternalSecret" | "PushSecret") => {
            set(&mut value, &["metadata", "annotations"], json!({"force-sync": TIME}));
        }
        ("postgresql.cnpg.io", "Cluster") => {
            for name in ["cnpg.io/reloadedAt", "kubectl.kubernetes.io/restartedAt"] {
                set(&mut value, &["metadata", "annotations", name], json!(TIME));
            }
            set(&mut value, &["status", "targetPrimaryTimestamp"], Value::Null);
        }
        (group, _) if group.ends_with(".toolkit.fluxcd.io") => {
            let requested = json!({"reconcile.fluxcd.io/requestedAt": "by us"});
            set(&mut value, &["metadata", "annotations"], requested);
        }
        _ => {}
    }
    drop_nothing(&mut value);
    value
}

/// Sets a field, and the mappings on the way to it.
fn set(value: &mut Value, path: &[&str], to: Value) {
    match path {
        [] => *value = to,
        [name, rest @ ..] => {
            if !value.is_object() {
                *value = json!({});
            }
            set(&mut value[*name], rest, to);
        }
    }
}

/// Nulls and empty mappings are as good as absent: Lua cannot hold the former, and upstream's comparison does
/// not see the latter.
fn drop_nothing(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            entries.values_mut().for_each(drop_nothing);
            entries.retain(|_, entry| !entry.is_null() && *entry != json!({}));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nothing),
        _ => {}
    }
}
