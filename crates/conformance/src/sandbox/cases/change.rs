//! Replacing and patching.

use serde_json::json;

use super::{MAP, MAPS, map};
use crate::sandbox::sequence::{MERGE, PATCH, STRATEGIC, Sequence};

pub fn all() -> Vec<Sequence> {
    let put = |name| Sequence::new("update", name).post(MAPS, map("a", json!({"x": "1"})));
    let patch = |name| Sequence::new("patch", name).post(MAPS, map("a", json!({"x": "1", "y": "2"})));
    let accounts = "/api/v1/namespaces/NAMESPACE/serviceaccounts";
    let account = "/api/v1/namespaces/NAMESPACE/serviceaccounts/a";
    let named = |extra: serde_json::Value| {
        let mut object = map("a", json!({"x": "2"}));
        if let (Some(metadata), Some(extra)) =
            (object.get_mut("metadata").and_then(|m| m.as_object_mut()), extra.as_object())
        {
            metadata.extend(extra.clone());
        }
        object
    };
    vec![
        put("without a version").put(MAP, map("a", json!({"x": "2"}))).get(MAP),
        put("with the version").put(MAP, named(json!({"resourceVersion": "${resourceVersion:0}"}))),
        put("with an old version")
            .put(MAP, map("a", json!({"x": "3"})))
            .put(MAP, named(json!({"resourceVersion": "${resourceVersion:0}"}))),
        put("with another uid").put(MAP, named(json!({"uid": "11111111-2222-3333-4444-555555555555"}))),
        put("no change").put(MAP, map("a", json!({"x": "1"}))),
        put("other name").put(MAP, map("b", json!({}))),
        put("missing").put(&format!("{MAPS}/none"), map("none", json!({}))),
        put("dry run").put(&format!("{MAP}?dryRun=All"), map("a", json!({"x": "2"}))).get(MAP),
        patch("merge").patch(MAP, MERGE, json!({"data": {"x": null, "z": "3"}, "metadata": {"labels": {"l": "1"}}})),
        patch("merge without change").patch(MAP, MERGE, json!({"data": {"x": "1"}})),
        patch("merge with an old version")
            .patch(MAP, MERGE, json!({"data": {"x": "5"}}))
            .patch(MAP, MERGE, json!({"metadata": {"resourceVersion": "${resourceVersion:0}"}, "data": {"x": "6"}})),
        patch("merge of a missing one").patch(&format!("{MAPS}/none"), MERGE, json!({})),
        patch("JSON").patch(
            MAP,
            PATCH,
            json!([{"op": "test", "path": "/data/x", "value": "1"}, {"op": "add", "path": "/data/z", "value": "3"},
                {"op": "remove", "path": "/data/y"}]),
        ),
        patch("JSON, test fails").patch(MAP, PATCH, json!([{"op": "test", "path": "/data/x", "value": "9"}])),
        patch("JSON, nothing there").patch(MAP, PATCH, json!([{"op": "remove", "path": "/data/none"}])),
        patch("JSON, replace nothing").patch(MAP, PATCH, json!([{"op": "replace", "path": "/data/none", "value": "1"}])),
        patch("strategic").patch(MAP, STRATEGIC, json!({"data": {"x": null, "z": "3"}})),
        patch("strategic replace").patch(MAP, STRATEGIC, json!({"data": {"$patch": "replace", "z": "3"}})),
        patch("unknown form").patch(MAP, "text/plain", json!({})),
        patch("by a manager").patch(&format!("{MAP}?fieldManager=me"), MERGE, json!({"data": {"x": "9"}})),
        patch("wrong type").patch(MAP, MERGE, json!({"data": {"x": 1}})),
        patch("finalizers").patch(MAP, MERGE, json!({"metadata": {"finalizers": ["example.com/a"]}})),
        Sequence::new("patch", "strategic list by key")
            .post(accounts, json!({"metadata": {"name": "a"}, "secrets": [{"name": "one"}, {"name": "two"}]}))
            .patch(account, STRATEGIC, json!({"secrets": [{"name": "three"}]}))
            .patch(account, STRATEGIC, json!({"secrets": [{"name": "one", "$patch": "delete"}]})),
        Sequence::new("update", "type of a secret is kept")
            .post("/api/v1/namespaces/NAMESPACE/secrets", json!({"metadata": {"name": "a"}, "stringData": {"x": "1"}}))
            .patch("/api/v1/namespaces/NAMESPACE/secrets/a", MERGE, json!({"stringData": {"y": "2"}})),
    ]
}
