//! The end of a unit.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::store::UnitStore as _;
use towpath_engine::unit::{ClusterId, Policy, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{ControlPlane, eventually, shared};

use crate::hooks::{annotated, job};
use crate::world::{World, config, unit};

/// Says that a unit is to go.
pub async fn delete(world: &World, id: &str) -> Result<()> {
    let id = UnitId(id.into());
    eventually("the unit is to go", Duration::from_secs(5), async || {
        let mut stored = world.store.get(&id).await?.context("there is no such unit")?;
        stored.unit.deleting = true;
        Ok(world.store.update(stored.unit, &stored.version).await.ok())
    })
    .await
    .map(|_| ())
}

pub async fn gone(world: &World, id: &str) -> Result<()> {
    let id = UnitId(id.into());
    let waited = eventually("the unit is gone", Duration::from_secs(30), async || {
        Ok(world.store.get(&id).await?.is_none().then_some(()))
    })
    .await;
    match waited {
        Err(error) => Err(error.context(format!("{:#?}", world.status(&id.0).await?))),
        fine => fine,
    }
}

fn held(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("finalizers".into(), json!(["example.com/hold"]));
    }
    object
}

/// In the reverse order of the waves, with hooks around it; nothing is left, and the unit goes too.
#[tokio::test(flavor = "multi_thread")]
async fn everything_goes_in_reverse_with_hooks_around_it() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    let audit = plane.audit()?;
    let namespace = plane.namespace("leave").await?;
    let (api, world) = (plane.api(), World::start(&plane)?);
    let objects = vec![
        annotated(job("before"), &[("hook", "PreDelete")]),
        annotated(config("early", "1"), &[("sync-wave", "-1")]),
        config("middle", "1"),
        annotated(config("late", "1"), &[("sync-wave", "1")]),
        annotated(job("after"), &[("hook", "PostDelete")]),
    ];
    world.add("leave", &namespace, Rules::Argo, objects).await?;
    world.settled("leave", "r1").await?;
    let jobs = format!("/apis/batch/v1/namespaces/{namespace}/jobs");
    ensure!(api.list(&jobs).await?.is_empty(), "hooks of a deletion are not run by a sync");
    delete(&world, "leave").await?;
    gone(&world, "leave").await?;
    let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
    let left = api.list(&format!("{maps}?labelSelector=towpath.dev%2Funit")).await?;
    ensure!(left.is_empty(), "{left:?}");
    eventually("the hooks are gone", Duration::from_secs(10), async || {
        Ok(api.list(&jobs).await?.is_empty().then_some(()))
    })
    .await?;
    let mut order = Vec::new();
    for event in audit.events()? {
        let name = event.uri.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let hook = ["before", "after"].contains(&name) && event.response_status.code == 201;
        let object = ["early", "middle", "late"].contains(&name) && event.verb == "delete";
        if hook || object {
            order.push(name.to_string());
        }
    }
    ensure!(order == ["before", "late", "middle", "early", "after"], "{order:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_finalizer_holds_is_waited_for() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("held").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    world
        .add("held", &namespace, Rules::Kstatus, vec![held(config("held", "1")), config("free", "1")])
        .await?;
    world.settled("held", "r1").await?;
    delete(&world, "held").await?;
    let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
    eventually("the free one goes", Duration::from_secs(10), async || {
        Ok(api.find(&format!("{maps}/free")).await?.is_none().then_some(()))
    })
    .await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    ensure!(world.store.get(&UnitId("held".into())).await?.is_some(), "the unit waits");
    // The engine may end while it waits.
    let (store, manifests) = world.kill().await?;
    let world = World::over(plane.kubeconfig_path(), store, manifests)?;
    api.patch(&format!("{maps}/held"), &json!({"metadata": {"finalizers": null}})).await?;
    gone(&world, "held").await?;
    ensure!(api.find(&format!("{maps}/held")).await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_manifests_or_cluster_a_unit_still_goes() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("lost").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    world.add("lost", &namespace, Rules::Kstatus, vec![config("lost", "1")]).await?;
    world.settled("lost", "r1").await?;
    let (store, _) = world.kill().await?;
    let world = World::over(plane.kubeconfig_path(), store, std::sync::Arc::default())?;
    delete(&world, "lost").await?;
    gone(&world, "lost").await?;
    ensure!(api.find(&format!("/api/v1/namespaces/{namespace}/configmaps/lost")).await?.is_none());

    let mut nowhere = unit("nowhere", &namespace, Policy::default());
    nowhere.destination.cluster = ClusterId("unknown".into());
    world.manifests.set("nowhere", vec![config("one", "1")]);
    world.store.create(nowhere).await?;
    eventually("it says why", Duration::from_secs(10), async || {
        Ok((world.status("nowhere").await?.message == "there is no cluster unknown").then_some(()))
    })
    .await?;
    delete(&world, "nowhere").await?;
    gone(&world, "nowhere").await
}
