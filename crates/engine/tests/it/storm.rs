//! Credentials that do not count for a while.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::Value;
use towpath_engine::unit::{SyncState, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{Fault, FaultProxy, Rule, eventually, shared};

use crate::world::{World, config};

fn many(value: &str) -> Vec<Value> {
    (0..10).map(|number| config(&format!("c{number}"), value)).collect()
}

/// Every request and every watch is answered with 401 for a minute, beginning in mid-sync. What was under way is not
/// forgotten, the units say why nothing can be told, and half a minute later everything is as it should be.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_let_in_for_a_minute() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("storm").await?;
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())?;
    for name in ["storm-a", "storm-b"] {
        world.add(name, &namespace, Rules::Kstatus, vec![config(name, "1")]).await?;
        world.settled(name, "r1").await?;
    }
    world.manifests.set("storm-a", many("2"));
    // Three writes of the sync get through, and all watches end.
    proxy.add(Rule::new(Fault::status(401)).writes().skip(3));
    proxy.add(Rule::new(Fault::WatchExpired { after: 0 }).watches().times(20));
    world.engine.refresh(&UnitId("storm-a".into()));
    eventually("the storm has begun", Duration::from_secs(20), async || {
        Ok(proxy.seen().iter().any(|seen| seen.status == Some(401)).then_some(()))
    })
    .await?;
    proxy.add(Rule::new(Fault::status(401)));
    world.manifests.set("storm-b", vec![config("storm-b", "2")]);
    world.engine.refresh(&UnitId("storm-b".into()));
    tokio::time::sleep(Duration::from_mins(1)).await;
    let asked = proxy.seen().iter().filter(|seen| seen.status == Some(401)).count();
    ensure!(asked < 1000, "pauses grow: {asked} requests");
    ensure!(world.status("storm-b").await?.sync != SyncState::Synced);

    proxy.reset();
    for name in ["storm-a", "storm-b"] {
        world.settled(name, "r2").await?;
    }
    let path = format!("/api/v1/namespaces/{namespace}/configmaps?labelSelector=towpath.dev%2Funit");
    let items = plane.api().list(&path).await?;
    ensure!(items.len() == 11, "{} objects", items.len());
    ensure!(items.iter().all(|item| item.pointer("/data/key").and_then(Value::as_str) == Some("2")));
    Ok(())
}
