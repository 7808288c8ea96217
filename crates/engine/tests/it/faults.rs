//! A server that does not always answer.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::unit::{Phase, SyncState, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{Api, ControlPlane, Fault, FaultProxy, Rule, eventually, shared};

use crate::hooks::{annotated, job};
use crate::kill::{created, inventory, labelled, name};
use crate::world::{World, config};

fn many(value: &str) -> Vec<Value> {
    (0..10).map(|number| config(&format!("c{number}"), value)).collect()
}

async fn values(api: &Api, namespace: &str) -> Result<Vec<Value>> {
    let path = format!("/api/v1/namespaces/{namespace}/configmaps?labelSelector=towpath.dev%2Funit");
    let items = api.list(&path).await?;
    Ok(items.iter().filter_map(|item| item.pointer("/data/key").cloned()).collect())
}

pub fn through(proxy: &FaultProxy) -> Result<World> {
    World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())
}

/// Faults of single requests during a first sync and during a change: nothing of them is left in the end.
#[tokio::test(flavor = "multi_thread")]
async fn faults_of_single_requests_are_got_over() -> Result<()> {
    let plane = shared().await?;
    let api = plane.api();
    let faults: [(&str, Vec<Rule>); 6] = [
        ("busy", vec![Rule::new(Fault::too_many_requests(1)).times(8)]),
        ("broken", vec![Rule::new(Fault::status(500)).writes().times(4)]),
        ("unread", vec![Rule::new(Fault::status(503)).times(6)]),
        ("cut", vec![Rule::new(Fault::CutBefore).writes().times(3)]),
        ("unheard", vec![Rule::new(Fault::CutAfter).writes().skip(1).times(4)]),
        ("expired", vec![Rule::new(Fault::WatchExpired { after: 1 }).watches().times(6)]),
    ];
    let runs = faults.into_iter().map(|(name, rules)| {
        let api = api.clone();
        async move {
            let proxy = FaultProxy::start(plane)?;
            let namespace = plane.namespace(name).await?;
            for rule in &rules {
                proxy.add(rule.clone());
            }
            let world = through(&proxy)?;
            world.add(name, &namespace, Rules::Kstatus, many("1")).await?;
            world.settled(name, "r1").await?;
            ensure!(values(&api, &namespace).await? == vec![json!("1"); 10], "{name}");
            for rule in rules {
                proxy.add(rule);
            }
            world.manifests.set(name, many("2").into_iter().take(8).collect());
            world.engine.refresh(&UnitId(name.into()));
            world.settled(name, "r2").await?;
            ensure!(values(&api, &namespace).await? == vec![json!("2"); 8], "{name}");
            anyhow::Ok(())
        }
    });
    futures::future::try_join_all(runs).await?;
    Ok(())
}

/// Nothing but 429 for a minute, in mid-sync: afterwards everything is as if nothing had been.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_busy_for_long() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("flood").await?;
    let world = through(&proxy)?;
    world.add("flood", &namespace, Rules::Kstatus, many("1")).await?;
    world.settled("flood", "r1").await?;
    proxy.add(Rule::new(Fault::too_many_requests(1)).writes().skip(3));
    proxy.add(Rule::new(Fault::status(429)).watches());
    world.manifests.set("flood", many("2"));
    world.engine.refresh(&UnitId("flood".into()));
    tokio::time::sleep(Duration::from_secs(60)).await;
    proxy.reset();
    eventually("it gets there", Duration::from_secs(60), async || {
        let status = world.status("flood").await?;
        Ok((status.sync == SyncState::Synced && status.revision == "r2").then_some(()))
    })
    .await?;
    ensure!(values(&plane.api(), &namespace).await? == vec![json!("2"); 10]);
    Ok(())
}

/// The server is away in mid-sync and comes back.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_for_a_while() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("away").await?;
    let world = through(&proxy)?;
    world.add("away", &namespace, Rules::Kstatus, many("1")).await?;
    world.settled("away", "r1").await?;
    proxy.add(Rule::new(Fault::CutBefore).writes().skip(3));
    proxy.add(Rule::new(Fault::CutBefore).watches());
    world.manifests.set("away", many("2").into_iter().take(7).collect());
    world.engine.refresh(&UnitId("away".into()));
    tokio::time::sleep(Duration::from_secs(5)).await;
    proxy.reset();
    world.settled("away", "r2").await?;
    ensure!(values(&plane.api(), &namespace).await? == vec![json!("2"); 7]);
    Ok(())
}

fn secret(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"key": "hidden"}})
}

/// One kind cannot be read: units that do not use it do not notice; who uses it says so and touches nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn one_kind_that_cannot_be_read() -> Result<()> {
    let plane = shared().await?;
    let (api, proxy) = (plane.api(), FaultProxy::start(plane)?);
    let namespace = plane.namespace("blind").await?;
    let world = through(&proxy)?;
    let all = vec![secret("one"), secret("two"), config("user", "1")];
    world.add("user", &namespace, Rules::Kstatus, all).await?;
    world.settled("user", "r1").await?;
    let (store, manifests) = world.kill().await?;

    proxy.add(Rule::new(Fault::status(500)).path("/secrets"));
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), store, manifests)?;
    world.manifests.set("user", vec![secret("one"), config("user", "2")]);
    world.engine.refresh(&UnitId("user".into()));
    world.add("other", &namespace, Rules::Kstatus, vec![config("other", "1")]).await?;
    world.settled("other", "r1").await?;
    let status = eventually("it says what it cannot see", Duration::from_secs(20), async || {
        let status = world.status("user").await?;
        Ok((status.sync == SyncState::Unknown && status.message.contains("Secret")).then_some(status))
    })
    .await?;
    ensure!(status.inventory.lines().count() == 3, "{}", status.inventory);
    ensure!(api.find(&format!("/api/v1/namespaces/{namespace}/secrets/two")).await?.is_some());
    proxy.reset();
    world.settled("user", "r2").await?;
    eventually("what is no longer wanted goes", Duration::from_secs(10), async || {
        Ok(api.find(&format!("/api/v1/namespaces/{namespace}/secrets/two")).await?.is_none().then_some(()))
    })
    .await
}

/// The server refuses one object: the others are applied, and the message names it.
#[tokio::test(flavor = "multi_thread")]
async fn one_object_that_is_refused() -> Result<()> {
    let plane = ControlPlane::builder().start().await?;
    let (api, world) = (plane.api(), World::start(&plane)?);
    let namespace = plane.namespace("refused").await?;
    let group = "/apis/admissionregistration.k8s.io/v1";
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "nothing-bad"},
        "spec": {"failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}]},
            "validations": [{"expression": "!has(object.data) || !('key' in object.data) || object.data.key != 'bad'",
                "message": "bad things are not taken"}]}});
    api.post(&format!("{group}/validatingadmissionpolicies"), &policy).await?;
    let binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "nothing-bad"},
        "spec": {"policyName": "nothing-bad", "validationActions": ["Deny"]}});
    api.post(&format!("{group}/validatingadmissionpolicybindings"), &binding).await?;
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    eventually("the policy is in force", Duration::from_secs(30), async || {
        let probe = api.post(&path, &config("probe", "bad")).await;
        if probe.is_ok() {
            api.delete(&format!("{path}/probe")).await?;
        }
        Ok(probe.is_err().then_some(()))
    })
    .await?;
    let objects = vec![config("first", "1"), config("second", "bad"), config("third", "1")];
    world.add("refused", &namespace, Rules::Kstatus, objects).await?;
    let state = eventually("the others are applied", Duration::from_secs(20), async || {
        let there = values(&api, &namespace).await? == vec![json!("1"); 2];
        let state = world.status("refused").await?.operation;
        Ok(state.filter(|state| there && state.message.contains("second")))
    })
    .await?;
    ensure!(state.message.contains("bad things are not taken"), "{}", state.message);
    ensure!(!state.message.contains("first") && !state.message.contains("third"), "{}", state.message);
    ensure!(world.status("refused").await?.sync == SyncState::OutOfSync);

    // What exists is checked before anything is written: then nothing is.
    world.manifests.set("refused", vec![config("first", "2"), config("second", "2"), config("third", "bad")]);
    world.engine.refresh(&UnitId("refused".into()));
    let state = eventually("the check fails", Duration::from_secs(30), async || {
        let state = world.status("refused").await?.operation;
        Ok(state.filter(|state| state.revision == "r2" && !state.message.is_empty()))
    })
    .await?;
    ensure!(state.phase == Phase::Running, "it is tried again: {state:?}");
    ensure!(state.message.contains("nothing was applied") && state.message.contains("third"), "{state:?}");
    ensure!(values(&api, &namespace).await? == vec![json!("1"); 2], "nothing was written");
    Ok(())
}

/// The API server itself crashes in mid-sync, after one of its writes and before it says so, and comes back: the sync goes
/// on, nothing is orphaned, no hook runs twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_restarted() -> Result<()> {
    let mut plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    // Before anything is known, while the hook before the objects runs, among the objects, and among the last hooks.
    for write in [1, 2, 4, 7] {
        let unit = format!("restart-{write}");
        let (namespace, audit) = (plane.namespace(&unit).await?, plane.audit()?);
        let proxy = FaultProxy::start(&plane)?;
        proxy.stop_after_write(write);
        let world = through(&proxy)?;
        let hook = |name: &str, phase: &str| annotated(job(name), &[("hook", phase)]);
        let wave = |name: &str, wave: &str| annotated(config(name, "1"), &[("sync-wave", wave)]);
        let objects = vec![
            hook("before", "PreSync"),
            wave("early", "-1"),
            config("one", "1"),
            config("two", "1"),
            wave("late", "1"),
            hook("after", "PostSync"),
        ];
        let kind = |object: &Value| object.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let all: BTreeSet<String> =
            objects.iter().map(|object| format!("{} {}", kind(object), name(object))).collect();
        world.add(&unit, &namespace, Rules::Argo, objects).await?;
        tokio::time::timeout(Duration::from_secs(30), proxy.stopped()).await.context("it does not stop")?;
        plane.kill_server();
        proxy.reset();
        plane.start_server().await?;
        let status = world.settled(&unit, "r1").await?;
        let state = status.operation.as_ref().context("an operation")?;
        ensure!(state.phase == Phase::Succeeded && state.retries == 0, "{write}: {state:#?}");
        ensure!(labelled(&plane, &unit, &namespace).await? == all, "{write}: everything is there");
        ensure!(inventory(&status.inventory) == all, "{write}: and known: {}", status.inventory);
        for hook in ["before", "after"] {
            ensure!(created(&audit, &namespace, hook)? == 1, "{write}: {hook} has run once");
        }
        world.manifests.set(&unit, vec![config("one", "2")]);
        world.engine.refresh(&UnitId(unit.clone()));
        world.settled(&unit, "r2").await?;
        world.kill().await?;
    }
    Ok(())
}
