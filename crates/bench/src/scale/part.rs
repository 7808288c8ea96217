//! The cache's own process in `bench scale`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use towpath_cluster::cache::{Cache, CacheEvent, CacheSettings, Filter, Mode};
use towpath_cluster::{Cluster, Options};
use towpath_object::Key;

use crate::figures::{at, round3};
use crate::own::memory;

use super::fill::UNIT;

pub async fn run(args: &[String]) -> Result<()> {
    let [kubeconfig, objects] = args else { anyhow::bail!("a kubeconfig and the number of objects") };
    let objects: usize = objects.parse()?;
    let cluster =
        Cluster::connect(&Options { kubeconfig: Some(kubeconfig.into()), ..Options::default() }).await?;
    let settings = CacheSettings {
        mode: Mode::All(Filter::default()),
        unit_labels: vec!["towpath.dev/unit".into()],
        ..CacheSettings::default()
    };
    let start = Instant::now();
    let cache = Cache::start(cluster, settings);
    cache.ready_all().await;
    let cold = start.elapsed();
    ensure!(cache.len() >= objects, "{} objects of {objects} are known", cache.len());
    let peak = memory("VmHWM:")?;
    // What was freed goes back to the system in its own time.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let steady = memory("VmRSS:")?;
    println!("{} objects in {:.1} s, {steady:.0} MiB, at most {peak:.0}", cache.len(), cold.as_secs_f64());

    let over = Arc::new(AtomicBool::new(false));
    let told = tokio::spawn(listen(cache.clone()));
    let reading = {
        let (cache, over) = (cache.clone(), over.clone());
        std::thread::spawn(move || read(&cache, &over))
    };
    // Until the one that started us says so.
    tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    over.store(true, Ordering::Relaxed);
    let reads = reading.join().map_err(|_| anyhow::anyhow!("the reader ended"))?;
    let rss = memory("VmRSS:")?;
    drop(cache);
    let events = told.await.context("the listener ended")?;
    println!(
        "{}",
        json!({
            "objects": objects,
            "cold_start_s": round3(cold.as_secs_f64()),
            "steady_mib": round3(steady),
            "rss_mib": round3(rss.max(steady)),
            "cold_peak_mib": round3(peak),
            "peak_to_steady": round3(peak / steady),
            "events_seen": events.times.len(),
            "events_lost": events.lost,
            "event_p50_ms": at(&events.times, 50),
            "event_p99_ms": at(&events.times, 99),
            "reads": reads.all.len(),
            "reader_p50_ms": at(&reads.all, 50),
            "reader_p99_ms": at(&reads.all, 99),
            "unit_p50_ms": at(&reads.units, 50),
            "unit_p99_ms": at(&reads.units, 99),
        })
    );
    Ok(())
}

#[derive(Default)]
struct Told {
    times: Vec<Duration>,
    lost: u64,
}

/// How long the news of objects takes that carry the time of their change: from the write to the moment when a
/// subscriber has the new state in hand.
async fn listen(cache: Cache) -> Told {
    let mut events = cache.subscribe();
    let mut told = Told::default();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(3), events.next()).await;
        let Ok(Some(event)) = next else { return told };
        match event {
            CacheEvent::Changed(change) if change.unit.is_some() => {
                let Some(managed) = cache.get(&change.key).and_then(|row| row.managed) else { continue };
                let object = managed.object();
                let written = object.value().pointer("/metadata/annotations/written");
                let written = written.and_then(|text| text.as_str()?.parse::<u64>().ok()).unwrap_or(0);
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                told.times.push(now.saturating_sub(Duration::from_micros(written)));
            }
            CacheEvent::Lagged(count) => told.lost += count,
            _ => {}
        }
    }
}

#[derive(Default)]
struct Reads {
    all: Vec<Duration>,
    units: Vec<Duration>,
}

/// Asks a thousand times a second, as a reconciler would.
fn read(cache: &Cache, over: &AtomicBool) -> Reads {
    let mut reads = Reads::default();
    let mut number = 0usize;
    while !over.load(Ordering::Relaxed) {
        number = number.wrapping_add(1);
        let start = Instant::now();
        match number % 4 {
            0 => {
                let found = cache.unit(&format!("unit-{}", number % 150)).len();
                if found == UNIT {
                    reads.units.push(start.elapsed());
                }
            }
            1 => drop(cache.children(&Key::new(
                "apps",
                "ReplicaSet",
                &space(number),
                &format!("replicaset-{number}"),
            ))),
            2 => drop(cache.get(&Key::new("", "Pod", &space(number), &format!("pod-{number}")))),
            _ => drop(cache.tree([&Key::new(
                "apps",
                "Deployment",
                &space(number),
                &format!("deployment-{number}"),
            )])),
        }
        reads.all.push(start.elapsed());
        number %= 10_000;
        std::thread::sleep(Duration::from_millis(1));
    }
    reads
}

fn space(number: usize) -> String {
    format!("space-{}", number % 500)
}
