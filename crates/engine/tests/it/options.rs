//! Options of a sync, carried out.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::store::{
    RollbackError, UnitStore as _, approve_deletions, await_sync, rollback, start_sync, terminate,
};
use towpath_engine::unit::{Operation, OperationState, Phase, Policy, UnitId};
use towpath_plan::sync::policy::RollbackRefused;
use towpath_plan::sync::{NamespaceMetadata, Rules, Selection, Selector, SyncOptions};
use towpath_testkit::{Api, FaultProxy, eventually, shared};

use crate::hooks::{annotated, job};
use crate::world::{World, config, unit};

const PATIENCE: Duration = Duration::from_secs(40);

pub async fn add(
    world: &World,
    id: &str,
    namespace: &str,
    policy: Policy,
    objects: Vec<Value>,
) -> Result<()> {
    world.manifests.set(id, objects);
    world.store.create(unit(id, namespace, policy)).await?;
    Ok(())
}

pub fn argo() -> Policy {
    Policy { rules: Rules::Argo, ..Policy::default() }
}

pub async fn sync(world: &World, id: &str, operation: Operation) -> Result<OperationState> {
    let id = UnitId(id.into());
    start_sync(&*world.store, &id, operation).await?;
    await_sync(&*world.store, &id, PATIENCE).await?.context("it does not end")
}

pub fn with(options: SyncOptions) -> Operation {
    Operation { options: Some(options), initiator: "test".into(), ..Operation::default() }
}

pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn fixed(name: &str, value: &str) -> Value {
    let mut object = config(name, value);
    if let Some(fields) = object.as_object_mut() {
        fields.insert("immutable".into(), json!(true));
    }
    object
}

async fn map(api: &Api, namespace: &str, name: &str) -> Result<Option<Value>> {
    api.find(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn immutable_objects_are_recreated_only_with_force() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("force").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    add(&world, "force", &namespace, argo(), vec![fixed("fixed", "1"), config("free", "1")]).await?;
    ensure!(sync(&world, "force", Operation::default()).await?.phase == Phase::Succeeded);
    let before = map(&api, &namespace, "fixed").await?.context("it is there")?;

    world.manifests.set("force", vec![fixed("fixed", "2"), config("free", "2")]);
    let state = sync(&world, "force", Operation::default()).await?;
    ensure!(state.phase == Phase::Failed && state.message.contains("immutable"), "{state:#?}");
    ensure!(state.message.contains("fixed") && !state.message.contains("free"), "{}", state.message);
    let results = state.progress.results();
    let refused = results.iter().find(|result| result.task.key.name == "fixed").context("a result")?;
    ensure!(refused.is_failure(), "{refused:?}");

    let state = sync(&world, "force", with(SyncOptions { force: true, ..SyncOptions::default() })).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let after = map(&api, &namespace, "fixed").await?.context("it is there")?;
    ensure!(
        text(&after, "/data/key") == "2" && text(&after, "/metadata/uid") != text(&before, "/metadata/uid")
    );
    ensure!(text(&map(&api, &namespace, "free").await?.context("it is there")?, "/data/key") == "2");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn replace_puts_and_drops_what_others_added() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("replace").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let own =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": format!("{namespace}-own")}});
    add(&world, "replace", &namespace, argo(), vec![config("one", "1"), own]).await?;
    ensure!(sync(&world, "replace", Operation::default()).await?.phase == Phase::Succeeded);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/one");
    let before = api.patch(&path, &json!({"data": {"foreign": "x"}})).await?;
    let home = api.get(&format!("/api/v1/namespaces/{namespace}-own")).await?;
    let options = SyncOptions { replace: true, force: true, ..SyncOptions::default() };
    let state = sync(&world, "replace", with(SyncOptions { force: false, ..options.clone() })).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let after = api.get(&path).await?;
    ensure!(after.pointer("/data") == Some(&json!({"key": "1"})), "{after:#}");
    ensure!(text(&after, "/metadata/uid") == text(&before, "/metadata/uid"), "it was not deleted");

    let state = sync(&world, "replace", with(options)).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    ensure!(text(&api.get(&path).await?, "/metadata/uid") != text(&before, "/metadata/uid"), "it was");
    let still = api.get(&format!("/api/v1/namespaces/{namespace}-own")).await?;
    ensure!(text(&still, "/metadata/uid") == text(&home, "/metadata/uid"), "a namespace never is");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_namespace_is_created_with_its_metadata() -> Result<()> {
    let plane = shared().await?;
    let namespace = format!("{}-new", plane.namespace("home").await?);
    let (api, world) = (plane.api(), World::start(plane)?);
    let metadata = NamespaceMetadata {
        labels: [("team".to_string(), "shop".to_string())].into(),
        annotations: [("why".to_string(), "test".to_string())].into(),
    };
    let options = SyncOptions { create_namespace: true, prune: true, ..SyncOptions::default() };
    let policy = Policy { options, namespace_metadata: Some(metadata), ..argo() };
    add(&world, "home", &namespace, policy, vec![config("one", "1")]).await?;
    let path = format!("/api/v1/namespaces/{namespace}");
    for _ in 0..2 {
        let state = sync(&world, "home", Operation::default()).await?;
        ensure!(state.phase == Phase::Succeeded, "{state:#?}");
        let home = api.get(&path).await?;
        ensure!(text(&home, "/metadata/labels/team") == "shop", "{home:#}");
        ensure!(text(&home, "/metadata/annotations/why") == "test", "{home:#}");
        api.patch(&path, &json!({"metadata": {"labels": {"team": "other", "foreign": "x"}}})).await?;
    }
    sync(&world, "home", Operation::default()).await?;
    let home = api.get(&path).await?;
    ensure!(text(&home, "/metadata/labels/foreign") == "x", "what others added stays: {home:#}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn pruning_waits_for_consent_given_during_the_operation() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("confirm").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let id = UnitId("confirm".into());
    let options = SyncOptions { prune: true, ..SyncOptions::default() };
    let careful = annotated(config("careful", "1"), &[("sync-options", "Prune=confirm")]);
    let policy = Policy { options, ..argo() };
    add(&world, "confirm", &namespace, policy, vec![careful, config("one", "1")]).await?;
    sync(&world, "confirm", Operation::default()).await?;
    approve_deletions(&*world.store, &id, jiff::Timestamp::now()).await?;
    tokio::time::sleep(Duration::from_millis(10)).await;
    world.manifests.set("confirm", vec![config("one", "2")]);
    start_sync(&*world.store, &id, Operation::default()).await?;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    ensure!(map(&api, &namespace, "careful").await?.is_some(), "an old consent does not count");
    let one = map(&api, &namespace, "one").await?.context("it is there")?;
    ensure!(text(&one, "/data/key") == "1", "nothing of the wave is touched");
    ensure!(world.status("confirm").await?.operation.is_some_and(|state| state.phase == Phase::Running));
    approve_deletions(&*world.store, &id, jiff::Timestamp::now()).await?;
    let state = await_sync(&*world.store, &id, PATIENCE).await?.context("it does not end")?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    ensure!(map(&api, &namespace, "careful").await?.is_none());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn selected_objects_a_dry_run_and_the_way_back() -> Result<()> {
    let plane = shared().await?;
    let (api, proxy) = (plane.api(), FaultProxy::start(plane)?);
    let namespace = plane.namespace("select").await?;
    let kubeconfig = proxy.kubeconfig_path().to_path_buf();
    let world = World::over(kubeconfig, std::sync::Arc::default(), std::sync::Arc::default())?;
    let objects = |value: &str| vec![config("one", value), config("two", value)];
    add(&world, "select", &namespace, argo(), objects("1")).await?;

    let dry = SyncOptions { dry_run: true, ..SyncOptions::default() };
    let state = sync(&world, "select", with(dry)).await?;
    ensure!(state.phase == Phase::Succeeded && state.progress.results().len() == 2, "{state:#?}");
    ensure!(proxy.writes().is_empty(), "{:?}", proxy.writes());

    let only =
        Selector { group: String::new(), kind: "ConfigMap".into(), name: "one".into(), namespace: None };
    let selective = Operation { selection: Selection::Only(vec![only]), ..Operation::default() };
    ensure!(sync(&world, "select", selective).await?.phase == Phase::Succeeded);
    ensure!(map(&api, &namespace, "one").await?.is_some() && map(&api, &namespace, "two").await?.is_none());
    ensure!(world.status("select").await?.history.is_empty(), "a part is no delivery");

    sync(&world, "select", Operation::default()).await?;
    world.manifests.set("select", objects("2"));
    sync(&world, "select", Operation::default()).await?;
    let id = UnitId("select".into());
    let unknown = rollback(&*world.store, &id, 7).await;
    let is_known =
        |error: &RollbackError| matches!(error, RollbackError::Refused(RollbackRefused::Unknown { .. }));
    ensure!(unknown.as_ref().is_err_and(is_known), "{unknown:?}");
    rollback(&*world.store, &id, 1).await?;
    let state = await_sync(&*world.store, &id, PATIENCE).await?.context("it does not end")?;
    ensure!(state.phase == Phase::Succeeded && state.revision == "r1", "{state:#?}");
    ensure!(text(&map(&api, &namespace, "two").await?.context("it is there")?, "/data/key") == "1");
    let history: Vec<String> =
        world.status("select").await?.history.into_iter().map(|one| one.revision).collect();
    ensure!(history == ["r1", "r2", "r1"], "{history:?}");
    Ok(())
}

/// A running hook goes with its finalizer, and the operation has failed. Also when the engine ended in between.
#[tokio::test(flavor = "multi_thread")]
async fn a_running_hook_is_terminated() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("terminate").await?);
    let mut world = World::start(plane)?;
    let id = UnitId("terminate".into());
    // Without nodes it never ends.
    let objects = vec![annotated(job("endless"), &[("hook", "PreSync")]), config("one", "1")];
    add(&world, "terminate", &namespace, argo(), objects).await?;
    let path = format!("/apis/batch/v1/namespaces/{namespace}/jobs/endless");
    for restart in [false, true] {
        start_sync(&*world.store, &id, Operation::default()).await?;
        eventually("the hook runs", PATIENCE, async || Ok(api.find(&path).await?)).await?;
        if restart {
            let (store, manifests) = world.kill().await?;
            terminate(&*store, &id).await?;
            world = World::over(plane.kubeconfig_path(), store, manifests)?;
        } else {
            terminate(&*world.store, &id).await?;
        }
        let state = await_sync(&*world.store, &id, PATIENCE).await?.context("it does not end")?;
        ensure!(state.phase == Phase::Failed && state.message.contains("terminated"), "{state:#?}");
        eventually("the hook is gone", PATIENCE, async || Ok(api.find(&path).await?.is_none().then_some(())))
            .await?;
        ensure!(map(&api, &namespace, "one").await?.is_none());
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_to_another_role_is_made_anew() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("binding").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let binding = |role: &str| {
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "may"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "somebody"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})
    };
    add(&world, "binding", &namespace, argo(), vec![binding("view")]).await?;
    ensure!(sync(&world, "binding", Operation::default()).await?.phase == Phase::Succeeded);
    world.manifests.set("binding", vec![binding("edit")]);
    let state = sync(&world, "binding", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let path = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings/may");
    ensure!(text(&api.get(&path).await?, "/roleRef/name") == "edit");
    Ok(())
}

/// Two units want one object: who comes second says so, and with the option does nothing.
#[tokio::test(flavor = "multi_thread")]
async fn an_object_of_two_units() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("shared").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    add(&world, "first", &namespace, argo(), vec![config("one", "1")]).await?;
    ensure!(sync(&world, "first", Operation::default()).await?.phase == Phase::Succeeded);
    add(&world, "second", &namespace, argo(), vec![config("one", "2")]).await?;
    eventually("the second says so", PATIENCE, async || {
        let message = world.status("second").await?.message;
        Ok(message.contains("belongs to the unit first as well").then_some(()))
    })
    .await?;
    let strict = SyncOptions { fail_on_shared: true, ..SyncOptions::default() };
    let state = sync(&world, "second", with(strict)).await?;
    ensure!(
        state.phase == Phase::Error && state.message.contains("it belongs to first as well"),
        "{state:#?}"
    );
    let one = map(&api, &namespace, "one").await?.context("it is there")?;
    ensure!(text(&one, "/data/key") == "1");
    // What the other has taken is not the first one's to delete.
    ensure!(sync(&world, "second", Operation::default()).await?.phase == Phase::Succeeded);
    world.manifests.set("first", vec![config("other", "1")]);
    let pruning = SyncOptions { prune: true, ..SyncOptions::default() };
    ensure!(sync(&world, "first", with(pruning)).await?.phase == Phase::Succeeded);
    let one = map(&api, &namespace, "one").await?.context("it is there")?;
    ensure!(text(&one, "/data/key") == "2");
    Ok(())
}

/// A source that suddenly has nothing is more likely broken than meant: nothing is deleted.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_at_all_is_refused() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("empty").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    world.add("empty", &namespace, Rules::Kstatus, vec![config("one", "1")]).await?;
    world.settled("empty", "r1").await?;
    world.manifests.set("empty", Vec::new());
    world.engine.refresh(&UnitId("empty".into()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    ensure!(map(&api, &namespace, "one").await?.is_some(), "not by itself");
    let pruning = SyncOptions { prune: true, ..SyncOptions::default() };
    let state = sync(&world, "empty", with(pruning.clone())).await?;
    ensure!(state.phase == Phase::Error, "{state:#?}");
    ensure!(map(&api, &namespace, "one").await?.is_some(), "nor when asked: {}", state.message);
    let state = sync(&world, "empty", with(SyncOptions { allow_empty: true, ..pruning })).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    eventually("it goes", PATIENCE, async || Ok(map(&api, &namespace, "one").await?.is_none().then_some(())))
        .await
}

/// A label that somebody copied to another object does not make it the unit's.
#[tokio::test(flavor = "multi_thread")]
async fn a_copied_label_is_not_pruned() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("copied").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    world.add("copied", &namespace, Rules::Kstatus, vec![config("one", "1"), config("two", "1")]).await?;
    world.settled("copied", "r1").await?;
    let mut copy = config("copy", "1");
    if let Some(metadata) = copy.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("labels".into(), json!({"towpath.dev/unit": "copied"}));
    }
    api.post(&format!("/api/v1/namespaces/{namespace}/configmaps"), &copy).await?;
    world.manifests.set("copied", vec![config("one", "2")]);
    world.engine.refresh(&UnitId("copied".into()));
    world.settled("copied", "r2").await?;
    ensure!(map(&api, &namespace, "two").await?.is_none() && map(&api, &namespace, "copy").await?.is_some());
    crate::leave::delete(&world, "copied").await?;
    crate::leave::gone(&world, "copied").await?;
    ensure!(map(&api, &namespace, "one").await?.is_none() && map(&api, &namespace, "copy").await?.is_some());
    Ok(())
}
