//! The engine's own process in `bench engine`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, pending};
use serde_json::{Value, json};
use towpath_cluster::cache::Scope;
use towpath_cluster::{Cluster, Options, Seen, Selection};
use towpath_engine::store::{MemoryStore, UnitStore as _};
use towpath_engine::unit::{
    Automated, ClusterId, Destination, Policy, Status, SyncState, Unit, UnitHealth, UnitId,
};
use towpath_engine::{
    ClusterChange, ClusterSpec, ClusterStore, Engine, GenerateError, GenerateRequest, Limits, ManifestSource,
    Rendered,
};
use towpath_object::{Gvk, Key, Object, Resource};
use towpath_plan::sync::{Rules, Wanted};

use crate::deploy::round3;
use crate::engine::{MANY, UNITS};
use crate::objects::unit as objects_of;

const NAMESPACE: &str = "engine";

pub async fn run(kubeconfig: PathBuf) -> Result<()> {
    let options = Options { kubeconfig: Some(kubeconfig), ..Options::default() };
    let cluster = Cluster::connect(&options).await?;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    cluster.create(&resource("v1", "Namespace", "namespaces", false), &Object::new(namespace)?).await?;
    let mut bench = Bench { options, store: Arc::default(), manifests: Arc::default(), cluster };
    let mut figures = serde_json::Map::new();
    let mut note = |name: &str, value: f64| {
        eprintln!("{name}: {value}");
        figures.insert(name.into(), json!(round3(value)));
    };

    let engine = bench.start()?;
    let create = bench.add(0..UNITS).await?;
    note("create_s", create.as_secs_f64());
    note("unchanged_cpu_ms_per_unit", bench.unchanged(&engine).await?);
    let (p50, p99) = bench.drift().await?;
    note("drift_p50_ms", p50);
    note("drift_p99_ms", p99);
    engine.stop();
    drop(engine);
    tokio::time::sleep(Duration::from_millis(300)).await;

    bench.manifests.asked.store(0, Ordering::Relaxed);
    let start = Instant::now();
    let engine = bench.start()?;
    bench.known(UNITS).await?;
    note("restart_s", start.elapsed().as_secs_f64());
    bench.add(UNITS..MANY).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    note("objects", f64::from(u32::try_from(MANY * 4)?));
    note("rss_mib", memory("VmRSS:")?);
    note("rss_peak_mib", memory("VmHWM:")?);
    engine.stop();
    println!("{}", Value::Object(figures));
    Ok(())
}

struct Bench {
    options: Options,
    store: Arc<MemoryStore>,
    manifests: Arc<Manifests>,
    cluster: Cluster,
}

impl Bench {
    fn start(&self) -> Result<Engine> {
        let clusters = Arc::new(OneCluster { options: self.options.clone() });
        let engine = Engine::builder(self.store.clone(), clusters, self.manifests.clone()).build()?;
        let running = engine.clone();
        tokio::spawn(async move { running.run(Limits::default()).await });
        Ok(engine)
    }

    /// Adds units and waits until all are in sync and healthy.
    async fn add(&mut self, units: std::ops::Range<usize>) -> Result<Duration> {
        let start = Instant::now();
        for index in units.clone() {
            let name = format!("unit-{index}");
            let objects =
                objects_of(NAMESPACE, &name).into_iter().map(|placed| Wanted::new(placed.object, None));
            let objects: Arc<[Wanted]> = objects.collect::<Result<Vec<_>, _>>()?.into();
            self.manifests
                .by_unit
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(UnitId(name.clone()), objects);
            self.store.create(unit(&name)).await?;
        }
        let mut changes = self.store.watch();
        let mut open: Vec<UnitId> = units.map(|index| UnitId(format!("unit-{index}"))).collect();
        while !open.is_empty() {
            let mut still = Vec::new();
            for id in open {
                let stored = self.store.get(&id).await?.context("a unit vanished")?;
                let Status { sync, health, .. } = stored.unit.status;
                if sync != SyncState::Synced || health != UnitHealth::Healthy {
                    still.push(id);
                }
            }
            open = still;
            let _ = tokio::time::timeout(Duration::from_millis(50), changes.next()).await;
            ensure!(start.elapsed() < Duration::from_mins(5), "{} units do not become ready", open.len());
        }
        Ok(start.elapsed())
    }

    /// The CPU time of looking at an unchanged unit, in milliseconds.
    async fn unchanged(&self, engine: &Engine) -> Result<f64> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (before, asked) = (cpu()?, self.manifests.asked.load(Ordering::Relaxed));
        for _ in 0..20 {
            for index in 0..UNITS {
                engine.refresh(&UnitId(format!("unit-{index}")));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let passes = self.manifests.asked.load(Ordering::Relaxed) - asked;
        ensure!(passes >= UNITS, "only {passes} looks");
        Ok(cpu()?.saturating_sub(before).as_secs_f64() * 1000.0 / f64::from(u32::try_from(passes)?))
    }

    /// Changes 100 objects by hand, one after the other, and measures how long each stays changed.
    async fn drift(&self) -> Result<(f64, f64)> {
        let services = resource("v1", "Service", "services", true);
        let mut follow = self.cluster.follow(&services, Selection::in_namespace(NAMESPACE));
        follow.next().await.context("the services cannot be watched")?;
        let mut times = Vec::new();
        for index in 0..100 {
            let name = format!("unit-{index}");
            let key = Key::new("", "Service", NAMESPACE, &name);
            let patch = json!([{"op": "replace", "path": "/spec/ports/0/targetPort", "value": "other"}]);
            let start = Instant::now();
            self.cluster.patch(&services, &key, &patch).await?;
            loop {
                let seen = tokio::time::timeout(Duration::from_secs(30), follow.next()).await?;
                let Some(Seen::Applied(object)) = seen else { continue };
                let named = object.pointer("/metadata/name").and_then(Value::as_str) == Some(name.as_str());
                let port = object.pointer("/spec/ports/0/targetPort").and_then(Value::as_str);
                if named && port == Some("http") {
                    break;
                }
            }
            times.push(start.elapsed().as_secs_f64() * 1000.0);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        times.sort_by(f64::total_cmp);
        let at = |index: usize| times.get(index).copied().unwrap_or(f64::NAN);
        Ok((at(50), at(98)))
    }

    /// Waits until every unit has been looked at.
    async fn known(&self, units: usize) -> Result<()> {
        let start = Instant::now();
        while self.manifests.asked.load(Ordering::Relaxed) < units {
            ensure!(start.elapsed() < Duration::from_mins(1), "not all units were looked at");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }
}

fn unit(name: &str) -> Unit {
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    Unit {
        id: UnitId(name.into()),
        generation: 1,
        source: json!({"path": name}),
        destination: Destination { cluster: ClusterId("main".into()), namespace: NAMESPACE.into() },
        policy: Policy { rules: Rules::Kstatus, automated, ..Policy::default() },
        depends_on: Vec::new(),
        deleting: false,
        status: Status::default(),
        operation: None,
    }
}

/// Manifests that are at hand, and how often they were asked for.
#[derive(Default)]
struct Manifests {
    by_unit: Mutex<BTreeMap<UnitId, Arc<[Wanted]>>>,
    asked: AtomicUsize,
}

impl ManifestSource for Manifests {
    fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let objects =
            self.by_unit.lock().unwrap_or_else(PoisonError::into_inner).get(&request.unit.id).cloned();
        let missing = || GenerateError { message: "there are no manifests".into(), transient: false };
        ready(objects.map(|objects| Rendered { objects, revision: "one".into() }).ok_or_else(missing)).boxed()
    }
}

struct OneCluster {
    options: Options,
}

impl ClusterStore for OneCluster {
    fn get<'a>(&'a self, _: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>> {
        ready(Some(ClusterSpec { connection: self.options.clone(), scope: Scope::Cluster })).boxed()
    }

    fn watch(&self) -> BoxStream<'static, ClusterChange> {
        pending().boxed()
    }
}

fn resource(api_version: &str, kind: &str, plural: &str, namespaced: bool) -> Resource {
    Resource { gvk: Gvk::new(api_version, kind), plural: plural.into(), namespaced }
}

/// A line of `/proc/self/status`, in MiB.
fn memory(name: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).context("the kernel does not tell")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? / 1024.0)
}

/// The CPU time of this process, in hundredths of a second.
fn cpu() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    Ok(Duration::from_millis(10 * (ticks(11) + ticks(12))))
}
