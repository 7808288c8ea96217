//! The example application of the tests, as JSON objects.

use serde_json::{Value, json};

pub fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// A definition of `Basket` in a group of its own, so that tests do not meet.
pub fn definition(group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("baskets.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {
                    "size": {"type": "integer"}}}}}}}],
        },
    })
}

pub fn basket(group: &str, namespace: &str, name: &str, size: u32) -> Value {
    json!({
        "apiVersion": format!("{group}/v1"), "kind": "Basket",
        "metadata": {"name": name, "namespace": namespace}, "spec": {"size": size},
    })
}

pub fn config(namespace: &str, name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace}, "data": {"key": value},
    })
}

pub fn secret(namespace: &str, name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace}, "stringData": {"password": value},
    })
}

pub fn account(namespace: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}})
}

pub fn role(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": {"name": name, "namespace": namespace},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
    })
}

pub fn service(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80, "targetPort": 8080}]},
    })
}

pub fn deployment(namespace: &str, name: &str, replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"serviceAccountName": name, "containers": [{"name": "web", "image": "registry.example/web:1"}]},
            },
        },
    })
}

/// Everything a small service needs: five objects.
pub fn part(namespace: &str, name: &str) -> Vec<Value> {
    vec![
        account(namespace, name),
        role(namespace, name),
        config(namespace, name, "one"),
        service(namespace, name),
        deployment(namespace, name, 0),
    ]
}

/// A ConfigMap with annotations.
pub fn marked(namespace: &str, name: &str, value: &str, annotations: &[(&str, &str)]) -> Value {
    annotated(config(namespace, name, value), annotations)
}

/// The object with annotations.
pub fn annotated(mut object: Value, annotations: &[(&str, &str)]) -> Value {
    let map = annotations.iter().map(|(name, value)| ((*name).to_string(), json!(value))).collect();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("annotations".into(), Value::Object(map));
    }
    object
}

pub fn job(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": namespace},
        "spec": {"backoffLimit": 0, "template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "job", "image": "registry.example/job:1"}]}}},
    })
}

/// A Pod that runs until somebody says how it ended: there is no node.
pub fn pod(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "pod", "image": "registry.example/pod:1"}]},
    })
}
