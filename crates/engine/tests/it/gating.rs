//! What comes after objects waits for the health of what was applied, not of what was there before.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::store::{UnitStore as _, await_sync, start_sync};
use towpath_engine::unit::{Operation, Phase, Policy, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{ControlPlane, eventually};

use crate::hooks::annotated;
use crate::world::{World, config, unit};

const PATIENCE: Duration = Duration::from_secs(30);

fn web(image: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": format!("registry.example/web:{image}")}]}}}})
}

/// The controller writes its status ten seconds after each apply. Until then the old status says that all is well, of
/// another generation.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_controller_is_waited_for() -> Result<()> {
    // Without controllers: the test is the controller.
    let plane = ControlPlane::builder().controllers(false).start().await?;
    let namespace = plane.namespace("gating").await?;
    let (api, world) = (plane.api(), World::start(&plane)?);
    let id = UnitId("gating".into());
    let policy = Policy { rules: Rules::Argo, ..Policy::default() };
    world.store.create(unit("gating", &namespace, policy)).await?;
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    for generation in 1..=2u32 {
        let last = annotated(config(&format!("after-{generation}"), "1"), &[("hook", "PostSync")]);
        world.manifests.set("gating", vec![web(generation), last]);
        start_sync(&*world.store, &id, Operation::default()).await?;
        eventually("it is applied", PATIENCE, async || {
            let found = api.find(&path).await?;
            let now = found.as_ref().and_then(|found| found.pointer("/metadata/generation")).cloned();
            Ok((now == Some(json!(generation))).then_some(()))
        })
        .await?;
        let hook = format!("/api/v1/namespaces/{namespace}/configmaps/after-{generation}");
        tokio::time::sleep(Duration::from_secs(10)).await;
        ensure!(api.find(&hook).await?.is_none(), "it begins before generation {generation} is ready");
        let status = json!({"observedGeneration": generation, "replicas": 1, "updatedReplicas": 1,
            "readyReplicas": 1, "availableReplicas": 1,
            "conditions": [{"type": "Available", "status": "True"}]});
        api.patch(&format!("{path}/status"), &json!({"status": status})).await?;
        let state = await_sync(&*world.store, &id, PATIENCE).await?.context("it does not end")?;
        ensure!(state.phase == Phase::Succeeded, "{state:#?}");
        ensure!(api.find(&hook).await?.is_some());
    }
    Ok(())
}
