//! Bad input to a unit: a precise message with file and line, nothing written, or nothing unrecorded.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use towpath_clock::SystemClock;
use towpath_cluster::cache::Scope;
use towpath_engine::store::{UnitStore as _, await_sync, start_sync};
use towpath_engine::unit::{Operation, OperationState, Phase, Policy, Status, SyncState, UnitId};
use towpath_plan::sync::Rules;
use towpath_testkit::{FaultProxy, eventually, shared};

use crate::world::{World, unit};

const GOOD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\ndata:\n  key: one\n";

/// A unit in a folder, behind a proxy that counts writes.
struct Case {
    world: World,
    folder: TempDir,
    proxy: FaultProxy,
    namespace: String,
    id: UnitId,
}

impl Case {
    async fn start(name: &str, rules: Rules, scope: impl Fn(&str) -> Scope) -> Result<Self> {
        let plane = shared().await?;
        let (proxy, folder) = (FaultProxy::start(plane)?, tempfile::tempdir()?);
        let namespace = plane.namespace(name).await?;
        let kubeconfig = proxy.kubeconfig_path().to_path_buf();
        let clock = Arc::new(SystemClock::default());
        let world = World::with(kubeconfig, Arc::default(), Arc::default(), scope(&namespace), clock)?;
        let mut unit = unit(name, &namespace, Policy { rules, ..Policy::default() });
        unit.source = json!(folder.path());
        world.store.create(unit).await?;
        Ok(Self { world, folder, proxy, namespace, id: UnitId(name.into()) })
    }

    fn write(&self, file: &str, content: impl AsRef<[u8]>) -> Result<()> {
        Ok(fs::write(self.folder.path().join(file), content)?)
    }

    async fn sync(&self) -> Result<OperationState> {
        start_sync(&*self.world.store, &self.id, Operation::default()).await?;
        let state = await_sync(&*self.world.store, &self.id, Duration::from_secs(60)).await?;
        let mut state = state.context("it does not end")?;
        state.message = self.local(&state.message);
        Ok(state)
    }

    /// A message without the folder in it.
    fn local(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.folder.path().display()), "")
    }

    async fn status(&self) -> Result<Status> {
        let mut status = self.world.status(&self.id.0).await?;
        status.message = self.local(&status.message);
        Ok(status)
    }

    /// What a refused file leads to: an error that says all of `words`, no write, and a unit of which nothing is told.
    async fn is_refused(&self, words: &[&str]) -> Result<()> {
        let before = self.proxy.writes().len();
        let state = self.sync().await?;
        ensure!(state.phase == Phase::Error, "{state:#?}");
        for word in words {
            ensure!(state.message.contains(word), "{word:?} is not in: {}", state.message);
        }
        ensure!(self.proxy.writes().len() == before, "{:?}", self.proxy.writes());
        let status = eventually("the unit says so", Duration::from_secs(20), async || {
            let status = self.status().await?;
            Ok((status.sync != SyncState::Synced && status.operation.is_some()).then_some(status))
        });
        let recorded = status.await?.operation.context("it is on record")?.message;
        ensure!(self.local(&recorded) == state.message, "{recorded}");
        Ok(())
    }
}

async fn whole(name: &str) -> Result<Case> {
    Case::start(name, Rules::Kstatus, |_| Scope::Cluster).await
}

/// A file that must be refused, beside a good one that must not be applied either, and then goes away.
async fn refused(name: &str, content: impl AsRef<[u8]>, words: &[&str]) -> Result<()> {
    let case = whole(name).await?;
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", content)?;
    case.is_refused(words).await?;
    fs::remove_file(case.folder.path().join("bad.yaml"))?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    // What was applied stays when the source breaks later.
    case.write("a.yaml", "kind: [")?;
    case.is_refused(&["a.yaml: line 1"]).await?;
    let path = format!("/api/v1/namespaces/{}/configmaps/good", case.namespace);
    ensure!(case.proxy.api().find(&path).await?.is_some());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_without_kind() -> Result<()> {
    let text = format!("{GOOD}---\napiVersion: v1\nmetadata:\n  name: a\n");
    refused("no-kind", text, &["bad.yaml:8: kind is missing"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_without_name() -> Result<()> {
    let text = "# first\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n";
    refused("no-name", text, &["bad.yaml:2: metadata.name is missing"]).await?;
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  generateName: a-\n";
    let case = whole("prefix").await?;
    case.write("bad.yaml", text)?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Error && state.message.contains("bad.yaml:1: "), "{state:#?}");
    ensure!(state.message.contains("only hooks are given a name"), "{}", state.message);
    ensure!(case.proxy.writes().is_empty());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_no_object() -> Result<()> {
    refused("scalar", "--- 5\n", &["bad.yaml:1: expected a mapping"]).await?;
    refused("typed", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 5\n", &["must be a string"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_ids() -> Result<()> {
    let case = whole("twice").await?;
    let places = ["bad.yaml:1: ConfigMap/", "/good: it is wanted twice, first at a.yaml:1;"];
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", GOOD)?;
    case.is_refused(&places).await?;
    // Under Argo CD's rules the last one counts.
    let case = Case::start("last", Rules::Argo, |_| Scope::Cluster).await?;
    case.write("a.yaml", GOOD)?;
    case.write("b.yaml", GOOD.replace("one", "two"))?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let path = format!("/api/v1/namespaces/{}/configmaps/good", case.namespace);
    ensure!(case.proxy.api().get(&path).await?["data"]["key"] == "two");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_config_map_of_five_megabytes() -> Result<()> {
    let case = whole("large").await?;
    let large = format!("{}  large: {}\n", GOOD.replace("good", "large"), "y".repeat(5 << 20));
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", large)?;
    let size = "/large: its data is 5242891 bytes; Kubernetes takes at most 1048576";
    case.is_refused(&["bad.yaml:1: ConfigMap/", size]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alias_bomb() -> Result<()> {
    let mut lines = vec![format!("a: &a0 [{}]", ["x"; 10].join(", "))];
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        lines.push(format!("b{level}: &a{level} [{}]", vec![alias; 10].join(", ")));
    }
    refused("bomb", lines.join("\n"), &["bad.yaml: line ", "alias"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn not_utf8() -> Result<()> {
    let bytes = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \xff\xfe\n";
    refused("bytes", bytes, &["bad.yaml: line 4", "UTF-8"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_yaml_and_a_key_written_twice() -> Result<()> {
    refused("broken", "kind: [ConfigMap\nmetadata:\n", &["bad.yaml: line "]).await?;
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\n";
    refused("key", text, &["bad.yaml: line 5"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn three_thousand_objects() -> Result<()> {
    let case = whole("many").await?;
    let one = |index: usize| GOOD.replace("good", &format!("m-{index}"));
    let all: Vec<String> = (0..3000).map(one).collect();
    case.write("many.yaml", all.join("---\n"))?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Succeeded, "{}", state.message);
    let path = format!("/api/v1/namespaces/{}/configmaps?labelSelector=towpath.dev%2Funit", case.namespace);
    ensure!(case.proxy.api().list(&path).await?.len() == 3000);
    let status = eventually("it is in sync", Duration::from_secs(60), async || {
        let status = case.status().await?;
        Ok((status.sync == SyncState::Synced).then_some(status))
    })
    .await?;
    ensure!(status.inventory.lines().count() == 3000 && status.history.len() == 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_kind() -> Result<()> {
    let case = whole("unknown").await?;
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", "# why\napiVersion: example.com/v1\nkind: Nothing\nmetadata:\n  name: a\n")?;
    case.is_refused(&["bad.yaml:2: Nothing/", "/a: the cluster has no kind Nothing in example.com/v1"])
        .await?;
    let text = "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata:\n  name: a\n";
    case.write("bad.yaml", text)?;
    case.is_refused(&["bad.yaml:1: ", "the cluster has no kind Deployment in apps/v1beta1"]).await?;
    // A unit that has everything else is not in sync either.
    fs::remove_file(case.folder.path().join("bad.yaml"))?;
    ensure!(case.sync().await?.phase == Phase::Succeeded);
    case.write("bad.yaml", text)?;
    case.is_refused(&["the cluster has no kind Deployment in apps/v1beta1"]).await?;
    ensure!(case.status().await?.message == "the cluster has no kind Deployment in apps/v1beta1");
    Ok(())
}

/// An engine that has some namespaces only does not write into others, nor cluster-scoped objects.
#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_is_not_allowed() -> Result<()> {
    let scope = |own: &str| Scope::Namespaces { names: [own.to_string()].into(), cluster_kinds: false };
    let case = Case::start("inside", Rules::Kstatus, scope).await?;
    let other = shared().await?.namespace("outside").await?;
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", GOOD.replace("name: good", &format!("name: good\n  namespace: {other}")))?;
    case.is_refused(&["bad.yaml:1: ", &format!("ConfigMap/{other}/good"), "outside the namespaces"]).await?;
    case.write("bad.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: mine\n")?;
    case.is_refused(&["bad.yaml:1: Namespace/mine"]).await?;
    fs::remove_file(case.folder.path().join("bad.yaml"))?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    Ok(())
}

/// A namespace that is not there: the server refuses the object, and it is on record.
#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_does_not_exist() -> Result<()> {
    let case = whole("nowhere").await?;
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", GOOD.replace("name: good", "name: good\n  namespace: nowhere-at-all"))?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Failed, "{state:#?}");
    ensure!(state.message.contains("bad.yaml:1: ConfigMap/nowhere-at-all/good"), "{}", state.message);
    ensure!(state.message.contains("\"nowhere-at-all\" not found"), "{}", state.message);
    let status = case.status().await?;
    ensure!(status.inventory.lines().count() == 2, "{}", status.inventory);
    Ok(())
}

/// What the server refuses in mid-sync is told with its place; what it took is on record and goes with the unit.
#[tokio::test(flavor = "multi_thread")]
async fn half_applied_is_recorded() -> Result<()> {
    let case = whole("half").await?;
    let port = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "broken"},
        "spec": {"ports": [{"port": 0}]}});
    case.write("a.yaml", GOOD)?;
    case.write("bad.yaml", format!("# first\n{port}"))?;
    let state = case.sync().await?;
    ensure!(state.phase == Phase::Failed, "{state:#?}");
    ensure!(state.message.contains("bad.yaml:2: Service/"), "{}", state.message);
    ensure!(state.message.contains("spec.ports[0].port"), "{}", state.message);
    let status = case.status().await?;
    let named: Vec<&str> = status.inventory.lines().filter(|line| line.contains("/good")).collect();
    ensure!(named.len() == 1, "{}", status.inventory);
    crate::leave::delete(&case.world, "half").await?;
    crate::leave::gone(&case.world, "half").await?;
    let path = format!("/api/v1/namespaces/{}/configmaps/good", case.namespace);
    let found: Option<Value> = case.proxy.api().find(&path).await?;
    ensure!(found.is_none(), "{found:?}");
    Ok(())
}
