//! The example, as a person runs it: a folder is edited and the cluster follows.

use std::fs;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use towpath_cluster::Options;
use towpath_testkit::{Api, eventually, shared};

#[expect(dead_code, reason = "its main belongs to the program")]
#[path = "../../examples/sync_folder.rs"]
pub mod sync_folder;

fn manifest(name: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  key: {value}\n---\n# nothing\n"
    )
}

async fn becomes(api: &Api, path: &str, value: Option<&str>) -> Result<()> {
    eventually(&format!("{path} is {value:?}"), Duration::from_secs(20), async || {
        let found = api.find(path).await?;
        let now = found.as_ref().and_then(|found| found.pointer("/data/key")).and_then(Value::as_str);
        Ok((now == value).then_some(()))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_kept_in_sync() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace, folder) = (plane.api(), plane.namespace("folder").await?, tempfile::tempdir()?);
    let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
    let (one, two) = (format!("{maps}/one"), format!("{maps}/two"));
    fs::write(folder.path().join("one.yaml"), manifest("one", "first"))?;
    fs::write(folder.path().join("two.yml"), manifest("two", "first"))?;
    fs::write(folder.path().join("notes.txt"), "not: [a manifest")?;

    let (path, home) = (folder.path().display().to_string(), namespace.clone());
    let connection = Options { kubeconfig: Some(plane.kubeconfig_path()), ..Options::default() };
    let running = tokio::spawn(async move { sync_folder::keep(&path, &home, connection).await });
    becomes(&api, &one, Some("first")).await?;
    becomes(&api, &two, Some("first")).await?;

    // A file that cannot be read stops everything, above all the deletion of what it was about.
    fs::write(folder.path().join("two.yml"), "kind: [")?;
    fs::write(folder.path().join("one.yaml"), manifest("one", "second"))?;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    ensure!(api.get(&one).await?["data"]["key"] == "first" && api.find(&two).await?.is_some());

    fs::remove_file(folder.path().join("two.yml"))?;
    becomes(&api, &one, Some("second")).await?;
    becomes(&api, &two, None).await?;

    api.patch(&one, &json!({"data": {"key": "broken by hand"}})).await?;
    becomes(&api, &one, Some("second")).await?;
    api.delete(&one).await?;
    becomes(&api, &one, Some("second")).await?;

    ensure!(!running.is_finished(), "it runs until it is stopped");
    running.abort();
    Ok(())
}
