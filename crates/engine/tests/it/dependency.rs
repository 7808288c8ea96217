//! Units that wait for others.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::StreamExt as _;
use serde_json::{Value, json};
use towpath_engine::store::{UnitChange, UnitStore as _, await_sync, start_sync};
use towpath_engine::unit::{Automated, Operation, Phase, Policy, SyncState, UnitHealth, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{eventually, shared};

use crate::hooks::annotated;
use crate::leave::{delete, gone};
use crate::world::{World, config, unit};

async fn add(world: &World, id: &str, namespace: &str, on: &[&str]) -> Result<()> {
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    let policy = Policy { rules: Rules::Kstatus, automated, ..Policy::default() };
    let mut unit = unit(id, namespace, policy);
    unit.depends_on = on.iter().map(|id| UnitId((*id).into())).collect();
    if world.manifests.is_empty(id) {
        world.manifests.set(id, vec![config(id, "1")]);
    }
    world.store.create(unit).await?;
    Ok(())
}

async fn says(world: &World, id: &str, message: &str) -> Result<()> {
    let waited = eventually(message, Duration::from_secs(10), async || {
        Ok((world.status(id).await?.message == message).then_some(()))
    })
    .await;
    match waited {
        Err(error) => Err(error.context(format!("it says {:?}", world.status(id).await?.message))),
        fine => fine,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_waits_for_what_it_depends_on_and_goes_before_it() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("deps").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    add(&world, "dep-c", &namespace, &["dep-b"]).await?;
    says(&world, "dep-c", "it depends on dep-b, which does not exist").await?;
    add(&world, "dep-b", &namespace, &["dep-a"]).await?;
    // A Deployment that nobody runs is never ready by itself.
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "slow"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "slow"}}, "template": {
            "metadata": {"labels": {"app": "slow"}},
            "spec": {"containers": [{"name": "slow", "image": "registry.example/slow:1"}]}}}});
    world.manifests.set("dep-a", vec![deployment]);
    add(&world, "dep-a", &namespace, &[]).await?;
    says(&world, "dep-b", "it waits for dep-a, which is Synced and Progressing").await?;
    says(&world, "dep-c", "it waits for dep-b, which is OutOfSync and Missing").await?;
    ensure!(api.find(&format!("/api/v1/namespaces/{namespace}/configmaps/dep-b")).await?.is_none());

    world.manifests.set("dep-a", vec![config("dep-a", "1")]);
    world.engine.refresh(&UnitId("dep-a".into()));
    let start = Instant::now();
    world.settled("dep-c", "r1").await?;
    ensure!(start.elapsed() < Duration::from_secs(5), "it is woken, not polled: {:?}", start.elapsed());
    let versions = async |name: &str| -> Result<u64> {
        let object = api.get(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}")).await?;
        let version = object.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str);
        Ok(version.unwrap_or_default().parse()?)
    };
    let order = [versions("dep-a").await?, versions("dep-b").await?, versions("dep-c").await?];
    ensure!(order.is_sorted(), "{order:?}");

    // A newer revision of the one holds up a newer revision of the other, even if that is looked at first.
    world.manifests.set("dep-a", vec![config("dep-a", "2")]);
    world.manifests.set("dep-b", vec![config("dep-b", "2")]);
    world.engine.refresh(&UnitId("dep-b".into()));
    says(&world, "dep-b", "it waits for dep-a, which has a newer revision, r3").await?;
    world.engine.refresh(&UnitId("dep-a".into()));
    world.settled("dep-b", "r2").await?;

    let mut changes = world.store.watch();
    for id in ["dep-a", "dep-b", "dep-c"] {
        delete(&world, id).await?;
    }
    for id in ["dep-a", "dep-b", "dep-c"] {
        gone(&world, id).await?;
    }
    let mut order = Vec::new();
    while order.len() < 3 {
        if let Some(UnitChange::Removed(id)) = changes.next().await {
            order.push(id.0);
        }
    }
    ensure!(order == ["dep-c", "dep-b", "dep-a"], "{order:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_circle_is_named_and_blocks() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("circle").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    add(&world, "one", &namespace, &["two"]).await?;
    add(&world, "two", &namespace, &["three"]).await?;
    add(&world, "three", &namespace, &["one"]).await?;
    add(&world, "free", &namespace, &[]).await?;
    says(&world, "one", "its dependencies go round in a circle: one → two → three → one").await?;
    says(&world, "two", "its dependencies go round in a circle: two → three → one → two").await?;
    world.settled("free", "r1").await?;
    for name in ["one", "two", "three"] {
        ensure!(api.find(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}")).await?.is_none());
    }
    for id in ["one", "two", "three"] {
        delete(&world, id).await?;
    }
    for id in ["one", "two", "three"] {
        gone(&world, id).await?;
    }
    Ok(())
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A kind whose objects are as their conditions say.
fn gauges() -> Value {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gauges.depends.example.com"},
        "spec": {"group": "depends.example.com", "scope": "Namespaced",
            "names": {"kind": "Gauge", "plural": "gauges"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}]}})
}

/// What a unit depends on becomes bad, or goes, while the unit is there: it stays as it is, and nothing new is begun
/// until the other is well again.
#[tokio::test(flavor = "multi_thread")]
async fn a_dependency_that_degrades_or_goes_holds_up_what_is_new() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("degraded").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    api.post(DEFINITIONS, &gauges()).await?;
    let gauge = json!({"apiVersion": "depends.example.com/v1", "kind": "Gauge", "metadata": {"name": "one"}});
    world.manifests.set("base", vec![gauge]);
    add(&world, "base", &namespace, &[]).await?;
    add(&world, "top", &namespace, &["base"]).await?;
    world.settled("top", "r1").await?;

    let path = format!("/apis/depends.example.com/v1/namespaces/{namespace}/gauges/one");
    let stalled =
        json!([{"type": "Stalled", "status": "True", "reason": "Broken", "message": "it is broken"}]);
    api.patch(&path, &json!({"status": {"conditions": stalled}})).await?;
    eventually("the other is bad", Duration::from_secs(10), async || {
        Ok((world.status("base").await?.health == UnitHealth::Degraded).then_some(()))
    })
    .await?;
    let status = world.status("top").await?;
    ensure!(status.sync == SyncState::Synced && status.health == UnitHealth::Healthy, "{status:?}");
    world.manifests.set("top", vec![config("top", "2")]);
    world.engine.refresh(&UnitId("top".into()));
    says(&world, "top", "it waits for base, which is Synced and Degraded").await?;
    let map = format!("/api/v1/namespaces/{namespace}/configmaps/top");
    ensure!(api.get(&map).await?["data"]["key"] == "1");
    api.patch(&path, &json!({"status": {"conditions": null}})).await?;
    world.settled("top", "r2").await?;

    delete(&world, "base").await?;
    gone(&world, "base").await?;
    world.manifests.set("top", vec![config("top", "3")]);
    world.engine.refresh(&UnitId("top".into()));
    says(&world, "top", "it depends on base, which does not exist").await?;
    ensure!(api.get(&map).await?["data"]["key"] == "2", "it is still there, as it was");
    Ok(())
}

/// What degrades in mid-sync does not stop the sync that has begun.
#[tokio::test(flavor = "multi_thread")]
async fn a_sync_under_way_is_finished_though_a_dependency_degrades() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("midway").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    // Nobody runs it: it is done when the test says so.
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "slow"},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "slow", "image": "registry.example/slow:1"}]}});
    world.manifests.set("below", vec![config("below", "1")]);
    add(&world, "below", &namespace, &[]).await?;
    let mut above = unit("above", &namespace, Policy { rules: Rules::Argo, ..Policy::default() });
    above.depends_on = vec![UnitId("below".into())];
    world.manifests.set("above", vec![annotated(pod, &[("hook", "PreSync")]), config("above", "1")]);
    world.settled("below", "r1").await?;
    world.store.create(above).await?;
    let id = UnitId("above".into());
    start_sync(&*world.store, &id, Operation::default()).await?;
    let path = format!("/api/v1/namespaces/{namespace}/pods/slow");
    eventually("the hook runs", Duration::from_secs(20), async || Ok(api.find(&path).await?)).await?;
    world.manifests.set(
        "below",
        vec![
            config("below", "2"),
            json!({"apiVersion": "none.example.com/v1",
        "kind": "Nothing", "metadata": {"name": "a"}}),
        ],
    );
    world.engine.refresh(&UnitId("below".into()));
    eventually("the other is not in sync", Duration::from_secs(20), async || {
        Ok((world.status("below").await?.sync == SyncState::OutOfSync).then_some(()))
    })
    .await?;
    let state = world.status("above").await?.operation.context("an operation")?;
    ensure!(state.phase == Phase::Running, "{state:#?}");
    let complete = json!({"status": {"phase": "Succeeded"}});
    api.patch(&format!("{path}/status"), &complete).await?;
    let state = await_sync(&*world.store, &id, Duration::from_secs(30)).await?.context("it does not end")?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    Ok(())
}
