//! The life of a unit: synced, drifted, healed, changed, pruned, vetoed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use futures::future::{BoxFuture, FutureExt as _, ready};
use http::Method;
use serde_json::json;
use towpath_engine::store::{await_sync, start_sync};
use towpath_engine::unit::{Operation, Phase, SyncState, Unit, UnitId};
use towpath_engine::{Event, Heard, SyncGate, Veto};
use towpath_plan::sync::{Rules, Task};
use towpath_testkit::{Fault, FaultProxy, Rule, eventually, shared};

use crate::world::{World, config};

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_is_synced_healed_changed_and_pruned() -> Result<()> {
    let plane = shared().await?;
    for (rules, name) in [(Rules::Kstatus, "life-k"), (Rules::Argo, "life-a")] {
        let namespace = plane.namespace(name).await?;
        let (api, world) = (plane.api(), World::start(plane)?);
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        world.add(name, &namespace, rules, vec![config("one", "1"), config("two", "2")]).await?;
        let status = world.settled(name, "r1").await?;
        ensure!(status.history.len() == 1 && status.history[0].revision == "r1", "{status:?}");
        ensure!(status.inventory.lines().count() == 2, "{}", status.inventory);

        api.patch(&format!("{path}/one"), &json!({"data": {"key": "drifted"}})).await?;
        eventually("the drift is healed", Duration::from_secs(10), async || {
            Ok((api.get(&format!("{path}/one")).await?["data"]["key"] == "1").then_some(()))
        })
        .await?;
        api.delete(&format!("{path}/two")).await?;
        eventually("the deletion is healed", Duration::from_secs(10), async || {
            Ok(api.find(&format!("{path}/two")).await?.map(|_| ()))
        })
        .await?;

        world.manifests.set(name, vec![config("one", "3")]);
        world.engine.refresh(&UnitId(name.into()));
        world.settled(name, "r2").await?;
        ensure!(api.get(&format!("{path}/one")).await?["data"]["key"] == "3");
        eventually("what is no longer wanted goes", Duration::from_secs(10), async || {
            Ok(api.find(&format!("{path}/two")).await?.is_none().then_some(()))
        })
        .await?;
    }
    Ok(())
}

/// The promise of the design: nothing changed, nothing asked.
#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_unit_costs_no_call() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("quiet").await?;
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())?;
    let mut secret = config("secret", "x");
    secret["kind"] = json!("Secret");
    secret["data"] = json!({"key": "eA=="});
    world.add("quiet", &namespace, Rules::Kstatus, vec![config("one", "1"), secret]).await?;
    world.settled("quiet", "r1").await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = proxy.seen().len();
    for _ in 0..20 {
        world.engine.refresh(&UnitId("quiet".into()));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let asked = proxy.seen().split_off(before);
    ensure!(asked.is_empty(), "{asked:?}");
    Ok(())
}

/// What an operation has applied, or is about to, is nothing to ask the server about while the unit is compared meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_unit_under_way_costs_no_question() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("under-way").await?;
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())?;
    let slow = Rule::new(Fault::Latency(Duration::from_millis(300)));
    proxy.add(slow.method(Method::PATCH).path("services/"));
    let mut service = config("web", "x");
    service["kind"] = json!("Service");
    service["spec"] = json!({"ports": [{"port": 80}]});
    if let Some(fields) = service.as_object_mut() {
        fields.remove("data");
    }
    world.add("under-way", &namespace, Rules::Kstatus, vec![config("one", "1"), service]).await?;
    let done = AtomicBool::new(false);
    let asking = async {
        while !done.load(Ordering::Relaxed) {
            world.engine.refresh(&UnitId("under-way".into()));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let settled = async {
        let settled = world.settled("under-way", "r1").await;
        done.store(true, Ordering::Relaxed);
        settled
    };
    let ((), settled) = tokio::join!(asking, settled);
    settled?;
    let asked: Vec<_> = proxy.seen().into_iter().filter(|seen| seen.query.contains("dryRun")).collect();
    ensure!(asked.is_empty(), "{asked:?}");
    Ok(())
}

struct NoTwo;

impl SyncGate for NoTwo {
    fn before_sync<'a>(&'a self, _: &'a Unit, tasks: Vec<Task>) -> BoxFuture<'a, Result<Vec<Task>, Veto>> {
        if tasks.iter().any(|task| task.id.key.name == "forbidden") {
            return ready(Err(Veto { message: "forbidden is forbidden".into() })).boxed();
        }
        ready(Ok(tasks.into_iter().filter(|task| task.id.key.name != "two").collect())).boxed()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_edits_and_vetoes_until_it_is_dropped() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("gate").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let gate = world.engine.add_gate(Arc::new(NoTwo));
    world.manifests.set("gate", vec![config("one", "1"), config("two", "2")]);
    let id = UnitId("gate".into());
    let manual = crate::world::unit("gate", &namespace, towpath_engine::unit::Policy::default());
    towpath_engine::store::UnitStore::create(&*world.store, manual).await?;
    let mut events = world.engine.subscribe();

    start_sync(&*world.store, &id, Operation::default()).await?;
    let state = await_sync(&*world.store, &id, Duration::from_secs(20)).await?;
    ensure!(state.as_ref().is_some_and(|state| state.phase == Phase::Succeeded), "{state:?}");
    ensure!(
        api.find(&format!("{path}/one")).await?.is_some()
            && api.find(&format!("{path}/two")).await?.is_none()
    );
    let mut completed = false;
    while let Ok(Some(heard)) = tokio::time::timeout(Duration::from_millis(200), events.next()).await {
        completed |= matches!(heard, Heard::Event(Event::SyncCompleted { .. }));
    }
    ensure!(completed, "the end of a sync is told");

    world.manifests.set("gate", vec![config("forbidden", "1")]);
    start_sync(&*world.store, &id, Operation::default()).await?;
    let state = await_sync(&*world.store, &id, Duration::from_secs(20)).await?;
    ensure!(state.as_ref().is_some_and(|state| state.message == "forbidden is forbidden"), "{state:?}");
    ensure!(api.find(&format!("{path}/forbidden")).await?.is_none());

    drop(gate);
    start_sync(&*world.store, &id, Operation::default()).await?;
    await_sync(&*world.store, &id, Duration::from_secs(20)).await?;
    ensure!(api.find(&format!("{path}/forbidden")).await?.is_some());
    let status = world.status("gate").await?;
    ensure!(status.sync == SyncState::OutOfSync, "one is left over and pruning is off: {status:?}");
    let kept = format!("ConfigMap/{namespace}/one: kept: it needs pruning, which is off");
    let operation = status.operation.context("an operation")?;
    ensure!(operation.message.contains(&kept), "{}", operation.message);
    eventually("the status says so too", Duration::from_secs(10), async || {
        Ok(world.status("gate").await?.message.contains(&kept).then_some(()))
    })
    .await?;
    Ok(())
}
