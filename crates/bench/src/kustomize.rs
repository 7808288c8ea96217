//! `towpath kustomize` beside the real kustomize: as processes, in this process, and in memory.
//!
//! The trees are those of `cargo xtask conformance trees`, in Go's module cache, and one that is made: 4,000
//! objects with 200 patches. Both programs run in turns; a figure is the median of its runs, of which there is
//! one where the real one takes seconds. The last line has the figures as JSON.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use towpath_kustomize::{Disk, Options, build};

use crate::child;
use crate::figures::{median, ratio, round3};

/// Folders of trees below Go's module cache, small and large.
const TREES: [&str; 12] = [
    "github.com/argoproj/argo-cd/v3@v3.5.6/manifests/cluster-install",
    "github.com/argoproj/argo-cd/v3@v3.5.6/manifests/ha/cluster-install",
    "github.com/argoproj/argo-rollouts@v1.8.3/manifests/namespace-install",
    "github.com/argoproj/argo-workflows/v3@v3.7.1/manifests/base/crds/full",
    "github.com/external-secrets/external-secrets@v0.19.2/config/crds/bases",
    "github.com/fluxcd/flagger@v1.36.1/kustomize/istio",
    "github.com/kedacore/keda/v2@v2.17.2/config/default",
    "github.com/stefanprodan/podinfo@v1.8.1-0.20250910200901-e86405a8674e/kustomize",
    "sigs.k8s.io/cluster-api@v1.11.1/config/default",
    "sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0/config/default",
    "sigs.k8s.io/descheduler@v0.36.0/kubernetes/deployment",
    "sigs.k8s.io/metrics-server@v0.9.0/manifests/overlays/release",
];
const ROUNDS: usize = 7;
/// Where one run of the real one takes longer than this, it is measured once.
const SLOW: Duration = Duration::from_secs(3);
const OBJECTS: usize = 4000;
const PATCHES: usize = 200;

/// What was measured of one tree.
struct Row {
    name: String,
    real: Duration,
    ours: Duration,
    in_process: Duration,
}

/// Measures everything.
pub async fn run() -> Result<()> {
    let towpath = PathBuf::from(std::env::var_os("TOWPATH_BIN").context("TOWPATH_BIN is not set")?);
    let real = towpath_toolbox::ensure("kustomize")?;
    let made = made_tree()?;
    let cache = module_cache()?;
    let mut folders: Vec<(String, PathBuf)> = TREES
        .iter()
        .map(|tree| ((*tree).to_owned(), cache.join(tree)))
        .filter(|(_, path)| path.is_dir())
        .collect();
    if folders.len() < TREES.len() {
        println!(
            "{} trees are not here; `cargo xtask conformance trees` downloads them",
            TREES.len() - folders.len()
        );
    }
    folders.push((format!("{OBJECTS} objects, {PATCHES} patches"), made.path().to_owned()));
    let start = time(Command::new(&towpath).args(["version", "--client"]))?;
    println!("towpath version --client: {:.1} ms", ms(start));
    println!(
        "{:<75} {:>9} {:>9} {:>7} {:>11} {:>7}",
        "tree", "real ms", "ours ms", "ratio", "in proc. ms", "ratio"
    );
    let mut rows = Vec::new();
    for (name, folder) in &folders {
        let row = measure(name, folder, &real, &towpath)?;
        let (process, library) = (ratio(row.real, row.ours), ratio(row.real, row.in_process));
        println!(
            "{:<75} {:>9.1} {:>9.1} {process:>7.1} {:>11.2} {library:>7.1}",
            row.name,
            ms(row.real),
            ms(row.ours),
            ms(row.in_process)
        );
        rows.push(row);
    }
    let (real_mib, ours_mib) = memory(made.path(), &real, &towpath).await?;
    let scaling = threads(made.path())?;
    // All trees but the one that was made, one after the other.
    let round: Duration = rows.iter().rev().skip(1).map(|row| row.in_process).sum();
    let count = f64::from(u32::try_from(rows.len().saturating_sub(1)).unwrap_or(u32::MAX));
    let per_second = round3(count / round.as_secs_f64());
    let slowest = rows.iter().map(|row| ratio(row.real, row.ours)).fold(f64::INFINITY, f64::min);
    let large = rows.last().context("no tree was measured")?;
    println!(
        "{}",
        json!({
            "benchmark": "kustomize",
            "trees": rows.len(),
            "process_ratio_geometric_mean": mean(rows.iter().map(|row| ratio(row.real, row.ours))),
            "process_ratio_lowest": slowest,
            "in_process_ratio_lowest": rows.iter().map(|row| ratio(row.real, row.in_process)).fold(f64::INFINITY, f64::min),
            "in_process_builds_per_second": per_second,
            "in_process_ratio_geometric_mean": mean(rows.iter().map(|row| ratio(row.real, row.in_process))),
            "large_tree_ms": round3(ms(large.ours)),
            "large_tree_real_ms": round3(ms(large.real)),
            "version_ms": round3(ms(start)),
            "peak_rss_mib": round3(ours_mib),
            "peak_rss_real_mib": round3(real_mib),
            "two_threads_speed_up": round3(scaling),
        })
    );
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    let count = f64::from(u32::try_from(logs.len()).unwrap_or(u32::MAX));
    round3((logs.iter().sum::<f64>() / count).exp())
}

fn module_cache() -> Result<PathBuf> {
    let go = towpath_toolbox::on_path("go")
        .context("this benchmark needs Go, whose module cache has the trees")?;
    let output = Command::new(go).args(["env", "GOMODCACHE"]).output().context("start go")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The time of one run of a program.
fn time(command: &mut Command) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(once(command)?);
    }
    Ok(median(times))
}

fn once(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let time = start.elapsed();
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(time)
}

fn measure(name: &str, folder: &Path, real: &Path, towpath: &Path) -> Result<Row> {
    let mut theirs = Command::new(real);
    theirs.args(["build", "."]).current_dir(folder);
    let mut ours = Command::new(towpath);
    ours.args(["kustomize", "."]).current_dir(folder);
    let begin = Instant::now();
    let their_output = theirs.output()?;
    let first = begin.elapsed();
    ensure!(their_output.stdout == ours.output()?.stdout, "{name}: both must build the same bytes");
    let (mut their_times, mut our_times) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // In turns, and in either order.
        if round % 2 == 0 && first <= SLOW {
            their_times.push(once(&mut theirs)?);
        }
        our_times.push(once(&mut ours)?);
        if round % 2 == 1 && first <= SLOW {
            their_times.push(once(&mut theirs)?);
        }
    }
    if their_times.is_empty() {
        their_times.push(first);
    }
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        in_process(folder)?;
        times.push(start.elapsed());
    }
    Ok(Row {
        name: name.to_owned(),
        real: median(their_times),
        ours: median(our_times),
        in_process: median(times),
    })
}

fn in_process(folder: &Path) -> Result<usize> {
    let output = build(&Disk::at(folder), ".", &Options::default())?;
    Ok(output.to_yaml()?.len())
}

/// The most memory that both have, on the tree that was made.
async fn memory(folder: &Path, real: &Path, towpath: &Path) -> Result<(f64, f64)> {
    let mut theirs = tokio::process::Command::new(real);
    theirs.args(["build", "."]).current_dir(folder);
    let mut ours = tokio::process::Command::new(towpath);
    ours.args(["kustomize", "."]).current_dir(folder);
    Ok((child::measure(&mut theirs).await?.rss_mib, child::measure(&mut ours).await?.rss_mib))
}

/// How many times more builds two threads do than one.
fn threads(folder: &Path) -> Result<f64> {
    let builds = |count: usize| -> Result<()> { (0..count).try_for_each(|_| in_process(folder).map(|_| ())) };
    let start = Instant::now();
    builds(6)?;
    let one = start.elapsed();
    let start = Instant::now();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(|| builds(6))).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(_) => bail!("a build panicked"),
        })
    })?;
    Ok(2.0 * one.as_secs_f64() / start.elapsed().as_secs_f64())
}

/// A base of many objects, and an overlay that patches some and renames all.
fn made_tree() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir().context("a folder for the tree")?;
    let base = folder.path().join("base");
    fs::create_dir(&base)?;
    let mut resources = String::from("resources:\n");
    for file in 0..OBJECTS / 40 {
        let mut text = String::new();
        for number in file * 40..(file + 1) * 40 {
            write!(
                text,
                "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-{number}\n  labels:\n    app: app-{number}\n\
                 spec:\n  replicas: 1\n  selector:\n    matchLabels:\n      app: app-{number}\n  template:\n    metadata:\n      \
                 labels:\n        app: app-{number}\n    spec:\n      containers:\n      - name: main\n        image: shop/app:1.0.{number}\n        \
                 ports:\n        - containerPort: 8080\n          name: http\n        env:\n        - name: NUMBER\n          \
                 value: \"{number}\"\n        resources:\n          limits:\n            memory: 128Mi\n"
            )?;
        }
        fs::write(base.join(format!("apps-{file}.yaml")), text)?;
        writeln!(resources, "- apps-{file}.yaml")?;
    }
    fs::write(base.join("kustomization.yaml"), resources)?;
    let mut overlay = String::from("resources:\n- base\nnamePrefix: shop-\nnamespace: shop\npatches:\n");
    for number in 0..PATCHES {
        let app = number * (OBJECTS / PATCHES);
        write!(
            overlay,
            "- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata:\n      name: app-{app}\n    spec:\n      replicas: 3\n      \
             template:\n        spec:\n          containers:\n          - name: main\n            env:\n            - name: MORE\n              value: \"1\"\n"
        )?;
    }
    fs::write(folder.path().join("kustomization.yaml"), overlay)?;
    Ok(folder)
}
