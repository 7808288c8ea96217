//! Hooks and waves under Argo CD's rules.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::store::{UnitStore as _, await_sync, start_sync};
use towpath_engine::unit::{Operation, Phase, Policy, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{ControlPlane, eventually, shared};

use crate::world::{World, config, unit};

pub fn annotated(mut object: Value, annotations: &[(&str, &str)]) -> Value {
    let named = annotations.iter().map(|(name, value)| (format!("argocd.argoproj.io/{name}"), json!(value)));
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("annotations".into(), Value::Object(named.collect()));
    }
    object
}

pub fn job(name: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"backoffLimit": 0, "template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "job", "image": "registry.example/job:1"}]}}},
    })
}

/// A PreSync Job comes first, waves follow one another, a PostSync hook comes last and goes when it has succeeded.
#[tokio::test(flavor = "multi_thread")]
async fn hooks_and_waves_in_their_order() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    let audit = plane.audit()?;
    let namespace = plane.namespace("hooks").await?;
    let world = World::start(&plane)?;
    let objects = vec![
        annotated(job("before"), &[("hook", "PreSync")]),
        annotated(config("early", "1"), &[("sync-wave", "-1")]),
        annotated(config("late", "1"), &[("sync-wave", "1")]),
        config("middle", "1"),
        annotated(job("after"), &[("hook", "PostSync"), ("hook-delete-policy", "HookSucceeded")]),
    ];
    world.add("hooks", &namespace, Rules::Argo, objects).await?;
    let status = world.settled("hooks", "r1").await?;
    let state = status.operation.as_ref().map(|state| state.phase);
    ensure!(state == Some(towpath_engine::unit::Phase::Succeeded), "{status:#?}");
    let api = plane.api();
    eventually("the last hook is gone", Duration::from_secs(20), async || {
        let path = format!("/apis/batch/v1/namespaces/{namespace}/jobs/after");
        Ok(api.find(&path).await?.is_none().then_some(()))
    })
    .await?;
    let mut order = Vec::new();
    for event in audit.events()? {
        let path = event.uri.split('?').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default().to_string();
        let ours = ["before", "early", "middle", "late", "after"].contains(&name.as_str());
        if ours
            && event.verb == "patch"
            && event.uri.contains("fieldManager=towpath")
            && !event.uri.contains("dryRun")
        {
            order.push(name);
        }
    }
    order.dedup();
    ensure!(order == ["before", "early", "middle", "late", "after"], "{order:?}");
    Ok(())
}

/// A hook that somebody deletes while it runs has failed, and says so soon.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_deleted_while_it_runs_has_failed() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("deleted").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    // Without nodes it never ends.
    let objects = vec![annotated(job("endless"), &[("hook", "PreSync")]), config("one", "1")];
    world.manifests.set("deleted", objects);
    let policy = Policy { rules: Rules::Argo, ..Policy::default() };
    world.store.create(unit("deleted", &namespace, policy)).await?;
    let id = UnitId("deleted".into());
    start_sync(&*world.store, &id, Operation::default()).await?;
    let path = format!("/apis/batch/v1/namespaces/{namespace}/jobs/endless");
    eventually("the hook runs", Duration::from_secs(20), async || Ok(api.find(&path).await?)).await?;
    api.delete(&path).await?;
    let state = await_sync(&*world.store, &id, Duration::from_secs(30)).await?.context("it does not end")?;
    ensure!(state.phase == Phase::Failed, "{state:#?}");
    ensure!(state.message.contains("the hook was deleted while it ran"), "{}", state.message);
    eventually("nothing of it is left", Duration::from_secs(20), async || {
        Ok(api.find(&path).await?.is_none().then_some(()))
    })
    .await
}

/// A Job that goes as soon as it is complete has succeeded; and what comes after the objects waits for their health.
#[tokio::test(flavor = "multi_thread")]
async fn short_lived_hooks_succeed_and_late_ones_wait_for_health() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).start().await?;
    let namespace = plane.namespace("short").await?;
    let (api, world) = (plane.api(), World::start(&plane)?);
    let mut short = annotated(job("short"), &[("hook", "PreSync")]);
    if let Some(spec) = short.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("ttlSecondsAfterFinished".into(), json!(0));
    }
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "registry.example/web:1"}]}}}});
    let last = annotated(config("last", "1"), &[("hook", "PostSync")]);
    world.add("short", &namespace, Rules::Argo, vec![short, deployment, last]).await?;
    let seen = eventually("the last hook", Duration::from_secs(30), async || {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps/last");
        let Some(_) = api.find(&path).await? else { return Ok(None) };
        Ok(Some(api.get(&format!("/apis/apps/v1/namespaces/{namespace}/deployments/web")).await?))
    })
    .await;
    let seen = match seen {
        Ok(seen) => seen,
        Err(error) => return Err(error.context(format!("{:#?}", world.status("short").await?))),
    };
    ensure!(seen.pointer("/status/availableReplicas") == Some(&json!(2)), "{seen:#}");
    let status = world.settled("short", "r1").await?;
    let state = status.operation.context("an operation")?;
    // Whether the Job's end was seen before its deletion or with it is chance; it succeeds either way, at once.
    ensure!(state.phase == Phase::Succeeded && state.retries == 0, "{state:#?}");
    Ok(())
}
