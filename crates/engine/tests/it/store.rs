//! Units as ConfigMaps on a real control plane: every operation, conflicts, lost answers, size, and an engine on them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use futures::StreamExt as _;
use futures::future::try_join;
use futures::stream::BoxStream;
use serde_json::{Value, json};
use tokio::time::timeout;
use towpath_cluster::{Cluster, Options};
use towpath_engine::store::{
    KubernetesStore, StoreError, Stored, UnitChange, UnitStore, Version, await_sync, start_sync,
};
use towpath_engine::unit::{
    Automated, Operation, OperationState, Phase, Policy, Status, SyncState, Unit, UnitHealth, UnitId,
};
use towpath_engine::{Engine, Limits, OneCluster};
use towpath_object::{Key, digest};
use towpath_plan::sync::{Code, Mark, Phase as SyncPhase, Progress, State, TaskId, TaskResult};
use towpath_plan::{Applied, Entry, Inventory, Record};
use towpath_testkit::{Fault, FaultProxy, Rule, eventually, shared};

use crate::world::{Manifests, config, unit};

async fn store(kubeconfig: PathBuf, namespace: &str) -> Result<KubernetesStore> {
    let options = Options { kubeconfig: Some(kubeconfig), ..Options::default() };
    Ok(KubernetesStore::new(Cluster::connect(&options).await?, namespace))
}

fn shop(namespace: &str) -> Unit {
    unit("shop", namespace, Policy::default())
}

fn id(name: &str) -> UnitId {
    UnitId(name.into())
}

async fn read(store: &KubernetesStore, name: &str) -> Result<Stored> {
    store.get(&id(name)).await?.context("the unit is gone")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_a_store() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("store").await?;
    let store = store(plane.kubeconfig_path(), &namespace).await?;
    ensure!(store.list().await?.is_empty() && store.get(&id("shop")).await?.is_none());

    let created = store.create(shop(&namespace)).await?;
    ensure!(created.unit == shop(&namespace) && !created.version.0.is_empty());
    ensure!(matches!(store.create(shop(&namespace)).await, Err(StoreError::Exists { .. })));
    ensure!(read(&store, "shop").await?.version == created.version);

    let status = Status { revision: "r1".into(), sync: SyncState::Synced, ..Status::default() };
    let second = store.set_status(&id("shop"), &created.version, status.clone()).await?;
    let late = store.set_status(&id("shop"), &created.version, Status::default()).await;
    ensure!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");
    let asked = Operation { initiator: "somebody".into(), ..Operation::default() };
    let third = store.set_operation(&id("shop"), &second, Some(asked.clone())).await?;

    // What a person says is replaced, what the engine says stays.
    let wanted = Unit { source: json!({"path": "new"}), generation: 99, ..shop(&namespace) };
    let updated = store.update(wanted, &third).await?;
    ensure!(updated.unit.generation == 2 && updated.unit.source["path"] == "new", "{updated:?}");
    ensure!(updated.unit.status == status && updated.unit.operation == Some(asked));
    let taken = store.set_operation(&id("shop"), &updated.version, None).await?;
    let now = read(&store, "shop").await?;
    ensure!(now.version == taken && now.unit.operation.is_none() && now.unit.status == status);
    ensure!(store.list().await?.len() == 1);

    store.delete(&id("shop")).await?;
    ensure!(matches!(store.delete(&id("shop")).await, Err(StoreError::Missing { .. })));
    let gone = store.set_status(&id("shop"), &taken, status).await;
    ensure!(matches!(gone, Err(StoreError::Missing { .. })), "{gone:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_unit_is_its_own_trouble() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("damaged").await?;
    let store = store(plane.kubeconfig_path(), &namespace).await?;
    store.create(shop(&namespace)).await?;
    store.create(unit("bad", &namespace, Policy::default())).await?;
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/towpath-unit-bad");
    plane.api().patch(&path, &json!({"data": {"unit.json": "{"}})).await?;
    let left: Vec<UnitId> = store.list().await?.into_iter().map(|stored| stored.unit.id).collect();
    ensure!(left == [id("shop")], "{left:?}");
    let error = store.get(&id("bad")).await.err().context("it was readable")?.to_string();
    ensure!(error.starts_with("read the unit bad: unit.json: "), "{error}");
    let refused = store.create(unit("Not_A_Name", &namespace, Policy::default())).await;
    ensure!(matches!(refused, Err(StoreError::Broken { .. })), "{refused:?}");
    Ok(())
}

/// Adds one to a number in the status, however often somebody else comes in between.
async fn add_one(store: &KubernetesStore) -> Result<usize> {
    let mut conflicts = 0;
    loop {
        let Stored { unit, version } = read(store, "shop").await?;
        let status =
            Status { observed_generation: unit.status.observed_generation + 1, ..unit.status.clone() };
        match store.set_status(&unit.id, &version, status).await {
            Ok(_) => return Ok(conflicts),
            Err(StoreError::Conflict { .. }) => conflicts += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_stores_side_by_side_lose_nothing() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("two").await?;
    let (one, two) =
        try_join(store(plane.kubeconfig_path(), &namespace), store(plane.kubeconfig_path(), &namespace))
            .await?;
    one.create(shop(&namespace)).await?;
    let twenty = async |store: &KubernetesStore| -> Result<()> {
        for _ in 0..20 {
            add_one(store).await?;
        }
        Ok(())
    };
    try_join(twenty(&one), twenty(&two)).await?;
    ensure!(read(&two, "shop").await?.unit.status.observed_generation == 40);

    // Both ask for the very same: one of them has asked, and the other knows that it has not.
    let now = read(&one, "shop").await?;
    let ask = async |store: &KubernetesStore, version: &Version| {
        store.set_operation(&id("shop"), version, Some(Operation::default())).await
    };
    let answers = futures::join!(ask(&one, &now.version), ask(&two, &now.version));
    ensure!(answers.0.is_ok() != answers.1.is_ok(), "{answers:?}");
    Ok(())
}

/// The server takes each write and the connection is cut before it can say so.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_neither_a_conflict_nor_a_second_write() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("lost").await?;
    let proxy = FaultProxy::start(plane)?;
    let store = store(proxy.kubeconfig_path().to_path_buf(), &namespace).await?;
    ensure!(store.list().await?.is_empty());
    let lose = || proxy.add(Rule::new(Fault::CutAfter).writes().times(1));
    lose();
    let mut version = store.create(shop(&namespace)).await?.version;
    for count in 1..=3 {
        lose();
        let status = Status { observed_generation: count, ..Status::default() };
        version = store.set_status(&id("shop"), &version, status).await?;
        lose();
        let operation = (count % 2 == 1).then(Operation::default);
        version = store.set_operation(&id("shop"), &version, operation).await?;
    }
    lose();
    let Stored { unit, version } = store.update(shop(&namespace), &version).await?;
    ensure!(unit.generation == 2, "updated once: {unit:?}");
    ensure!(unit.status.observed_generation == 3 && unit.operation.is_some(), "{unit:?}");
    ensure!(read(&store, "shop").await?.version == version);
    lose();
    store.delete(&id("shop")).await?;
    ensure!(store.list().await?.is_empty());
    ensure!(proxy.writes().len() == 18, "each of the nine writes was cut once: {:?}", proxy.writes());
    Ok(())
}

async fn next(changes: &mut BoxStream<'static, UnitChange>) -> Result<UnitChange> {
    timeout(Duration::from_secs(10), changes.next()).await?.context("the watch ended")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_tells_everything_though_it_breaks() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("watch").await?;
    let proxy = FaultProxy::start(plane)?;
    let watched = store(proxy.kubeconfig_path().to_path_buf(), &namespace).await?;
    let other = store(plane.kubeconfig_path(), &namespace).await?;
    let first = other.create(shop(&namespace)).await?;
    let mut changes = watched.watch();
    ensure!(next(&mut changes).await? == UnitChange::Changed(id("shop")));
    other.create(unit("late", &namespace, Policy::default())).await?;
    ensure!(next(&mut changes).await? == UnitChange::Changed(id("late")));
    other.delete(&id("late")).await?;
    ensure!(next(&mut changes).await? == UnitChange::Removed(id("late")));

    // A change, a new unit and a deletion: the watch expires after each event and is begun anew.
    drop(changes);
    proxy.add(Rule::new(Fault::WatchExpired { after: 1 }).watches().times(3));
    let mut changes = watched.watch();
    ensure!(next(&mut changes).await? == UnitChange::Changed(id("shop")));
    other.set_operation(&id("shop"), &first.version, Some(Operation::default())).await?;
    ensure!(next(&mut changes).await? == UnitChange::Changed(id("shop")));
    other.create(unit("new", &namespace, Policy::default())).await?;
    ensure!(next(&mut changes).await? == UnitChange::Changed(id("new")));
    other.delete(&id("shop")).await?;
    ensure!(next(&mut changes).await? == UnitChange::Removed(id("shop")));
    ensure!(timeout(Duration::from_millis(300), changes.next()).await.is_err(), "nothing is told twice");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_watched_is_read_for_nothing() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("free").await?;
    let proxy = FaultProxy::start(plane)?;
    let store = Arc::new(store(proxy.kubeconfig_path().to_path_buf(), &namespace).await?);
    let other = self::store(plane.kubeconfig_path(), &namespace).await?;
    let mut version = other.create(shop(&namespace)).await?.version;
    let mut changes = store.watch();
    ensure!(next(&mut changes).await? == UnitChange::Changed(id("shop")));
    let listening = tokio::spawn(async move { while changes.next().await.is_some() {} });
    let asked = || proxy.seen().iter().filter(|seen| !seen.is_watch()).count();

    let before = asked();
    for _ in 0..50 {
        ensure!(read(&store, "shop").await?.version == version && store.get(&id("none")).await?.is_none());
    }
    ensure!(asked() == before, "reading costs nothing");
    for count in 1..=20 {
        let status = Status { observed_generation: count, ..Status::default() };
        version = store.set_status(&id("shop"), &version, status).await?;
        ensure!(read(&store, "shop").await?.version == version, "its own write is seen at once");
    }
    // Somebody else's write arrives by the watch, or as a conflict that the next read resolves.
    other.set_operation(&id("shop"), &version, Some(Operation::default())).await?;
    add_one(&store).await?;
    let unit = read(&other, "shop").await?.unit;
    ensure!(unit.status.observed_generation == 21 && unit.operation.is_some(), "{unit:?}");
    eventually("the watch has caught up", Duration::from_secs(10), async || {
        let before = asked();
        read(&store, "shop").await?;
        Ok((asked() == before).then_some(()))
    })
    .await?;
    let (before, now) = (asked(), read(&store, "shop").await?);
    store.set_operation(&id("shop"), &now.version, None).await?;
    ensure!(asked() == before + 1, "a write is one request");
    store.delete(&id("shop")).await?;
    ensure!(store.get(&id("shop")).await?.is_none());
    listening.abort();
    Ok(())
}

/// What 10,000 objects leave behind: the inventory, and what the sync did to each of them.
fn large() -> Result<Status> {
    let keys: Vec<Key> = (0..10_000)
        .map(|index| {
            let kind = if index % 3 == 0 { "StatefulSet" } else { "Deployment" };
            Key::new("apps", kind, &format!("team-{}", index % 40), &format!("service-{index}"))
        })
        .collect();
    // As varied as real digests and uids are.
    let varied = |index: usize, what: &str| digest(&json!([what, index])).short();
    let entry = |(index, key): (usize, &Key)| {
        let record = Record { manifest: varied(index, "manifest"), owned: varied(index, "owned") };
        (key.clone(), Entry { version: "v1".into(), applied: Applied::Recorded(record) })
    };
    let inventory = Inventory { entries: keys.iter().enumerate().map(entry).collect() };
    let result = |(index, key): (usize, &Key)| TaskResult {
        task: TaskId { key: key.clone(), phase: SyncPhase::Sync },
        state: State::Running,
        code: Some(Code::Synced),
        message: String::new(),
        mark: Some(Mark {
            uid: varied(index, "uid"),
            resource_version: (1_000_000 + index).to_string(),
            generation: 1,
        }),
        over: None,
        missed: false,
        order: index,
    };
    let results: Vec<TaskResult> = keys.iter().enumerate().map(result).collect();
    let progress: Progress =
        serde_json::from_value(json!({"results": results, "touched": [], "checked": true, "outcome": null}))?;
    let state: Value = json!({
        "operation": Operation::default(), "phase": Phase::Running, "message": "", "revision": "r1",
        "started": "2026-01-01T00:00:00Z", "finished": null, "retries": 0, "progress": progress,
    });
    let operation: OperationState = serde_json::from_value(state)?;
    Ok(Status { inventory: inventory.to_text(), operation: Some(operation), ..Status::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_objects_fit() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("large").await?;
    let store = store(plane.kubeconfig_path(), &namespace).await?;
    let created = store.create(shop(&namespace)).await?;
    let mut status = large()?;
    ensure!(status.inventory.lines().count() == 10_000);
    let version = store.set_status(&id("shop"), &created.version, status.clone()).await?;
    ensure!(read(&store, "shop").await?.unit.status == status, "while the sync is under way");
    let Some(operation) = &mut status.operation else { bail!("there is an operation") };
    operation.phase = Phase::Succeeded;
    store.set_status(&id("shop"), &version, status.clone()).await?;
    ensure!(read(&store, "shop").await?.unit.status == status, "when it is over");
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/towpath-unit-shop");
    let map = plane.api().get(&path).await?;
    ensure!(map["binaryData"]["inventory.gz"].is_string() && map["data"]["unit.json"].is_string());
    Ok(())
}

/// An engine over units in a cluster, as a process would start it.
async fn start(kubeconfig: PathBuf, home: &str, manifests: &Arc<Manifests>) -> Result<Engine> {
    let units = Arc::new(store(kubeconfig.clone(), home).await?);
    let connection = Options { kubeconfig: Some(kubeconfig), ..Options::default() };
    let clusters = Arc::new(OneCluster::new(connection));
    let engine = Engine::builder(units, clusters, manifests.clone()).build()?;
    let running = engine.clone();
    tokio::spawn(async move { running.run(Limits::default()).await });
    Ok(engine)
}

async fn settled(store: &KubernetesStore, name: &str, revision: &str) -> Result<Status> {
    let settled = eventually(&format!("{name} at {revision}"), Duration::from_secs(30), async || {
        let unit = read(store, name).await?.unit;
        let Unit { status, operation, .. } = unit;
        let over = status.operation.as_ref().is_some_and(|state| state.phase == Phase::Succeeded);
        let good = status.sync == SyncState::Synced && status.health == UnitHealth::Healthy;
        Ok((over && good && operation.is_none() && status.revision == revision).then_some(status))
    })
    .await;
    match settled {
        Ok(status) => Ok(status),
        Err(error) => Err(error.context(format!("{:#?}", read(store, name).await?.unit))),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_runs_on_it_and_the_next_one_goes_on() -> Result<()> {
    let plane = shared().await?;
    let (home, namespace) = try_join(plane.namespace("home"), plane.namespace("goods")).await?;
    let (api, person) = (plane.api(), store(plane.kubeconfig_path(), &home).await?);
    let manifests = Arc::new(Manifests::default());
    manifests.set("shop", vec![config("one", "1"), config("two", "2")]);
    let engine = start(plane.kubeconfig_path(), &home, &manifests).await?;
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    person.create(unit("shop", &namespace, Policy { automated, ..Policy::default() })).await?;
    let status = settled(&person, "shop", "r1").await?;
    ensure!(status.inventory.lines().count() == 2 && status.history.len() == 1, "{status:?}");
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    ensure!(api.get(&format!("{path}/two")).await?["data"]["key"] == "2");

    // Somebody who has only the store asks for a sync.
    start_sync(&person, &id("shop"), Operation { initiator: "somebody".into(), ..Operation::default() })
        .await?;
    let state = await_sync(&person, &id("shop"), Duration::from_secs(20)).await?;
    ensure!(state.is_some_and(|state| state.operation.initiator == "somebody"));
    let status = settled(&person, "shop", "r1").await?;
    engine.stop();

    // The next process knows everything and has nothing to write.
    let proxy = FaultProxy::start(plane)?;
    let engine = start(proxy.kubeconfig_path().to_path_buf(), &home, &manifests).await?;
    eventually("the unit is looked at", Duration::from_secs(20), async || {
        let watched = |seen: &towpath_testkit::Seen| seen.is_watch() && seen.query.contains("towpath.dev");
        Ok((proxy.seen().iter().filter(|seen| watched(seen)).count() >= 2).then_some(()))
    })
    .await?;
    // A busy machine may take its time for the first lists.
    eventually("the start is over", Duration::from_secs(20), async || {
        let before = proxy.seen().len();
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok((proxy.seen().len() == before).then_some(()))
    })
    .await?;
    ensure!(proxy.writes().is_empty(), "{:?}", proxy.writes());
    ensure!(read(&person, "shop").await?.unit.status == status);
    let before = proxy.seen().len();
    for _ in 0..20 {
        engine.refresh(&id("shop"));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let asked = proxy.seen().split_off(before);
    ensure!(asked.is_empty(), "an unchanged unit costs no call: {asked:?}");

    api.patch(&format!("{path}/one"), &json!({"data": {"key": "drifted"}})).await?;
    eventually("the drift is healed", Duration::from_secs(10), async || {
        Ok((api.get(&format!("{path}/one")).await?["data"]["key"] == "1").then_some(()))
    })
    .await?;
    engine.stop();
    Ok(())
}

/// The answers to the first writes of a sync are lost, those of the store and those of the objects alike.
#[tokio::test(flavor = "multi_thread")]
async fn a_sync_whose_answers_are_lost_happens_once() -> Result<()> {
    let plane = shared().await?;
    let (home, namespace) = try_join(plane.namespace("home"), plane.namespace("goods")).await?;
    let (proxy, person) = (FaultProxy::start(plane)?, store(plane.kubeconfig_path(), &home).await?);
    let manifests = Arc::new(Manifests::default());
    manifests.set("lossy", vec![config("one", "1"), config("two", "2"), config("three", "3")]);
    let engine = start(proxy.kubeconfig_path().to_path_buf(), &home, &manifests).await?;
    eventually("the engine watches", Duration::from_secs(20), async || {
        Ok(proxy.seen().iter().any(towpath_testkit::Seen::is_watch).then_some(()))
    })
    .await?;
    proxy.add(Rule::new(Fault::CutAfter).writes().times(6));
    person.create(unit("lossy", &namespace, Policy::default())).await?;
    start_sync(&person, &id("lossy"), Operation::default()).await?;
    let status = settled(&person, "lossy", "r1").await?;
    ensure!(status.history.len() == 1 && status.inventory.lines().count() == 3, "{status:?}");
    ensure!(proxy.writes().len() >= 9, "they were cut: {:?}", proxy.writes());
    engine.stop();
    Ok(())
}
