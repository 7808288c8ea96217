//! Hooks and waves under Argo CD's rules.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use towpath_plan::sync::Rules;
use towpath_testkit::{ControlPlane, eventually};

use crate::world::{World, config};

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
