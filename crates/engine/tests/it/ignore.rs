//! Ignore rules: they govern what is compared and what is applied.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::merge::explain::Reason;
use towpath_engine::merge::ignore::Rule;
use towpath_engine::store::{StoreError, UnitStore as _};
use towpath_engine::unit::{Automated, Operation, Phase, Policy, UnitId};
use towpath_engine::{IgnoredFields, KindOverride, ObjectState, Settings};
use towpath_plan::sync::{Rules, SyncOptions};
use towpath_testkit::{Api, eventually, shared};

use crate::options::{add, sync};
use crate::world::{World, config, unit};

const PATIENCE: Duration = Duration::from_secs(20);

pub fn deployment(name: &str, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": name}}, "template": {
            "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "web", "image": image}]}}},
    })
}

fn ignoring(pointer: &str) -> Rule {
    Rule {
        group: "apps".into(),
        kind: "Deployment".into(),
        json_pointers: vec![pointer.into()],
        ..Rule::default()
    }
}

fn number(object: &Value, pointer: &str) -> Option<i64> {
    object.pointer(pointer).and_then(Value::as_i64)
}

/// Waits until the server has a value there.
async fn becomes(api: &Api, path: &str, pointer: &str, value: &Value) -> Result<Value> {
    eventually(&format!("{pointer} is {value}"), PATIENCE, async || {
        let object = api.get(path).await?;
        Ok((object.pointer(pointer) == Some(value)).then_some(object))
    })
    .await
}

fn healing() -> Policy {
    Policy { automated: Some(Automated { self_heal: true, ..Automated::default() }), ..Policy::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_fields_stay_as_they_are_live() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("ignore").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let jq = r#".spec.template.spec.containers[] | select(.name == "web") | .imagePullPolicy"#;
    let mut rule = ignoring("/spec/replicas");
    rule.jq_path_expressions.push(jq.into());
    let mut wanted = deployment("web", "web:1");
    if let Some(container) = wanted.pointer_mut("/spec/template/spec/containers/0") {
        *container = json!({"name": "web", "image": "web:1", "imagePullPolicy": "Always"});
    }
    add(&world, "ignore", &namespace, Policy { ignore: vec![rule], ..healing() }, vec![wanted.clone()])
        .await?;
    world.settled("ignore", "r1").await?;
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    let container = json!({"name": "web", "image": "other:1", "imagePullPolicy": "Never"});
    let drift = json!({"spec": {"replicas": 3, "template": {"spec": {"containers": [container]}}}});
    api.patch(&path, &drift).await?;

    // The image is put right; what the rules name is not.
    let image = "/spec/template/spec/containers/0/image";
    let healed = becomes(&api, &path, image, &json!("web:1")).await?;
    ensure!(number(&healed, "/spec/replicas") == Some(3), "{healed:#}");
    ensure!(healed.pointer("/spec/template/spec/containers/0/imagePullPolicy") == Some(&json!("Never")));
    let id = UnitId("ignore".into());
    let diff = world.engine.diff(&id).await?;
    let object = diff.first().context("an object")?;
    ensure!(object.state == ObjectState::Synced && !object.explanation.is_modified(), "{object:#?}");
    let reasons: Vec<&Reason> = object.explanation.notes.iter().map(|note| &note.reason).collect();
    for by in ["pointer /spec/replicas".to_string(), format!("jq {jq}")] {
        ensure!(reasons.contains(&&Reason::IgnoredBy(by)), "{object:#?}");
    }

    // A new revision changes everything else.
    if let Some(container) = wanted.pointer_mut(image) {
        *container = json!("web:2");
    }
    world.manifests.set("ignore", vec![wanted]);
    world.engine.refresh(&id);
    let newer = becomes(&api, &path, image, &json!("web:2")).await?;
    ensure!(number(&newer, "/spec/replicas") == Some(3), "{newer:#}");

    // Without the rule the manifest counts again, though nobody touched anything.
    let stored = world.store.get(&id).await?.context("the unit")?;
    let mut unit = stored.unit;
    unit.policy.ignore.clear();
    world.store.update(unit, &stored.version).await?;
    becomes(&api, &path, "/spec/replicas", &json!(0)).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn by_argos_rules_they_are_applied_unless_the_unit_says_otherwise() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("respect").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let rule = Rule {
        group: "apps".into(),
        kind: "*".into(),
        managed_fields_managers: vec!["autoscaler".into()],
        ..Rule::default()
    };
    let policy = Policy { rules: Rules::Argo, ignore: vec![rule], ..Policy::default() };
    add(&world, "respect", &namespace, policy, vec![deployment("web", "web:1")]).await?;
    ensure!(sync(&world, "respect", Operation::default()).await?.phase == Phase::Succeeded);
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    let scale = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2}});
    api.apply(&path, &scale, "autoscaler").await?;

    let id = UnitId("respect".into());
    let synced = async || {
        let diff = world.engine.diff(&id).await?;
        anyhow::Ok(diff.iter().all(|object| object.state == ObjectState::Synced))
    };
    ensure!(synced().await?, "the autoscaler's word counts");
    let respect = SyncOptions { respect_ignore_rules: true, ..SyncOptions::default() };
    let operation =
        |options| Operation { options: Some(options), initiator: "test".into(), ..Operation::default() };
    ensure!(sync(&world, "respect", operation(respect)).await?.phase == Phase::Succeeded);
    ensure!(number(&api.get(&path).await?, "/spec/replicas") == Some(2));
    ensure!(synced().await?);
    ensure!(sync(&world, "respect", operation(SyncOptions::default())).await?.phase == Phase::Succeeded);
    ensure!(number(&api.get(&path).await?, "/spec/replicas") == Some(0), "Argo CD applies them all the same");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_set_by_hand_stays_where_a_rule_says_so() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("hand").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let fields = IgnoredFields { json_pointers: vec!["/data/theirs".into()], ..IgnoredFields::default() };
    let over = KindOverride { ignore: fields, ..KindOverride::default() };
    let settings = Settings { overrides: [("ConfigMap".to_string(), over)].into(), ..Settings::default() };
    world.engine.set_settings(settings).await?;
    add(&world, "hand", &namespace, healing(), vec![config("one", "1")]).await?;
    world.settled("hand", "r1").await?;
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/one");
    let edit = json!({"data": {"theirs": "x", "odd": "y"}});
    api.patch(&format!("{path}?fieldManager=kubectl-edit"), &edit).await?;
    let left = eventually("what no rule names goes", PATIENCE, async || {
        let object = api.get(&path).await?;
        Ok(object.pointer("/data/odd").is_none().then_some(object))
    })
    .await?;
    ensure!(left.pointer("/data") == Some(&json!({"key": "1", "theirs": "x"})), "{left:#}");
    world.settled("hand", "r1").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_understood_is_refused_when_it_is_configured() -> Result<()> {
    let plane = shared().await?;
    let world = World::start(plane)?;
    let expressions = vec![".spec.ports[".to_string()];
    let rule = Rule { kind: "Service".into(), jq_path_expressions: expressions.clone(), ..Rule::default() };
    let policy = Policy { ignore: vec![rule], ..Policy::default() };
    let refused = world.store.create(unit("bad", "default", policy)).await;
    let Err(StoreError::Invalid { source, .. }) = refused else { anyhow::bail!("it was taken: {refused:?}") };
    let told = "ignore rule 1: jq \".spec.ports[\", column 13: expected closing bracket";
    ensure!(source.to_string() == told, "{source}");
    let fields = IgnoredFields { jq_path_expressions: expressions, ..IgnoredFields::default() };
    let over = KindOverride { ignore: fields, ..KindOverride::default() };
    let settings = Settings { overrides: [("Service".to_string(), over)].into(), ..Settings::default() };
    let error = world.engine.set_settings(settings).await.err().context("it was taken")?;
    ensure!(error.to_string() == format!("override of Service: {told}"), "{error}");
    ensure!(world.status("bad").await.is_err(), "nothing was kept");
    Ok(())
}
