//! Settings and permissions.

use serde_json::{Value, json};

use super::{Story, patched};

pub(super) fn settings() -> Story {
    Story {
        plural: "configmaps",
        first: json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "finalizers": ["example.com/a"]},
            "data": {"a": "1", "b": "2"}}),
        changes: vec![
            ("has another value", json!({"data": {"a": "9"}}), None),
            ("loses an entry", json!({"data": {"b": null}}), None),
            ("loses all", json!({"data": null}), None),
            ("has nothing", json!({"data": {"a": null, "b": null}}), None),
            (
                "has another finalizer",
                json!({"metadata": {"finalizers": ["example.com/b"]}}),
                Some(json!({"metadata": {"finalizers": ["example.com/a", "example.com/hand"]}})),
            ),
            (
                "got an entry by hand and loses all",
                json!({"data": null}),
                Some(json!({"data": {"hand": "1"}})),
            ),
        ],
    }
}

pub(super) fn secret() -> Story {
    Story {
        plural: "secrets",
        first: json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "data": {"a": "MQ=="}}),
        changes: vec![
            ("has another value", json!({"data": {"a": "Mg=="}}), None),
            ("says its type", json!({"type": "Opaque"}), None),
            ("loses all", json!({"data": null}), None),
        ],
    }
}

pub(super) fn role() -> Story {
    let rule = |change: &Value| {
        patched(
            json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["a"]}),
            change,
        )
    };
    Story {
        plural: "roles",
        first: json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "x"},
            "rules": [rule(&json!({})), {"apiGroups": ["apps"], "resources": ["*"], "verbs": ["*"]}]}),
        changes: vec![
            ("loses a rule", json!({"rules": [rule(&json!({}))]}), None),
            ("widens a rule", json!({"rules": [rule(&json!({"resourceNames": null}))]}), None),
            ("has no rules", json!({"rules": []}), None),
            ("got a rule by hand", json!({}), Some(json!({"rules": [rule(&json!({}))]}))),
        ],
    }
}
