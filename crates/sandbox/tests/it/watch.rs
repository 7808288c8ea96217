//! Lists in pages and watches.

use anyhow::Result;
use http::{Method, Request};
use serde_json::{Value, json};
use towpath_sandbox::Options;

use crate::bed::{Bed, MAPS};

async fn fill(bed: &Bed, names: &[&str]) -> Result<()> {
    for name in names {
        let first: String = name.chars().take(1).collect();
        let object = json!({"metadata": {"name": name, "labels": {"first": first}}});
        bed.api.post(MAPS, &object).await?;
    }
    Ok(())
}

fn names(list: &Value) -> Vec<&str> {
    let items = list.get("items").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.pointer("/metadata/name")?.as_str()).collect()
}

/// What a watch told, in words.
fn told(lines: &[(String, Value)]) -> Vec<String> {
    let name = |object: &Value| object.pointer("/metadata/name").and_then(Value::as_str).map(str::to_owned);
    lines.iter().map(|(what, object)| format!("{what} {}", name(object).unwrap_or_default())).collect()
}

#[tokio::test]
async fn pages_are_of_one_moment_until_it_is_forgotten() {
    let bed = Bed::start().await.unwrap();
    fill(&bed, &["a", "b", "c"]).await.unwrap();
    let first = bed.api.get(&format!("{MAPS}?limit=1")).await.unwrap();
    assert_eq!((names(&first), &first["metadata"]["remainingItemCount"]), (vec!["a"], &json!(2)));
    bed.api.delete(&format!("{MAPS}/b")).await.unwrap();
    fill(&bed, &["bb"]).await.unwrap();
    let token = first["metadata"]["continue"].as_str().unwrap();
    let next = format!("{MAPS}?limit=5&continue={token}");
    let second = bed.api.get(&next).await.unwrap();
    assert_eq!(names(&second), ["b", "c"]);
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    bed.sandbox.compact();
    let (code, status) = bed.send(Method::GET, &next, "", &Value::Null).await.unwrap();
    assert_eq!((code, &status["reason"]), (410, &json!("Expired")));
}

#[tokio::test]
async fn selectors_choose() {
    let bed = Bed::start().await.unwrap();
    fill(&bed, &["a1", "a2", "b1"]).await.unwrap();
    let chosen = bed.api.get(&format!("{MAPS}?labelSelector=first%20in%20(a)")).await.unwrap();
    assert_eq!(names(&chosen), ["a1", "a2"]);
    let one = bed.api.get("/api/v1/configmaps?fieldSelector=metadata.name%3Db1").await.unwrap();
    assert_eq!(names(&one), ["b1"]);
}

#[tokio::test]
async fn a_watch_tells_what_happened_since() {
    let bed = Bed::start().await.unwrap();
    fill(&bed, &["a"]).await.unwrap();
    let version =
        bed.api.get(MAPS).await.unwrap()["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    fill(&bed, &["b"]).await.unwrap();
    bed.api.patch(&format!("{MAPS}/a"), &json!({"metadata": {"labels": {"first": "z"}}})).await.unwrap();
    bed.api.delete(&format!("{MAPS}/b")).await.unwrap();
    let lines = bed.watched(&format!("{MAPS}?resourceVersion={version}")).await.unwrap();
    assert_eq!(told(&lines), ["ADDED b", "MODIFIED a", "DELETED b"]);
    let chosen = format!("{MAPS}?resourceVersion={version}&labelSelector=first%3Da");
    assert_eq!(told(&bed.watched(&chosen).await.unwrap()), ["DELETED a"]);
    bed.sandbox.compact();
    let lines = bed.watched(&format!("{MAPS}?resourceVersion={version}")).await.unwrap();
    assert_eq!((lines[0].0.as_str(), &lines[0].1["code"]), ("ERROR", &json!(410)));
}

#[tokio::test]
async fn a_streamed_list_marks_its_end() {
    let bed = Bed::start().await.unwrap();
    fill(&bed, &["a", "b"]).await.unwrap();
    let streamed = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let lines = bed.watched(&format!("{MAPS}?{streamed}")).await.unwrap();
    assert_eq!(told(&lines), ["ADDED a", "ADDED b", "BOOKMARK "]);
    let end = &lines[2].1["metadata"];
    assert_eq!(end["annotations"]["k8s.io/initial-events-end"], "true");
    let list = bed.api.get(MAPS).await.unwrap();
    assert_eq!(end["resourceVersion"], list["metadata"]["resourceVersion"]);
}

#[tokio::test]
async fn a_watcher_that_falls_behind_is_told_so() {
    let bed = Bed::with(Options { memory: 4, ..Options::default() }).await.unwrap();
    fill(&bed, &["a"]).await.unwrap();
    let version =
        bed.api.get(MAPS).await.unwrap()["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    fill(&bed, &["b", "c", "d", "e", "f"]).await.unwrap();
    let lines = bed.watched(&format!("{MAPS}?resourceVersion={version}")).await.unwrap();
    assert_eq!((lines.len(), lines[0].0.as_str()), (1, "ERROR"));
}

#[tokio::test]
async fn metadata_alone_and_discovery_in_both_forms() {
    let bed = Bed::start().await.unwrap();
    fill(&bed, &["a"]).await.unwrap();
    let asked = async |path: &str, accept: &str| {
        let request = Request::get(path).header("accept", accept).body(Vec::new().into()).unwrap();
        let answer = bed.api.exchange(request).await.unwrap();
        serde_json::from_slice::<Value>(answer.body()).unwrap()
    };
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let list = asked(MAPS, accept).await;
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    assert_eq!(
        (&list["items"][0]["kind"], list["items"][0].get("data")),
        (&json!("PartialObjectMetadata"), None)
    );
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    assert_eq!(asked("/apis", accept).await["kind"], "APIGroupDiscoveryList");
    assert_eq!(asked("/apis", "application/json").await["kind"], "APIGroupList");
    let resources = asked("/apis/apps/v1", "application/json").await;
    assert!(resources["resources"].as_array().unwrap().iter().any(|one| one["name"] == "deployments/status"));
}
