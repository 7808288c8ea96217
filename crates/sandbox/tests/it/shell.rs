//! Many servers, faults, and our own client.

use anyhow::Result;
use serde_json::json;
use tempfile::TempDir;
use towpath_cluster::{Apply, Cluster, Error, Options as Connection};
use towpath_object::{Gvk, Object};
use towpath_sandbox::{Options, Reach, Sandbox};
use towpath_testkit::eventually;

use crate::bed::{Bed, MAPS, map};

async fn connect(sandbox: &Sandbox) -> Result<(TempDir, Cluster)> {
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    std::fs::write(&kubeconfig, sandbox.kubeconfig())?;
    let options = Connection { kubeconfig: Some(kubeconfig), ..Connection::default() };
    Ok((folder, Cluster::connect(&options).await?))
}

#[tokio::test]
async fn our_own_client_finds_its_way() {
    let sandbox = Sandbox::start(Options::default()).await.unwrap();
    let (_folder, cluster) = connect(&sandbox).await.unwrap();
    let kinds = cluster.kinds().await.unwrap();
    let maps = kinds.get(&Gvk::new("v1", "ConfigMap")).unwrap().clone();
    let mut object = map("a", &json!({"x": "1"}));
    object["metadata"]["namespace"] = json!("default");
    let how = Apply { manager: "towpath".into(), force: true, dry_run: false };
    let applied = cluster.apply(&maps, &Object::new(object).unwrap(), &how).await.unwrap();
    assert!(applied.created && applied.object["data"]["x"] == "1");
    assert!(cluster.get(&maps, "default", "a").await.unwrap().is_some());
}

#[tokio::test]
async fn servers_side_by_side_are_their_own_and_can_be_cut_off() {
    let (one, two) = (Bed::start().await.unwrap(), Bed::start().await.unwrap());
    one.api.post(MAPS, &map("a", &json!({}))).await.unwrap();
    assert_eq!(two.api.find(&format!("{MAPS}/a")).await.unwrap(), None);
    one.sandbox.set_reach(Reach::Closed);
    let (_folder, cluster) = connect(&one.sandbox).await.unwrap();
    assert!(matches!(cluster.version().await, Err(Error::Unreachable { .. })));
    assert!(two.api.get(MAPS).await.is_ok());
    one.sandbox.set_reach(Reach::Open);
    // The same address again, with all that was there.
    let patience = std::time::Duration::from_secs(20);
    eventually("it answers again", patience, async || Ok(cluster.version().await.ok())).await.unwrap();
    assert!(one.api.find(&format!("{MAPS}/a")).await.unwrap().is_some());
}

#[tokio::test]
async fn many_objects_are_seeded() {
    let bed = Bed::start().await.unwrap();
    let objects = (0..1000).map(|index| {
        let mut object = map(&format!("seed-{index}"), &json!({}));
        object["metadata"]["namespace"] = json!("default");
        object
    });
    assert_eq!(bed.sandbox.seed(objects), Ok(1000));
    assert_eq!(bed.api.list(MAPS).await.unwrap().len(), 1000);
    let odd = json!({"apiVersion": "odd/v1", "kind": "Odd", "metadata": {"name": "a"}});
    assert_eq!(bed.sandbox.seed([odd]).unwrap_err().to_string(), "odd/v1 Odd is not served here");
}
