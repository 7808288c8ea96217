//! An engine in a process of its own, its units in the cluster, killed with SIGKILL at every write: of the units' record,
//! of objects and of hooks alike. The next process goes on where it was.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use tokio::process::{Child, Command};
use towpath_cluster::{Cluster, Options};
use towpath_engine::store::{KubernetesStore, UnitStore as _};
use towpath_engine::unit::{Automated, Phase, Policy, Status, SyncState, UnitHealth, UnitId};
use towpath_engine::{Engine, Limits, OneCluster};
use towpath_plan::sync::Rules;
use towpath_testkit::{AuditLog, ControlPlane, Fault, FaultProxy, Rule, eventually};

use crate::hooks::{annotated, job};
use crate::kill::{created, inventory, labelled};
use crate::world::{Manifests, config, unit};

/// What the process is told: its kubeconfig, the namespace of its units, and the unit.
const TOLD: [&str; 3] = ["TOWPATH_TEST_KUBECONFIG", "TOWPATH_TEST_HOME", "TOWPATH_TEST_UNIT"];

fn objects() -> Vec<Value> {
    vec![
        annotated(job("before"), &[("hook", "PreSync")]),
        annotated(config("early", "1"), &[("sync-wave", "-1")]),
        config("middle", "1"),
        annotated(job("after"), &[("hook", "PostSync"), ("hook-delete-policy", "HookSucceeded")]),
    ]
}

async fn store(kubeconfig: &Path, home: &str) -> Result<KubernetesStore> {
    let options = Options { kubeconfig: Some(kubeconfig.into()), ..Options::default() };
    Ok(KubernetesStore::new(Cluster::connect(&options).await?, home))
}

/// The process itself. Run among the other tests it is told nothing and does nothing.
#[tokio::test(flavor = "multi_thread")]
async fn the_engine_that_is_killed() -> Result<()> {
    let told: Vec<String> = TOLD.iter().filter_map(|name| std::env::var(name).ok()).collect();
    let [kubeconfig, home, unit] = told.as_slice() else { return Ok(()) };
    let kubeconfig = PathBuf::from(kubeconfig);
    let manifests = Arc::new(Manifests::default());
    manifests.set(unit, objects());
    let options = Options { kubeconfig: Some(kubeconfig.clone()), ..Options::default() };
    let units = Arc::new(store(&kubeconfig, home).await?);
    let engine = Engine::builder(units, Arc::new(OneCluster::new(options)), manifests).build()?;
    engine.run(Limits::default()).await;
    Ok(())
}

fn start(kubeconfig: &Path, home: &str, unit: &str) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", "process::the_engine_that_is_killed", "--nocapture"]);
    command.env(TOLD[0], kubeconfig).env(TOLD[1], home).env(TOLD[2], unit);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command.spawn().context("start an engine")
}

async fn settled(store: &KubernetesStore, id: &UnitId) -> Result<Status> {
    let good = eventually("the unit settles", Duration::from_secs(60), async || {
        let Some(stored) = store.get(id).await? else { return Ok(None) };
        let status = stored.unit.status;
        let over = status.operation.as_ref().is_some_and(|state| state.phase == Phase::Succeeded);
        let good = status.sync == SyncState::Synced && status.health == UnitHealth::Healthy;
        Ok((over && good).then_some(status))
    })
    .await;
    match good {
        Ok(status) => Ok(status),
        Err(error) => Err(error.context(format!("{:#?}", store.get(id).await?))),
    }
}

/// Where the process is killed: before the server sees the n-th write, or after it was carried out.
#[derive(Clone, Copy, Debug)]
enum Point {
    Never,
    Before(usize),
    After(usize),
}

/// A unit in a namespace of its own, and where it is stored.
async fn add(plane: &ControlPlane, name: &str) -> Result<(KubernetesStore, String, String)> {
    let (home, namespace) = (plane.namespace("home").await?, plane.namespace(name).await?);
    let person = store(&plane.kubeconfig_path(), &home).await?;
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    let policy = Policy { rules: Rules::Argo, automated, ..Policy::default() };
    person.create(unit(name, &namespace, policy)).await?;
    Ok((person, home, namespace))
}

async fn tell(plane: &ControlPlane, audit: &AuditLog, point: Point) -> Result<usize> {
    let name = format!("{point:?}").to_lowercase().replace(['(', ')'], "");
    let (person, home, namespace) = add(plane, &name).await?;
    let id = UnitId(name.clone());
    let proxy = FaultProxy::start(plane)?;
    match point {
        Point::Never => {}
        Point::Before(n) => proxy.stop_before_write(n),
        Point::After(n) => proxy.stop_after_write(n),
    }
    let mut first = start(proxy.kubeconfig_path(), &home, &name)?;
    // How often the record is written depends on what is heard when, so the last points may not be reached.
    let reached = tokio::time::timeout(Duration::from_secs(90), async {
        tokio::select! {
            () = proxy.stopped() => Ok(()),
            ended = settled(&person, &id) => ended.map(drop),
        }
    });
    reached.await.context("neither stopped nor settled")??;
    let writes = proxy.writes().len();
    // SIGKILL: nothing is cleaned up.
    first.kill().await?;
    proxy.reset();
    if matches!(point, Point::Never) {
        return Ok(writes);
    }
    let mut second = start(&plane.kubeconfig_path(), &home, &name)?;
    let status = settled(&person, &id).await?;
    ensure!(status.history.len() == 1, "{point:?}: {:#?}", status.history);
    for hook in ["before", "after"] {
        let times = created(audit, &namespace, hook)?;
        ensure!(times == 1, "{point:?}: {hook} was created {times} times");
    }
    eventually("what is on record is what is there", Duration::from_secs(15), async || {
        let stored = person.get(&id).await?.context("the unit is there")?;
        Ok((inventory(&stored.unit.status.inventory) == labelled(plane, &name, &namespace).await?)
            .then_some(()))
    })
    .await
    .map_err(|error| error.context(format!("{point:?}")))?;
    second.kill().await?;
    Ok(writes)
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_write_it_goes_on() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    let (plane, audit) = (&plane, &plane.audit()?);
    let writes = tell(plane, audit, Point::Never).await?;
    ensure!(writes >= 10, "of the record and of objects: {writes}");
    let points = (1..=writes).flat_map(|n| [Point::Before(n), Point::After(n)]);
    stream::iter(points.map(|point| async move { tell(plane, audit, point).await.map(|_| ()) }))
        .buffer_unordered(4)
        .try_collect::<()>()
        .await
}

/// The resident memory of a process, in pages.
fn memory(process: &Child) -> Result<usize> {
    let id = process.id().context("it has ended")?;
    let pages = std::fs::read_to_string(format!("/proc/{id}/statm"))?;
    Ok(pages.split_whitespace().nth(1).context("the second number is the resident set")?.parse()?)
}

/// A minute in which nobody is let in and no watch lasts costs no memory.
#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_401_leaves_memory_flat() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).start().await?;
    let (person, home, _) = add(&plane, "flat").await?;
    let proxy = FaultProxy::start(&plane)?;
    let engine = start(proxy.kubeconfig_path(), &home, "flat")?;
    settled(&person, &UnitId("flat".into())).await?;
    let before = memory(&engine)?;
    proxy.add(Rule::new(Fault::status(401)));
    proxy.cut();
    tokio::time::sleep(Duration::from_mins(1)).await;
    let after = memory(&engine)?;
    ensure!(after < before * 3 / 2, "{before} pages before, {after} after");
    Ok(())
}
