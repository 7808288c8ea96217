//! The objects of a large cluster: most of them pods and replica sets, the rest of many kinds.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Kinds that definitions add, beside six of Kubernetes' own.
const CUSTOM: usize = 294;
/// Objects of a unit.
pub const UNIT: usize = 100;

/// Shares of all objects, in thousandths.
const PODS: usize = 190;
const SETS: usize = 130;
const DEPLOYMENTS: usize = 50;
const SERVICES: usize = 30;
const SECRETS: usize = 75;
const MAPS: usize = 100;

/// What fills a cluster.
pub struct Fill {
    objects: usize,
}

impl Fill {
    pub fn new(objects: usize) -> Self {
        Self { objects }
    }

    pub fn kinds() -> usize {
        CUSTOM + 6
    }

    pub fn definitions() -> impl Iterator<Item = Value> {
        (0..CUSTOM).map(|number| {
            json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": format!("things{number}.g{}.example.com", number % 40)},
                "spec": {"group": format!("g{}.example.com", number % 40), "scope": "Namespaced",
                    "names": {"kind": format!("Thing{number}"), "plural": format!("things{number}"), "singular": format!("thing{number}"), "listKind": format!("Thing{number}List")},
                    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                        {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
        })
    }

    fn count(&self, share: usize) -> usize {
        self.objects * share / 1000
    }

    pub fn objects(&self) -> impl Iterator<Item = Value> {
        let pods = (0..self.count(PODS)).map(|number| self.pod(number, 0));
        let sets = (0..self.count(SETS)).map(|number| self.set(number, 0));
        let deployments = (0..self.count(DEPLOYMENTS)).map(deployment);
        let services = (0..self.count(SERVICES))
            .map(|number| plain("v1", "Service", number, json!({"spec": {"ports": [{"port": 80}]}})));
        let secrets = (0..self.count(SECRETS)).map(|number| {
            plain("v1", "Secret", number, json!({"type": "Opaque", "data": {"a": "c2VjcmV0"}}))
        });
        let maps = (0..self.count(MAPS)).map(|number| self.map(number, 0));
        let known = [PODS, SETS, DEPLOYMENTS, SERVICES, SECRETS, MAPS]
            .iter()
            .map(|share| self.count(*share))
            .sum::<usize>();
        let things = (0..self.objects - known).map(|number| {
            let kind = number % CUSTOM;
            let spec = json!({"spec": {"size": number, "text": "x".repeat(300)}});
            plain(&format!("g{}.example.com/v1", kind % 40), &format!("Thing{kind}"), number, spec)
        });
        pods.chain(sets).chain(deployments).chain(services).chain(secrets).chain(maps).chain(things)
    }

    /// The change of that number: mostly of pods, some of replica sets, and some of objects that belong to units, which
    /// carry the time so that it can be told how long the news took.
    pub fn change(&self, number: usize) -> Value {
        let any = number.wrapping_mul(7919);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        match number % 10 {
            0 => self.map(any % self.count(MAPS * 2 / 4).max(1), now),
            1 => self.set(any % self.count(SETS).max(1), now),
            _ => self.pod(any % self.count(PODS).max(1), now),
        }
    }

    fn pod(&self, number: usize, now: u128) -> Value {
        let set = number % self.count(SETS).max(1);
        let mut pod = plain(
            "v1",
            "Pod",
            number,
            json!({
                "spec": {"nodeName": format!("node-{}", number % 5000), "serviceAccountName": "default", "containers": [
                    {"name": "web", "image": "registry.example/web:1.2.3", "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                        "env": [{"name": "A", "value": "b".repeat(200)}], "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets"}],
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}},
                    {"name": "side", "image": "registry.example/side:1.2.3"}],
                    "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]},
                "status": {"phase": "Running", "podIP": format!("10.{}.{}.{}", number % 250, number / 250 % 250, number % 200),
                    "conditions": [{"type": "Ready", "status": "True", "message": now.to_string()}, {"type": "PodScheduled", "status": "True"}]},
            }),
        );
        own(&mut pod, "apps/v1", "ReplicaSet", set);
        pod
    }

    fn set(&self, number: usize, now: u128) -> Value {
        let owner = number % self.count(DEPLOYMENTS).max(1);
        let mut set = plain(
            "apps/v1",
            "ReplicaSet",
            number,
            json!({
                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "registry.example/web:1.2.3", "env": [{"name": "A", "value": "b".repeat(200)}]}]}}},
                "status": {"replicas": 1, "readyReplicas": 1, "seen": now.to_string()},
            }),
        );
        own(&mut set, "apps/v1", "Deployment", owner);
        set
    }

    /// Every second of them belongs to a unit: 5 % of all objects.
    fn map(&self, number: usize, now: u128) -> Value {
        let mut map = plain("v1", "ConfigMap", number, json!({"data": {"text": "y".repeat(800)}}));
        if let (true, Some(metadata)) =
            (number < self.count(MAPS / 2), map.get_mut("metadata").and_then(Value::as_object_mut))
        {
            metadata.insert("labels".into(), json!({"towpath.dev/unit": format!("unit-{}", number / UNIT)}));
            metadata.insert("annotations".into(), json!({"written": now.to_string()}));
        }
        map
    }
}

fn uid(kind: &str, number: usize) -> String {
    let start = kind.bytes().fold(7u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("{start:08x}-0000-4000-8000-{number:012x}")
}

fn plain(api_version: &str, kind: &str, number: usize, rest: Value) -> Value {
    let managed = json!([{"manager": "kube-controller-manager", "operation": "Update", "apiVersion": api_version,
        "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}},
        "f:spec": {"f:containers": {"k:{\"name\":\"web\"}": {".": {}, "f:image": {}, "f:name": {}}}, "f:replicas": {}}}}]);
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {
        "name": format!("{}-{number}", kind.to_lowercase()), "namespace": format!("space-{}", number % 500),
        "uid": uid(kind, number), "generation": 1, "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"app": "web", "pod-template-hash": "5d4f8c7b9"}, "managedFields": managed}});
    if let (Some(object), Value::Object(rest)) = (object.as_object_mut(), rest) {
        object.extend(rest);
    }
    object
}

fn deployment(number: usize) -> Value {
    plain(
        "apps/v1",
        "Deployment",
        number,
        json!({"spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}}}),
    )
}

fn own(object: &mut Value, api_version: &str, kind: &str, number: usize) {
    let owner = json!([{"apiVersion": api_version, "kind": kind, "name": format!("{}-{number}", kind.to_lowercase()),
        "uid": uid(kind, number), "controller": true, "blockOwnerDeletion": true}]);
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("ownerReferences".into(), owner);
    }
}
