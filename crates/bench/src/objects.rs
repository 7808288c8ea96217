//! The objects that benchmarks deploy.

use serde_json::{Value, json};

/// An object and the path at which a server keeps it.
pub struct Placed {
    /// The path.
    pub path: String,
    /// The object.
    pub object: Value,
}

/// `units` times a Deployment without replicas, a ServiceAccount, a Service and an Ingress.
pub fn units(namespace: &str, units: usize) -> Vec<Placed> {
    (0..units).flat_map(|index| unit(namespace, &format!("unit-{index}"))).collect()
}

/// A Deployment without replicas, a ServiceAccount, a Service and an Ingress.
pub fn unit(namespace: &str, name: &str) -> Vec<Placed> {
    let metadata = json!({"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/name": name}});
    let labels = json!({"app": name});
    let containers = json!([{
        "name": "web", "image": "registry.example/web:1.2.3",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "NAME", "value": name}],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
    }]);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"serviceAccountName": name, "containers": containers}}},
    });
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": metadata,
        "spec": {"selector": labels, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]},
    });
    let backend = json!({"service": {"name": name, "port": {"name": "http"}}});
    let ingress = json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata,
        "spec": {"rules": [{"host": format!("{name}.example.com"), "http": {
            "paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]},
    });
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata});
    let placed = |group: &str, plural: &str, object: Value| Placed {
        path: format!("/{group}/namespaces/{namespace}/{plural}/{name}"),
        object,
    };
    vec![
        placed("api/v1", "serviceaccounts", account),
        placed("api/v1", "services", service),
        placed("apis/apps/v1", "deployments", deployment),
        placed("apis/networking.k8s.io/v1", "ingresses", ingress),
    ]
}
