//! Creating, reading, changing and deleting.

use http::Method;
use serde_json::{Value, json};

use crate::bed::{Bed, MAPS, map};

#[tokio::test]
async fn an_object_is_created_read_changed_and_deleted() {
    let bed = Bed::start().await.unwrap();
    let created = bed.api.post(MAPS, &map("a", &json!({"k": "1"}))).await.unwrap();
    assert_eq!(created["metadata"]["namespace"], "default");
    assert!(created["metadata"]["uid"].as_str().unwrap().len() == 36);
    let path = format!("{MAPS}/a");
    assert_eq!(bed.api.get(&path).await.unwrap(), created);

    let (code, status) =
        bed.send(Method::POST, MAPS, "application/json", &map("a", &json!({}))).await.unwrap();
    assert_eq!((code, status["reason"].as_str()), (409, Some("AlreadyExists")));

    let mut changed = created.clone();
    changed["data"]["k"] = json!("2");
    let changed = bed.api.put(&path, &changed).await.unwrap();
    assert_eq!(changed["data"]["k"], "2");
    let (code, status) = bed.send(Method::PUT, &path, "application/json", &created).await.unwrap();
    assert_eq!((code, status["reason"].as_str()), (409, Some("Conflict")));
    // The same again is no change.
    let same = bed.api.patch(&path, &json!({"data": {"k": "2"}})).await.unwrap();
    assert_eq!(same["metadata"]["resourceVersion"], changed["metadata"]["resourceVersion"]);

    let gone = bed.api.delete(&path).await.unwrap();
    assert_eq!((&gone["status"], &gone["details"]["name"]), (&json!("Success"), &json!("a")));
    let (code, status) = bed.send(Method::GET, &path, "", &Value::Null).await.unwrap();
    assert_eq!((code, status["message"].as_str()), (404, Some("configmaps \"a\" not found")));
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let bed = Bed::start().await.unwrap();
    let path = format!("{MAPS}?dryRun=All");
    let (code, answer) =
        bed.send(Method::POST, &path, "application/json", &map("a", &json!({}))).await.unwrap();
    assert_eq!((code, answer["metadata"].get("resourceVersion")), (201, None));
    assert_eq!(bed.api.find(&format!("{MAPS}/a")).await.unwrap(), None);
}

#[tokio::test]
async fn only_what_is_wanted_counts_as_a_generation() {
    let bed = Bed::start().await.unwrap();
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let deployment = json!({"metadata": {"name": "web"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
        "status": {"replicas": 7}});
    let created = bed.api.post(deployments, &deployment).await.unwrap();
    assert_eq!((&created["metadata"]["generation"], created.get("status")), (&json!(1), None));
    let path = format!("{deployments}/web");
    let labelled = bed.api.patch(&path, &json!({"metadata": {"labels": {"x": "y"}}})).await.unwrap();
    assert_eq!(labelled["metadata"]["generation"], 1);
    let status = json!({"status": {"replicas": 1}, "spec": {"replicas": 9}});
    let status = bed.api.patch(&format!("{path}/status"), &status).await.unwrap();
    assert_eq!((&status["status"]["replicas"], &status["spec"]["replicas"]), (&json!(1), &json!(1)));
    assert_eq!(status["metadata"]["generation"], 1);
    let scaled =
        bed.api.patch(&path, &json!({"spec": {"replicas": 2}, "status": {"replicas": 5}})).await.unwrap();
    assert_eq!((&scaled["metadata"]["generation"], &scaled["status"]["replicas"]), (&json!(2), &json!(1)));
}

#[tokio::test]
async fn finalizers_hold_an_object_and_preconditions_protect_it() {
    let bed = Bed::start().await.unwrap();
    let mut object = map("a", &json!({}));
    object["metadata"]["finalizers"] = json!(["example.com/hold"]);
    let created = bed.api.post(MAPS, &object).await.unwrap();
    let path = format!("{MAPS}/a");
    let other = json!({"preconditions": {"uid": "other"}});
    assert_eq!(bed.send(Method::DELETE, &path, "application/json", &other).await.unwrap().0, 409);
    let right = json!({"preconditions": {"uid": created["metadata"]["uid"]}});
    let (code, leaving) = bed.send(Method::DELETE, &path, "application/json", &right).await.unwrap();
    assert!(code == 200 && leaving["metadata"]["deletionTimestamp"].is_string());
    assert!(bed.api.find(&path).await.unwrap().is_some());
    bed.api.patch(&path, &json!({"metadata": {"finalizers": null}})).await.unwrap();
    assert_eq!(bed.api.find(&path).await.unwrap(), None);
}

#[tokio::test]
async fn what_has_no_owner_goes_and_a_namespace_takes_all_with_it() {
    let bed = Bed::start().await.unwrap();
    let owner = bed.api.post(MAPS, &map("owner", &json!({}))).await.unwrap();
    let mut child = map("child", &json!({}));
    child["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
        "uid": owner["metadata"]["uid"], "blockOwnerDeletion": true}]);
    for (policy, stays) in [("Background", false), ("Foreground", false), ("Orphan", true)] {
        let owner = bed.api.find(&format!("{MAPS}/owner")).await.unwrap();
        if owner.is_none() {
            let owner = bed.api.post(MAPS, &map("owner", &json!({}))).await.unwrap();
            child["metadata"]["ownerReferences"][0]["uid"] = owner["metadata"]["uid"].clone();
        }
        bed.api.post(MAPS, &child).await.unwrap();
        let options = json!({"propagationPolicy": policy});
        bed.send(Method::DELETE, &format!("{MAPS}/owner"), "application/json", &options).await.unwrap();
        assert_eq!(bed.api.find(&format!("{MAPS}/owner")).await.unwrap(), None, "{policy}");
        let left = bed.api.find(&format!("{MAPS}/child")).await.unwrap();
        assert_eq!(left.is_some(), stays, "{policy}");
        assert!(left.is_none_or(|left| left["metadata"].get("ownerReferences").is_none()));
    }

    bed.api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await.unwrap();
    let inside = "/api/v1/namespaces/shop/configmaps";
    let mut held = map("held", &json!({}));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    bed.api.post(inside, &held).await.unwrap();
    let leaving = bed.api.delete("/api/v1/namespaces/shop").await.unwrap();
    assert_eq!(leaving["status"]["phase"], "Terminating");
    let (code, status) =
        bed.send(Method::POST, inside, "application/json", &map("b", &json!({}))).await.unwrap();
    assert_eq!((code, &status["details"]["causes"][0]["reason"]), (403, &json!("NamespaceTerminating")));
    bed.api.patch(&format!("{inside}/held"), &json!({"metadata": {"finalizers": null}})).await.unwrap();
    assert_eq!(bed.api.find("/api/v1/namespaces/shop").await.unwrap(), None);
    let (code, status) =
        bed.send(Method::POST, inside, "application/json", &map("b", &json!({}))).await.unwrap();
    assert_eq!((code, status["message"].as_str()), (404, Some("namespaces \"shop\" not found")));
}

#[tokio::test]
async fn bad_requests_are_refused() {
    let bed = Bed::start().await.unwrap();
    let refused = async |method: Method, path: &str, form: &str, body: Value| {
        bed.send(method, path, form, &body).await.unwrap().0
    };
    let json = "application/json";
    assert_eq!(refused(Method::POST, MAPS, json, json!({"metadata": {"name": "Up"}})).await, 422);
    assert_eq!(refused(Method::POST, MAPS, json, json!({"metadata": {}})).await, 422);
    assert_eq!(
        refused(Method::POST, MAPS, json, json!({"kind": "Secret", "metadata": {"name": "a"}})).await,
        400
    );
    assert_eq!(
        refused(Method::POST, MAPS, json, json!({"metadata": {"name": "a", "namespace": "b"}})).await,
        400
    );
    assert_eq!(
        refused(Method::POST, MAPS, json, json!({"metadata": {"name": "a"}, "data": {"x": 1}})).await,
        400
    );
    let strict = format!("{MAPS}?fieldValidation=Strict");
    assert_eq!(refused(Method::POST, &strict, json, json!({"metadata": {"name": "a"}, "odd": 1})).await, 400);
    assert_eq!(refused(Method::PUT, MAPS, json, json!({})).await, 405);
    assert_eq!(refused(Method::GET, "/apis/apps/v1/odds", "", Value::Null).await, 404);
    assert_eq!(refused(Method::GET, "/apis/odd/v1/odds", "", Value::Null).await, 404);
    bed.api.post(MAPS, &map("a", &json!({}))).await.unwrap();
    assert_eq!(refused(Method::PATCH, &format!("{MAPS}/a"), "text/plain", json!({})).await, 415);
    let test = json!([{"op": "test", "path": "/data/x", "value": 1}]);
    assert_eq!(refused(Method::PATCH, &format!("{MAPS}/a"), "application/json-patch+json", test).await, 422);
}
