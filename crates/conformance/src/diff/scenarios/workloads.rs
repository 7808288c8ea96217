//! Workloads and what scales them.

use serde_json::{Value, json};

use super::{Story, patched};

fn container(change: &Value) -> Value {
    patched(
        json!({
            "name": "web", "image": "web:1", "args": ["--a"],
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "ports": [{"containerPort": 80, "name": "http"}, {"containerPort": 53, "protocol": "UDP"}],
            "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}, "requests": {"cpu": "0.1"}},
            "livenessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 20},
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "securityContext": {"runAsNonRoot": true},
        }),
        change,
    )
}

fn pod(containers: &Value) -> Value {
    json!({"spec": {"template": {"spec": {"containers": containers}}}})
}

/// The deployment with one container changed.
#[expect(clippy::needless_pass_by_value, reason = "the table below is easier to read")]
fn with(change: Value) -> Value {
    pod(&json!([container(&change)]))
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn deployment() -> Story {
    let edit_env = |env: Value| {
        // A merge patch replaces lists, so the whole container is there.
        Some(pod(&json!([container(&json!({ "env": env }))])))
    };
    let first = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "x", "labels": {"a": "1", "b": "2"}, "annotations": {"note": "1"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "x"}}, "template": {
            "metadata": {"labels": {"app": "x"}},
            "spec": {
                "containers": [container(&json!({}))], "nodeSelector": {"disk": "ssd", "zone": "a"},
                "tolerations": [{"key": "a", "operator": "Exists"}],
                "volumes": [{"name": "data", "emptyDir": {}}],
            }}},
    });
    Story {
        plural: "deployments",
        first,
        changes: vec![
            ("has another image", with(json!({"image": "web:2"})), None),
            ("has other replicas", json!({"spec": {"replicas": 3}}), None),
            ("loses its replicas", json!({"spec": {"replicas": null}}), None),
            ("loses a variable", with(json!({"env": [{"name": "A", "value": "1"}]})), None),
            ("loses all variables", with(json!({"env": null})), None),
            (
                "has its variables turned round",
                with(json!({"env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]})),
                None,
            ),
            (
                "has a variable more in between",
                with(
                    json!({"env": [{"name": "A", "value": "1"}, {"name": "N", "value": ""}, {"name": "B", "value": "2"}]}),
                ),
                None,
            ),
            ("loses a label", json!({"metadata": {"labels": {"b": null}}}), None),
            ("loses all labels", json!({"metadata": {"labels": null}}), None),
            ("loses its probe", with(json!({"livenessProbe": null})), None),
            (
                "loses its volume",
                patched(
                    with(json!({"volumeMounts": null})),
                    &json!({"spec": {"template": {"spec": {"volumes": null}}}}),
                ),
                None,
            ),
            (
                "has a port by both protocols",
                with(
                    json!({"ports": [{"containerPort": 80, "name": "http"}, {"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "name": "t"}]}),
                ),
                None,
            ),
            (
                "writes its amounts differently",
                with(
                    json!({"resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}, "requests": {"cpu": "100m"}}}),
                ),
                None,
            ),
            (
                "has another toleration",
                json!({"spec": {"template": {"spec": {"tolerations": [{"key": "b", "operator": "Exists"}]}}}}),
                None,
            ),
            (
                "loses a part of a selector",
                json!({"spec": {"template": {"spec": {"nodeSelector": {"zone": null}}}}}),
                None,
            ),
            (
                "has a container more",
                pod(&json!([container(&json!({})), {"name": "log", "image": "log:1"}])),
                None,
            ),
            ("has other containers", pod(&json!([{"name": "log", "image": "log:1"}])), None),
            (
                "writes nulls",
                patched(with(json!({"command": "NULL"})), &json!({"spec": {"paused": "NULL"}})),
                None,
            ),
            (
                "writes what is empty",
                patched(
                    with(json!({"stdin": false, "command": []})),
                    &json!({"spec": {"template": {"spec": {"hostNetwork": false, "imagePullSecrets": []}}}}),
                ),
                None,
            ),
            (
                "writes defaults",
                json!({"spec": {"template": {"spec": {"dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30}}, "revisionHistoryLimit": 10}}),
                None,
            ),
            ("was scaled by hand", json!({}), Some(json!({"spec": {"replicas": 9}}))),
            ("got a label by hand", json!({}), Some(json!({"metadata": {"labels": {"hand": "1"}}}))),
            ("lost a label by hand", json!({}), Some(json!({"metadata": {"labels": {"a": null}}}))),
            (
                "got a variable by hand",
                json!({}),
                edit_env(
                    json!([{"name": "A", "value": "1"}, {"name": "H", "value": "h"}, {"name": "B", "value": "2"}]),
                ),
            ),
            (
                "got a variable by hand and loses one",
                with(json!({"env": [{"name": "B", "value": "2"}]})),
                edit_env(
                    json!([{"name": "A", "value": "1"}, {"name": "H", "value": "h"}, {"name": "B", "value": "2"}]),
                ),
            ),
            (
                "had a variable changed by hand",
                json!({}),
                edit_env(json!([{"name": "A", "value": "9"}, {"name": "B", "value": "2"}])),
            ),
            (
                "gives up what somebody changed",
                json!({"spec": {"replicas": null}}),
                Some(json!({"spec": {"replicas": 9}})),
            ),
            (
                "gives up labels of which one is another's",
                json!({"metadata": {"labels": null}}),
                Some(json!({"metadata": {"labels": {"hand": "1"}}})),
            ),
        ],
    }
}

pub(super) fn stateful() -> Story {
    let claim = |size: &str| json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}}]);
    Story {
        plural: "statefulsets",
        first: json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "x"}, "spec": {
            "serviceName": "x", "selector": {"matchLabels": {"app": "x"}}, "volumeClaimTemplates": claim("1Gi"),
            "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "db", "image": "db:1"}]}}}}),
        changes: vec![
            ("writes its size differently", json!({"spec": {"volumeClaimTemplates": claim("1024Mi")}}), None),
            ("is scaled", json!({"spec": {"replicas": 3}}), None),
        ],
    }
}

pub(super) fn scaler() -> Story {
    let metric = |percent: i64| json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}]);
    Story {
        plural: "horizontalpodautoscalers",
        first: json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "x"}, "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}, "maxReplicas": 5, "metrics": metric(50)}}),
        changes: vec![
            ("has another goal", json!({"spec": {"metrics": metric(60)}}), None),
            ("says its minimum", json!({"spec": {"minReplicas": 1}}), None),
        ],
    }
}
