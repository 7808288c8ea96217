//! `bench clusters [ROUNDS]`: one engine, fifty simulated clusters. How long a new revision takes to be in sync on the
//! others while one of them is lost, beside the same with all there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, StreamExt as _, pending};
use serde_json::json;
use towpath_cluster::Options as Connection;
use towpath_cluster::cache::Scope;
use towpath_engine::store::{MemoryStore, UnitStore as _};
use towpath_engine::unit::{ClusterId, SyncState, Unit, UnitId};
use towpath_engine::{
    ClusterChange, ClusterSpec, ClusterStore, Engine, GenerateError, GenerateRequest, Limits, ManifestSource,
    Rendered,
};
use towpath_plan::sync::Wanted;
use towpath_sandbox::{Options, Reach, Sandbox};

use crate::engine::world;
use crate::figures::{at, round3};

const CLUSTERS: usize = 50;
const UNITS_EACH: usize = 4;
/// The lost one has more units than the engine has workers.
const UNITS_OF_THE_LOST: usize = 40;

pub async fn run(args: &[String]) -> Result<()> {
    let rounds: usize = args.first().map_or(Ok(10), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let (mut sandboxes, mut clusters) = (Vec::new(), BTreeMap::new());
    for number in 0..CLUSTERS {
        let seed = format!("cluster-{number}");
        let sandbox = Sandbox::start(Options { seed: seed.clone(), ..Options::default() }).await?;
        let kubeconfig = folder.path().join(&seed);
        std::fs::write(&kubeconfig, sandbox.kubeconfig())?;
        clusters
            .insert(ClusterId(seed), Connection { kubeconfig: Some(kubeconfig), ..Connection::default() });
        sandboxes.push(sandbox);
    }
    let (store, revisions) = (Arc::new(MemoryStore::default()), Arc::new(Revisions::default()));
    let engine = Engine::builder(store.clone(), Arc::new(Clusters(clusters)), revisions.clone()).build()?;
    let running = engine.clone();
    tokio::spawn(async move { running.run(Limits::default()).await });
    let bench = Bench { store, revisions, engine };
    let lost = sandboxes.first().context("there are fifty")?;
    bench.deliver(0..CLUSTERS, 0..CLUSTERS).await?;
    let mut figures = BTreeMap::new();
    // Turn by turn, so that what else the machine does falls on all alike. The measure is the others by themselves; then
    // the units of the lost one stand in line before them.
    for round in 0..rounds {
        for (name, reach, first) in
            [("alone", Reach::Open, 1), ("one_closed", Reach::Closed, 0), ("one_silent", Reach::Silent, 0)]
        {
            lost.set_reach(reach);
            let times = bench.deliver(first..CLUSTERS, 1..CLUSTERS).await?;
            figures.entry(name).or_insert_with(Vec::new).extend(times);
            eprintln!("round {round}: {name}");
            lost.set_reach(Reach::Open);
            bench.settle_lost().await?;
        }
    }
    let mut line = json!({"bench": "clusters", "clusters": CLUSTERS, "rounds": rounds});
    let mut note = |name: String, value: f64| {
        eprintln!("{name}: {value}");
        line.as_object_mut().expect("it was made one").insert(name, json!(round3(value)));
    };
    let alone = figures.get("alone").cloned().unwrap_or_default();
    for (name, times) in &figures {
        for percent in [50, 99] {
            note(format!("{name}_p{percent}_ms"), at(times, percent));
            note(format!("{name}_p{percent}_ratio"), at(times, percent) / at(&alone, percent));
        }
    }
    bench.engine.stop();
    println!("{line}");
    Ok(())
}

struct Bench {
    store: Arc<MemoryStore>,
    revisions: Arc<Revisions>,
    engine: Engine,
}

fn units(cluster: usize) -> impl Iterator<Item = UnitId> {
    let count = if cluster == 0 { UNITS_OF_THE_LOST } else { UNITS_EACH };
    (0..count).map(move |number| UnitId(format!("unit-{cluster}-{number}")))
}

impl Bench {
    /// A new revision for the units of `all` clusters; how long each unit of `those` takes to be in sync with it.
    async fn deliver(&self, all: Range<usize>, those: Range<usize>) -> Result<Vec<Duration>> {
        let revision = self.revisions.next();
        let mut changes = self.store.watch();
        let mut begun = BTreeMap::new();
        for cluster in all {
            for id in units(cluster) {
                if self.store.get(&id).await?.is_none() {
                    self.store.create(unit(&id, cluster)).await?;
                }
                self.engine.refresh(&id);
                if those.contains(&cluster) {
                    begun.insert(id, Instant::now());
                }
            }
        }
        let (start, mut times) = (Instant::now(), Vec::new());
        while !begun.is_empty() {
            let mut done = Vec::new();
            for (id, begin) in &begun {
                if self.is_synced(id, &revision).await? {
                    times.push(begin.elapsed());
                    done.push(id.clone());
                }
            }
            begun.retain(|id, _| !done.contains(id));
            ensure!(start.elapsed() < Duration::from_mins(2), "{} units do not get in sync", begun.len());
            let _ = tokio::time::timeout(Duration::from_millis(5), changes.next()).await;
        }
        Ok(times)
    }

    async fn is_synced(&self, id: &UnitId, revision: &str) -> Result<bool> {
        let stored = self.store.get(id).await?.context("a unit vanished")?;
        Ok(stored.unit.status.sync == SyncState::Synced && stored.unit.status.revision == revision)
    }

    /// Waits until the lost cluster has caught up.
    async fn settle_lost(&self) -> Result<()> {
        let (revision, start) = (self.revisions.current(), Instant::now());
        for id in units(0) {
            self.engine.refresh(&id);
            while !self.is_synced(&id, &revision).await? {
                ensure!(start.elapsed() < Duration::from_mins(4), "the lost cluster does not catch up");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }
}

fn unit(id: &UnitId, cluster: usize) -> Unit {
    let mut unit = world::unit(id.clone());
    unit.destination.cluster = ClusterId(format!("cluster-{cluster}"));
    unit.destination.namespace = "default".into();
    unit
}

/// One config map for each unit, new with every revision.
#[derive(Default)]
struct Revisions {
    number: AtomicUsize,
}

impl Revisions {
    fn next(&self) -> String {
        self.number.fetch_add(1, Ordering::Relaxed);
        self.current()
    }

    fn current(&self) -> String {
        format!("r{}", self.number.load(Ordering::Relaxed))
    }
}

impl ManifestSource for Revisions {
    fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
        let revision = request.revision.clone().unwrap_or_else(|| self.current());
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": request.unit.id.0}, "data": {"revision": revision}});
        let rendered = Wanted::new(object, None)
            .map(|object| Rendered { objects: vec![object].into(), revision })
            .map_err(|error| GenerateError { message: error.to_string(), transient: false });
        ready(rendered).boxed()
    }
}

struct Clusters(BTreeMap<ClusterId, Connection>);

impl ClusterStore for Clusters {
    fn get<'a>(&'a self, id: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>> {
        let connection = self.0.get(id).cloned();
        ready(connection.map(|connection| ClusterSpec { connection, scope: Scope::Cluster })).boxed()
    }

    fn watch(&self) -> BoxStream<'static, ClusterChange> {
        pending().boxed()
    }
}
