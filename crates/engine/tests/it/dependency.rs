//! Units that wait for others.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures::StreamExt as _;
use serde_json::json;
use towpath_engine::store::{UnitChange, UnitStore as _};
use towpath_engine::unit::{Automated, Policy, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{eventually, shared};

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
