//! Creating.

use http::Method;
use serde_json::json;

use super::{MAP, MAPS, map};
use crate::sandbox::sequence::{JSON, Sequence};

pub fn all() -> Vec<Sequence> {
    let new = |name| Sequence::new("create", name);
    let refuse = |name| Sequence::new("create refused", name);
    vec![
        new("config map").post(MAPS, map("a", json!({"x": "1"}))).get(MAP),
        new("labels and annotations").post(
            MAPS,
            json!({"metadata": {"name": "a", "labels": {"l": "1"}, "annotations": {"n": "2"}}, "data": {}}),
        ),
        new("empty").post(MAPS, json!({"metadata": {"name": "a"}})),
        new("with a manager").post(&format!("{MAPS}?fieldManager=me"), map("a", json!({"x": "1"}))),
        new("secret with texts").post(
            "/api/v1/namespaces/NAMESPACE/secrets",
            json!({"metadata": {"name": "a"}, "stringData": {"x": "y"}, "data": {"z": "eg=="}}),
        ),
        new("service account")
            .post("/api/v1/namespaces/NAMESPACE/serviceaccounts", json!({"metadata": {"name": "a"}})),
        new("role").post(
            "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles",
            json!({"metadata": {"name": "a:b"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}),
        ),
        new("lease").post(
            "/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/leases",
            json!({"metadata": {"name": "a"}, "spec": {"holderIdentity": "me", "leaseDurationSeconds": 5}}),
        ),
        new("network policy").post(
            "/apis/networking.k8s.io/v1/namespaces/NAMESPACE/networkpolicies",
            json!({"metadata": {"name": "a"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}}),
        ),
        new("limit range").post(
            "/api/v1/namespaces/NAMESPACE/limitranges",
            json!({"metadata": {"name": "a"}, "spec": {"limits": [{"type": "Pod"}]}}),
        ),
        new("priority class").post(
            "/apis/scheduling.k8s.io/v1/priorityclasses",
            json!({"metadata": {"name": "NAMESPACE"}, "value": 5, "preemptionPolicy": "Never"}),
        ),
        new("generated name").post(MAPS, json!({"metadata": {"generateName": "made-"}})),
        new("namespace").post("/api/v1/namespaces", json!({"metadata": {"name": "more-NAMESPACE"}})),
        new("dry run").post(&format!("{MAPS}?dryRun=All"), map("a", json!({"x": "1"}))).get(MAP),
        new("unknown fields are dropped").post(MAPS, json!({"metadata": {"name": "a"}, "odd": 1})),
        new("null is nothing").post(MAPS, json!({"metadata": {"name": "a", "labels": null}, "data": null})),
        refuse("twice").post(MAPS, map("a", json!({}))).post(MAPS, map("a", json!({}))),
        refuse("no name").post(MAPS, json!({"metadata": {}})),
        refuse("bad name").post(MAPS, map("A_b", json!({}))),
        refuse("wrong kind").post(MAPS, json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "a"}})),
        refuse("wrong version").post(MAPS, json!({"kind": "ConfigMap", "apiVersion": "v2", "metadata": {"name": "a"}})),
        refuse("other namespace").post(MAPS, json!({"metadata": {"name": "a", "namespace": "other"}})),
        refuse("no such namespace").post("/api/v1/namespaces/none/configmaps", map("a", json!({}))),
        refuse("with a version").post(MAPS, json!({"metadata": {"name": "a", "resourceVersion": "5"}})),
        refuse("wrong type").post(MAPS, json!({"metadata": {"name": "a"}, "data": {"x": 1}})),
        refuse("unknown field, strict")
            .post(&format!("{MAPS}?fieldValidation=Strict"), json!({"metadata": {"name": "a"}, "odd": 1})),
        refuse("not JSON").send(Method::POST, MAPS, JSON, json!("text")),
        refuse("no method").put(MAPS, map("a", json!({}))).post(MAP, map("a", json!({}))),
        refuse("no resource").get("/api/v1/namespaces/NAMESPACE/odds").get("/apis/apps/v1/odds/x"),
        refuse("no group").get("/apis/odd.example.com/v1/odds").get("/odd"),
        refuse("terminating namespace")
            .delete("/api/v1/namespaces/NAMESPACE", json!(null))
            .post(MAPS, map("a", json!({}))),
    ]
}
