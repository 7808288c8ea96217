//! Deleting.

use http::Method;
use serde_json::json;

use super::{MAP, MAPS, map};
use crate::sandbox::sequence::{MERGE, Sequence};

pub fn all() -> Vec<Sequence> {
    let delete = |name| Sequence::new("delete", name);
    let one = |name| delete(name).post(MAPS, map("a", json!({"x": "1"})));
    let held = |name| {
        delete(name).post(MAPS, json!({"metadata": {"name": "a", "finalizers": ["example.com/hold"]}}))
    };
    let policy = |policy: &str| json!({"propagationPolicy": policy});
    vec![
        one("one").delete(MAP, json!(null)).get(MAP),
        delete("missing").delete(MAP, json!(null)),
        one("background").delete(MAP, policy("Background")).get(MAP),
        one("foreground").delete(MAP, policy("Foreground")).get(MAP),
        one("orphan").delete(MAP, policy("Orphan")).get(MAP),
        one("other uid")
            .delete(MAP, json!({"preconditions": {"uid": "11111111-2222-3333-4444-555555555555"}})),
        one("that uid").delete(MAP, json!({"preconditions": {"uid": "${uid:0}"}})),
        one("old version")
            .patch(MAP, MERGE, json!({"data": {"x": "2"}}))
            .delete(MAP, json!({"preconditions": {"resourceVersion": "${resourceVersion:0}"}})),
        one("dry run").delete(&format!("{MAP}?dryRun=All"), json!(null)).get(MAP),
        held("held").delete(MAP, json!(null)).delete(MAP, json!(null)).get(MAP),
        held("let go")
            .delete(MAP, json!(null))
            .patch(MAP, MERGE, json!({"metadata": {"finalizers": null}}))
            .get(MAP),
        held("a held one is not created again").delete(MAP, json!(null)).post(MAPS, map("a", json!({}))),
        held("no new finalizers").delete(MAP, json!(null)).patch(
            MAP,
            MERGE,
            json!({"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}}),
        ),
        delete("service account")
            .post("/api/v1/namespaces/NAMESPACE/serviceaccounts", json!({"metadata": {"name": "a"}}))
            .delete("/api/v1/namespaces/NAMESPACE/serviceaccounts/a", json!(null)),
        delete("role")
            .post(
                "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles",
                json!({"metadata": {"name": "a"}}),
            )
            .delete("/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles/a", json!(null)),
        delete("namespace")
            .delete("/api/v1/namespaces/NAMESPACE", json!(null))
            .get("/api/v1/namespaces/NAMESPACE"),
        delete("all of them")
            .post(MAPS, map("a", json!({})))
            .post(MAPS, json!({"metadata": {"name": "b", "labels": {"l": "1"}}}))
            .send(Method::DELETE, &format!("{MAPS}?labelSelector=l"), "", json!(null))
            .get(MAPS)
            .send(Method::DELETE, MAPS, "", json!(null))
            .get(MAPS),
    ]
}
