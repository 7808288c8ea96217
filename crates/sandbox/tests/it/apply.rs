//! Server-side apply, and patches.

use http::Method;
use serde_json::json;

use crate::bed::{Bed, MAPS, map};

#[tokio::test]
async fn managers_share_an_object_and_conflict_where_they_meet() {
    let bed = Bed::start().await.unwrap();
    let path = format!("{MAPS}/a");
    let (code, first) = bed.apply(&path, "one", &map("a", &json!({"x": "1", "y": "1"}))).await.unwrap();
    assert_eq!((code, &first["data"]), (201, &json!({"x": "1", "y": "1"})));
    let (code, second) = bed.apply(&path, "two", &map("a", &json!({"z": "2"}))).await.unwrap();
    assert_eq!((code, &second["data"]), (200, &json!({"x": "1", "y": "1", "z": "2"})));
    let fields = json!({"f:data": {"f:z": {}}});
    assert_eq!(second["metadata"]["managedFields"][1]["fieldsV1"], fields);

    let (code, status) = bed.apply(&path, "two", &map("a", &json!({"x": "2", "z": "2"}))).await.unwrap();
    assert_eq!((code, &status["details"]["causes"][0]["field"]), (409, &json!(".data.x")));
    assert_eq!(status["message"], "Apply failed with 1 conflict: conflict with \"one\": .data.x");
    let forced = bed.api.apply(&path, &map("a", &json!({"x": "2", "z": "2"})), "two").await.unwrap();
    assert_eq!(forced["data"], json!({"x": "2", "y": "1", "z": "2"}));

    // What one gave up goes unless the other has it; the same again changes nothing.
    let (_, less) = bed.apply(&path, "one", &map("a", &json!({"y": "1"}))).await.unwrap();
    assert_eq!(less["data"], json!({"x": "2", "y": "1", "z": "2"}));
    let (_, none) = bed.apply(&path, "two", &map("a", &json!({}))).await.unwrap();
    assert_eq!(none["data"], json!({"y": "1"}));
    let (_, again) = bed.apply(&path, "two", &map("a", &json!({}))).await.unwrap();
    assert_eq!(again["metadata"]["resourceVersion"], none["metadata"]["resourceVersion"]);
}

#[tokio::test]
async fn lists_are_merged_by_their_keys() {
    let bed = Bed::start().await.unwrap();
    let path = "/apis/apps/v1/namespaces/default/deployments/web";
    let deployment = |containers| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
            "spec": {"containers": containers}}}})
    };
    let web = json!({"name": "web", "image": "web:1", "ports": [{"containerPort": 80}]});
    bed.apply(path, "one", &deployment(json!([web]))).await.unwrap();
    let side = json!({"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side:1"}]}}}});
    let strategic = "application/strategic-merge-patch+json";
    let (code, both) = bed.send(Method::PATCH, path, strategic, &side).await.unwrap();
    let names = |object: &serde_json::Value| {
        let containers = object["spec"]["template"]["spec"]["containers"].as_array().unwrap();
        containers.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // A real server puts what is new first.
    assert_eq!((code, names(&both)), (200, vec!["side".to_owned(), "web".to_owned()]));
    let web = json!({"name": "web", "image": "web:2"});
    let (_, applied) = bed.apply(path, "one", &deployment(json!([web]))).await.unwrap();
    assert_eq!(names(&applied), ["side", "web"]);
    let container = &applied["spec"]["template"]["spec"]["containers"][1];
    assert_eq!((&container["image"], container.get("ports")), (&json!("web:2"), None));
    let gone =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "side", "$patch": "delete"}]}}}});
    let (_, less) = bed.send(Method::PATCH, path, strategic, &gone).await.unwrap();
    assert_eq!(names(&less), ["web"]);
}

#[tokio::test]
async fn other_writes_are_managers_too() {
    let bed = Bed::start().await.unwrap();
    let path = format!("{MAPS}/a");
    bed.apply(&path, "one", &map("a", &json!({"x": "1"}))).await.unwrap();
    let patched =
        bed.api.patch(&format!("{path}?fieldManager=hand"), &json!({"data": {"x": "9"}})).await.unwrap();
    let entries = patched["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!((&entries[0]["manager"], &entries[0]["operation"]), (&json!("hand"), &json!("Update")));
    let (code, status) = bed.apply(&path, "one", &map("a", &json!({"x": "1"}))).await.unwrap();
    assert_eq!((code, &status["reason"]), (409, &json!("Conflict")));
}
