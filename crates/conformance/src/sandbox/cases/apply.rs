//! Server-side apply.

use serde_json::{Value, json};

use super::{MAP, MAPS, map};
use crate::sandbox::sequence::{APPLY, MERGE, Sequence};

pub fn all() -> Vec<Sequence> {
    let apply = |name| Sequence::new("apply", name);
    let one = |name, data: Value| apply(name).apply(MAP, "one", map("a", data));
    let conflict = |name| Sequence::new("apply conflict", name);
    vec![
        one("creates", json!({"x": "1"})).get(MAP),
        one("again", json!({"x": "1"})).apply(MAP, "one", map("a", json!({"x": "1"}))),
        one("changes", json!({"x": "1"})).apply(MAP, "one", map("a", json!({"x": "2", "y": "1"}))),
        one("gives up a field", json!({"x": "1", "y": "1"})).apply(MAP, "one", map("a", json!({"x": "1"}))),
        one("gives up all", json!({"x": "1"})).apply(MAP, "one", map("a", json!({}))),
        one("two managers", json!({"x": "1"})).apply(MAP, "two", map("a", json!({"y": "2"}))),
        one("two own the same", json!({"x": "1"}))
            .apply(MAP, "two", map("a", json!({"x": "1", "y": "2"})))
            .apply(MAP, "one", map("a", json!({})))
            .apply(MAP, "two", map("a", json!({"y": "2"}))),
        one("after a patch by another", json!({"x": "1"}))
            .patch(&format!("{MAP}?fieldManager=hand"), MERGE, json!({"data": {"y": "2"}}))
            .apply(MAP, "one", map("a", json!({"x": "2"}))),
        one("dry run", json!({"x": "1"})).patch(
            &format!("{MAP}?fieldManager=one&dryRun=All"),
            APPLY,
            map("a", json!({"x": "2"})),
        ),
        one("labels and annotations", json!({})).apply(
            MAP,
            "one",
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"l": "1"}, "annotations": {"n": "1"}}}),
        ),
        apply("owner references and finalizers").apply(
            MAP,
            "one",
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "finalizers": ["example.com/a"],
                "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}]}}),
        ),
        apply("over what was created")
            .post(MAPS, map("a", json!({"x": "1", "y": "1"})))
            .apply(MAP, "one", map("a", json!({"x": "1", "z": "1"}))),
        apply("without a manager").patch(MAP, APPLY, map("a", json!({}))),
        apply("with managed fields").apply(
            MAP,
            "one",
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "managedFields": [{"manager": "x"}]}}),
        ),
        apply("other name").apply(MAP, "one", map("b", json!({}))),
        apply("unknown field").apply(
            MAP,
            "one",
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "odd": 1}),
        ),
        apply("role").apply(
            "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles/a",
            "one",
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"},
                "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}),
        ),
        conflict("one field").apply(MAP, "one", map("a", json!({"x": "1"}))).apply(MAP, "two", map("a", json!({"x": "2"}))),
        conflict("two fields")
            .apply(MAP, "one", map("a", json!({"x": "1", "y": "1"})))
            .apply(MAP, "two", map("a", json!({"x": "2", "y": "2"}))),
        conflict("two managers")
            .apply(MAP, "one", map("a", json!({"x": "1"})))
            .apply(MAP, "two", map("a", json!({"y": "1"})))
            .apply(MAP, "three", map("a", json!({"x": "2", "y": "2"}))),
        conflict("with a patch")
            .apply(MAP, "one", map("a", json!({"x": "1"})))
            .patch(&format!("{MAP}?fieldManager=hand"), MERGE, json!({"data": {"x": "2"}}))
            .apply(MAP, "one", map("a", json!({"x": "1"}))),
        conflict("forced")
            .apply(MAP, "one", map("a", json!({"x": "1", "y": "1"})))
            .force(MAP, "two", map("a", json!({"x": "2"})))
            .apply(MAP, "one", map("a", json!({"y": "1"})))
            .apply(MAP, "one", map("a", json!({"x": "1", "y": "1"}))),
    ]
}
