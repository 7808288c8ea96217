//! The engine's own process in `bench engine`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_cluster::{Cluster, Options, Seen, Selection};
use towpath_engine::store::{MemoryStore, UnitStore as _};
use towpath_engine::unit::{Status, SyncState, UnitHealth, UnitId};
use towpath_engine::{Engine, Limits};
use towpath_object::{Gvk, Key, Object, Resource};

use super::meter::Meter;
use super::world::{Manifests, NAMESPACE, OneCluster, id, unit};
use super::{MANY, UNITS};
use crate::figures::round3;
use crate::own::{cpu, memory};

pub async fn run(part: &str, kubeconfig: PathBuf) -> Result<()> {
    let options = Options { kubeconfig: Some(kubeconfig.clone()), ..Options::default() };
    let cluster = Cluster::connect(&options).await?;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    cluster.create(&resource("v1", "Namespace", "namespaces", false), &Object::new(namespace)?).await?;
    let bench = Bench { options, store: Arc::default(), manifests: Arc::default(), cluster };
    let mut figures = serde_json::Map::new();
    let mut note = |name: &str, value: f64| {
        eprintln!("{name}: {value:.3}");
        figures.insert(name.into(), json!(round3(value)));
    };

    let engine = bench.start(&bench.options)?;
    let create = bench.add(0..UNITS).await?;
    if part == "create" {
        note("create_s", create.as_secs_f64());
        println!("{}", Value::Object(figures));
        return Ok(());
    }
    let (p50, p99) = bench.drift().await?;
    note("drift_p50_ms", p50);
    note("drift_p99_ms", p99);
    bench.end(engine, UNITS).await?;

    let start = Instant::now();
    let engine = bench.start(&bench.options)?;
    bench.ready(0..UNITS).await?;
    note("restart_s", start.elapsed().as_secs_f64());
    bench.end(engine, UNITS).await?;

    let meter = Meter::start(&kubeconfig).await?;
    let metered = Options { kubeconfig: Some(meter.kubeconfig.clone()), ..Options::default() };
    let engine = bench.start(&metered)?;
    bench.ready(0..UNITS).await?;
    let (cpu, bytes) = bench.unchanged(&engine, &meter).await?;
    note("unchanged_cpu_ms_per_unit", cpu);
    note("unchanged_bytes_sent", bytes);
    bench.end(engine, UNITS).await?;

    let engine = bench.start(&bench.options)?;
    bench.add(UNITS..MANY).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    note("objects", f64::from(u32::try_from(MANY * 4)?));
    note("rss_mib", memory("VmRSS:")?);
    note("rss_peak_mib", memory("VmHWM:")?);
    bench.end(engine, MANY).await?;

    let start = Instant::now();
    let engine = bench.start(&bench.options)?;
    bench.ready(0..MANY).await?;
    note("restart_of_many_s", start.elapsed().as_secs_f64());
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
    fn start(&self, options: &Options) -> Result<Engine> {
        let clusters = Arc::new(OneCluster { options: options.clone() });
        let engine = Engine::builder(self.store.clone(), clusters, self.manifests.clone()).build()?;
        let running = engine.clone();
        tokio::spawn(async move { running.run(Limits::default()).await });
        Ok(engine)
    }

    /// Stops the engine and takes away what it said of the units' state, so that the next one has to find out.
    async fn end(&self, engine: Engine, units: usize) -> Result<()> {
        engine.stop();
        drop(engine);
        tokio::time::sleep(Duration::from_millis(500)).await;
        for id in (0..units).map(id) {
            let stored = self.store.get(&id).await?.context("a unit vanished")?;
            let status =
                Status { sync: SyncState::Unknown, health: UnitHealth::Unknown, ..stored.unit.status };
            self.store.set_status(&id, &stored.version, status).await?;
        }
        Ok(())
    }

    /// Adds units and waits until all are in sync and healthy.
    async fn add(&self, units: Range<usize>) -> Result<Duration> {
        let start = Instant::now();
        for id in units.clone().map(id) {
            self.store.create(unit(id)).await?;
        }
        self.ready(units).await?;
        Ok(start.elapsed())
    }

    /// Waits until all are in sync and healthy.
    async fn ready(&self, units: Range<usize>) -> Result<()> {
        let start = Instant::now();
        let mut open: Vec<UnitId> = units.map(id).collect();
        while !open.is_empty() {
            let mut still = Vec::new();
            for id in open {
                let Status { sync, health, .. } =
                    self.store.get(&id).await?.context("a unit vanished")?.unit.status;
                if sync != SyncState::Synced || health != UnitHealth::Healthy {
                    still.push(id);
                }
            }
            open = still;
            // Not at every change: the looking would be a good part of what is measured.
            tokio::time::sleep(Duration::from_millis(20)).await;
            ensure!(start.elapsed() < Duration::from_mins(8), "{} units do not become ready", open.len());
        }
        Ok(())
    }

    /// The CPU time of looking at an unchanged unit, in milliseconds, and the bytes that were sent meanwhile.
    async fn unchanged(&self, engine: &Engine, meter: &Meter) -> Result<(f64, f64)> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (before, asked, sent) = (cpu()?, self.manifests.asked.load(Ordering::Relaxed), meter.sent());
        for _ in 0..20 {
            for index in 0..UNITS {
                engine.refresh(&id(index));
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let passes = self.manifests.asked.load(Ordering::Relaxed) - asked;
        ensure!(passes >= UNITS, "only {passes} looks");
        let each = cpu()?.saturating_sub(before).as_secs_f64() * 1000.0 / f64::from(u32::try_from(passes)?);
        Ok((each, f64::from(u32::try_from(meter.sent() - sent)?)))
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
}

fn resource(api_version: &str, kind: &str, plural: &str, namespaced: bool) -> Resource {
    Resource { gvk: Gvk::new(api_version, kind), plural: plural.into(), namespaced }
}
