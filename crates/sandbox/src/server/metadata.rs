//! What the server itself writes into an object's metadata.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::kinds::Kind;
use crate::refusal::{Cause, Refusal};

/// Kubernetes' own kinds whose changes are counted. Custom resources' always are.
const COUNTED: &[(&str, &[&str])] = &[
    ("", &["Pod", "ReplicationController"]),
    ("apps", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("batch", &["CronJob", "Job"]),
    ("networking.k8s.io", &["Ingress", "IngressClass", "NetworkPolicy"]),
    ("policy", &["PodDisruptionBudget"]),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
        ],
    ),
];

/// Whether the changes of a kind are counted in `metadata.generation`.
pub(super) fn is_counted(kind: &Kind) -> bool {
    kind.custom
        || COUNTED
            .iter()
            .any(|(group, kinds)| *group == kind.gvk.group && kinds.contains(&kind.gvk.kind.as_str()))
}

/// Whether a change counts: it is not only one of metadata or status.
pub(super) fn counts(kind: &Kind, old: &Value, new: &Value) -> bool {
    let passed_over = |name: &str| name == "metadata" || (name == "status" && (kind.status || !kind.custom));
    let part = |object: &Value| -> Map<String, Value> {
        let fields = object.as_object().into_iter().flatten().filter(|(name, _)| !passed_over(name));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    part(old) != part(new)
}

/// The metadata of an object, made if there is none.
pub(super) fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let fields = object.as_object_mut().expect("it was just made one");
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut().expect("it was just made one")
}

/// A text of an object's metadata.
pub(super) fn of<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(name)?.as_str()).unwrap_or_default()
}

/// What still holds the object.
pub(super) fn finalizers(object: &Value) -> Vec<&str> {
    let list = object.get("metadata").and_then(|metadata| metadata.get("finalizers")?.as_array());
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether the object is on its way out.
pub(super) fn is_leaving(object: &Value) -> bool {
    !of(object, "deletionTimestamp").is_empty()
}

/// A time as the server writes it.
pub(super) fn stamp(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Refuses a name that no object may have.
pub(super) fn check_name(kind: &Kind, name: &str) -> Result<(), Refusal> {
    let refused = |reason, message: String| {
        Err(Refusal::invalid(kind, name, &Cause { reason, field: "metadata.name", message }))
    };
    if name.is_empty() {
        return refused("FieldValueRequired", "Required value: name or generateName is required".into());
    }
    let path = kind.gvk.group == "rbac.authorization.k8s.io";
    let fits = |part: &str| {
        let inner =
            part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        inner && !part.is_empty() && !part.starts_with('-') && !part.ends_with('-')
    };
    let good = if path {
        !name.contains(['/', '%']) && name != "." && name != ".."
    } else {
        name.split('.').all(fits)
    };
    if good && name.len() <= 253 {
        return Ok(());
    }
    let message = format!(
        "Invalid value: {name:?}: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    );
    refused("FieldValueInvalid", message)
}
