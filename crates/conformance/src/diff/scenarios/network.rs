//! How workloads are reached.

use serde_json::json;

use super::Story;

pub(super) fn service() -> Story {
    Story {
        plural: "services",
        first: json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {
            "type": "NodePort", "selector": {"app": "x"},
            "ports": [{"port": 80, "name": "http"}, {"port": 443, "name": "https", "targetPort": 8443}]}}),
        changes: vec![
            (
                "loses a port",
                json!({"spec": {"ports": [{"port": 443, "name": "https", "targetPort": 8443}]}}),
                None,
            ),
            (
                "has another target",
                json!({"spec": {"ports": [{"port": 80, "name": "http", "targetPort": "web"}, {"port": 443, "name": "https"}]}}),
                None,
            ),
            ("has another selector", json!({"spec": {"selector": {"app": null, "tier": "x"}}}), None),
            ("got a selector by hand", json!({}), Some(json!({"spec": {"selector": {"hand": "1"}}}))),
            (
                "had its affinity set by hand",
                json!({}),
                Some(json!({"spec": {"sessionAffinity": "ClientIP"}})),
            ),
        ],
    }
}

pub(super) fn ingress() -> Story {
    let rule = |host: &str, port: i64| {
        json!({"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix",
            "backend": {"service": {"name": "x", "port": {"number": port}}}}]}})
    };
    Story {
        plural: "ingresses",
        first: json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "x"},
            "spec": {"rules": [rule("a.example.com", 80)]}}),
        changes: vec![
            ("has another port", json!({"spec": {"rules": [rule("a.example.com", 81)]}}), None),
            (
                "has a rule more",
                json!({"spec": {"rules": [rule("b.example.com", 80), rule("a.example.com", 80)]}}),
                None,
            ),
            (
                "loses a rule that came by hand",
                json!({}),
                Some(json!({"spec": {"rules": [rule("a.example.com", 80), rule("h.example.com", 80)]}})),
            ),
        ],
    }
}

pub(super) fn policy() -> Story {
    Story {
        plural: "networkpolicies",
        first: json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "x"}, "spec": {
            "podSelector": {"matchLabels": {"a": "1", "b": "2"}}, "policyTypes": ["Ingress"],
            "ingress": [{"ports": [{"port": 80}], "from": [{"podSelector": {}}]}]}}),
        changes: vec![
            ("selects all", json!({"spec": {"podSelector": {"matchLabels": null}}}), None),
            (
                "loses a label of its selector",
                json!({"spec": {"podSelector": {"matchLabels": {"b": null}}}}),
                None,
            ),
            (
                "allows another port",
                json!({"spec": {"ingress": [{"ports": [{"port": 81}], "from": [{"podSelector": {}}]}]}}),
                None,
            ),
            ("allows all", json!({"spec": {"ingress": [{}]}}), None),
        ],
    }
}
