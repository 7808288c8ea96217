//! `bench large`: one unit of 10,000 objects, kept with its status in the cluster: how long its plan takes, and how long a
//! look at it takes when nothing has changed and everything that is on the cluster is known.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _, ready};
use serde_json::json;
use towpath_cluster::{Cluster, Options};
use towpath_engine::store::{KubernetesStore, UnitStore as _};
use towpath_engine::unit::{Status, SyncState, UnitHealth, UnitId};
use towpath_engine::{Engine, GenerateError, GenerateRequest, Limits, ManifestSource, Rendered};
use towpath_object::{Gvk, Kinds, Object, Resource};
use towpath_plan::sync::{Request, Rules, Selection, SyncOptions, Wanted, schedule};
use towpath_testkit::ControlPlane;

use crate::engine::world::{NAMESPACE, OneCluster, unit};
use crate::figures::{median, round3};
use crate::own::memory;

const OBJECTS: usize = 10_000;
const LOOKS: usize = 20;

pub async fn run() -> Result<()> {
    let wanted: Arc<[Wanted]> = (0..OBJECTS).map(object).collect::<Result<Vec<_>>>()?.into();
    let plan = median((0..5).map(|_| planned(&wanted)).collect::<Result<Vec<_>>>()?);
    eprintln!("a plan for {OBJECTS} objects: {:.0} ms", plan.as_secs_f64() * 1000.0);

    let plane = ControlPlane::builder().controllers(false).start().await?;
    for name in [NAMESPACE, "units"] {
        plane.api().post("/api/v1/namespaces", &json!({"metadata": {"name": name}})).await?;
    }
    let options = Options { kubeconfig: Some(plane.kubeconfig_path()), ..Options::default() };
    let store = Arc::new(KubernetesStore::new(Cluster::connect(&options).await?, "units"));
    let source = Arc::new(Source { objects: wanted, asked: AtomicUsize::new(0) });
    let id = UnitId("large".into());
    let engine = Engine::builder(store.clone(), Arc::new(OneCluster { options }), source.clone()).build()?;
    let running = engine.clone();
    tokio::spawn(async move { running.run(Limits::default()).await });

    let start = Instant::now();
    store.create(unit(id.clone())).await?;
    let status = settled(&store, &id).await?;
    let create = start.elapsed();
    ensure!(status.inventory.lines().count() == OBJECTS, "all are on record");
    eprintln!("all in sync after {:.1} s", create.as_secs_f64());

    tokio::time::sleep(Duration::from_secs(3)).await;
    let (start, before) = (Instant::now(), source.asked.load(Ordering::Relaxed));
    // A unit that is looked at is looked at once more if it is put into the queue meanwhile: one look follows another.
    while source.asked.load(Ordering::Relaxed) < before + LOOKS {
        engine.refresh(&id);
        tokio::time::sleep(Duration::from_millis(2)).await;
        ensure!(start.elapsed() < Duration::from_mins(2), "it is not looked at");
    }
    let look = start.elapsed().as_secs_f64() / f64::from(u32::try_from(LOOKS)?);
    engine.stop();
    let line = json!({
        "bench": "large", "objects": OBJECTS, "plan_ms": round3(plan.as_secs_f64() * 1000.0),
        "unchanged_look_ms": round3(look * 1000.0), "create_s": round3(create.as_secs_f64()),
        "rss_mib": round3(memory("VmRSS:")?),
    });
    println!("{line}");
    Ok(())
}

fn object(index: usize) -> Result<Wanted> {
    let wave = (index % 5).to_string();
    let value = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": format!("m-{index}"), "annotations": {"argocd.argoproj.io/sync-wave": wave}},
        "data": {"number": index.to_string(), "text": "some words that are the same in all of them"}});
    Ok(Wanted::new(value, None)?)
}

/// The time of a plan in which every other object is there already, in five waves.
fn planned(wanted: &[Wanted]) -> Result<Duration> {
    let mut kinds = Kinds::default();
    let gvk = Gvk::new("v1", "ConfigMap");
    kinds.add(Resource { gvk, plural: "configmaps".into(), namespaced: true });
    let live: Vec<Object> = wanted.iter().step_by(2).map(|one| one.object.clone()).collect();
    let unreadable = BTreeMap::new();
    let request = Request {
        rules: Rules::Argo,
        options: SyncOptions { prune: true, ..SyncOptions::default() },
        namespace: NAMESPACE.into(),
        namespace_metadata: None,
        wanted: wanted.to_vec(),
        live,
        selection: Selection::All,
        revision: "0123456789".into(),
        started: "2026-01-01T00:00:00Z".parse()?,
        kinds: &kinds,
        unreadable: &unreadable,
        caller: &(),
    };
    let start = Instant::now();
    let plan = schedule(request).map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
    let time = start.elapsed();
    ensure!(plan.tasks.len() >= wanted.len(), "{} tasks", plan.tasks.len());
    Ok(time)
}

async fn settled(store: &KubernetesStore, id: &UnitId) -> Result<Status> {
    let (start, mut changes) = (Instant::now(), store.watch());
    loop {
        let status = store.get(id).await?.context("the unit vanished")?.unit.status;
        let over = status.operation.as_ref().is_some_and(|state| state.phase.is_over());
        if over && status.sync == SyncState::Synced && status.health == UnitHealth::Healthy {
            return Ok(status);
        }
        let _ = tokio::time::timeout(Duration::from_millis(200), changes.next()).await;
        ensure!(start.elapsed() < Duration::from_mins(5), "it does not settle: {}", status.message);
    }
}

/// Manifests that are at hand, and how often they were asked for.
struct Source {
    objects: Arc<[Wanted]>,
    asked: AtomicUsize,
}

impl ManifestSource for Source {
    fn generate(&self, _: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        ready(Ok(Rendered { objects: self.objects.clone(), revision: "one".into() })).boxed()
    }
}
