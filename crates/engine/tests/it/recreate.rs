//! What cannot be changed in place: made anew where that is allowed, and only for that reason.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::unit::{Operation, Phase, Policy};
use towpath_plan::sync::SyncOptions;
use towpath_testkit::{Api, FaultProxy, eventually, shared};

use crate::faults::through;
use crate::options::{add, argo, sync, text, with};
use crate::world::{World, config};

fn object(api_version: &str, kind: &str, name: &str, rest: &Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    if let (Some(all), Some(rest)) = (object.as_object_mut(), rest.as_object()) {
        all.extend(rest.clone());
    }
    object
}

fn pods(label: &str) -> Value {
    let containers = json!([{"name": "web", "image": "registry.example/web:1"}]);
    json!({"metadata": {"labels": {"app": label}}, "spec": {"containers": containers}})
}

fn deployment(label: &str, replicas: i64) -> Value {
    let selector = json!({"matchLabels": {"app": label}});
    let spec = json!({"replicas": replicas, "selector": selector, "template": pods(label)});
    object("apps/v1", "Deployment", "web", &json!({"spec": spec}))
}

/// Kinds with fields that may not change, before and after, and where they are.
fn kinds(namespace: &str) -> Vec<(String, Value, Value)> {
    let core = format!("/api/v1/namespaces/{namespace}");
    let set = |service: &str| {
        let selector = json!({"matchLabels": {"app": "set"}});
        let spec =
            json!({"serviceName": service, "replicas": 0, "selector": selector, "template": pods("set")});
        object("apps/v1", "StatefulSet", "set", &json!({"spec": spec}))
    };
    let service = |ip: &str| {
        let spec = json!({"clusterIP": ip, "selector": {"app": "web"}, "ports": [{"port": 80}]});
        object("v1", "Service", "web", &json!({"spec": spec}))
    };
    let claim = |class: &str| {
        let spec = json!({"accessModes": ["ReadWriteOnce"], "storageClassName": class,
            "resources": {"requests": {"storage": "1Gi"}}});
        object("v1", "PersistentVolumeClaim", "data", &json!({"spec": spec}))
    };
    let class = |kind: &str| {
        let name = format!("{namespace}-class");
        let rest = json!({"provisioner": "example.com/disk", "parameters": {"kind": kind}});
        object("storage.k8s.io/v1", "StorageClass", &name, &rest)
    };
    let secret = |kind: &str| object("v1", "Secret", "typed", &json!({"type": kind}));
    let priority = |value: i64| {
        object(
            "scheduling.k8s.io/v1",
            "PriorityClass",
            &format!("{namespace}-high"),
            &json!({"value": value}),
        )
    };
    vec![
        (
            format!("/apis/apps/v1/namespaces/{namespace}/deployments/web"),
            deployment("a", 0),
            deployment("b", 0),
        ),
        (format!("/apis/apps/v1/namespaces/{namespace}/statefulsets/set"), set("one"), set("two")),
        (format!("{core}/services/web"), service("10.0.77.1"), service("10.0.77.2")),
        (format!("{core}/persistentvolumeclaims/data"), claim("slow"), claim("fast")),
        (format!("{core}/secrets/typed"), secret("example.com/a"), secret("example.com/b")),
        (format!("/apis/storage.k8s.io/v1/storageclasses/{namespace}-class"), class("ssd"), class("hdd")),
        (format!("/apis/scheduling.k8s.io/v1/priorityclasses/{namespace}-high"), priority(10), priority(20)),
    ]
}

async fn uid(api: &Api, path: &str) -> Result<String> {
    Ok(text(&api.get(path).await?, "/metadata/uid").to_owned())
}

fn forced() -> Operation {
    with(SyncOptions { force: true, ..SyncOptions::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_may_not_change_are_known_for_what_they_are() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("fixed").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let kinds = kinds(&namespace);
    let (before, after): (Vec<Value>, Vec<Value>) =
        kinds.iter().map(|(_, before, after)| (before.clone(), after.clone())).unzip();
    add(&world, "fixed", &namespace, argo(), before).await?;
    let state = sync(&world, "fixed", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let mut uids = Vec::new();
    for (path, ..) in &kinds {
        uids.push(uid(&api, path).await?);
    }
    world.manifests.set("fixed", after);
    let state = sync(&world, "fixed", Operation::default()).await?;
    ensure!(state.phase == Phase::Failed && state.message.contains("nothing was applied"), "{state:#?}");
    let state = sync(&world, "fixed", forced()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    for ((path, ..), before) in kinds.iter().zip(uids) {
        ensure!(uid(&api, path).await? != before, "{path} is another");
    }
    Ok(())
}

/// A deletion cannot help an object that is wrong, so it is not deleted.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_deleted_for_another_reason() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("wrong").await?;
    let api = plane.api();
    let world = through(&proxy)?;
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    add(&world, "wrong", &namespace, argo(), vec![deployment("a", 0)]).await?;
    ensure!(sync(&world, "wrong", Operation::default()).await?.phase == Phase::Succeeded);
    let before = uid(&api, &path).await?;
    let force_and_replace = with(SyncOptions { force: true, replace: true, ..SyncOptions::default() });
    // A value that is wrong; and with it a field that may not change.
    for wrong in [deployment("a", -1), deployment("b", -1)] {
        for operation in [forced(), force_and_replace.clone()] {
            world.manifests.set("wrong", vec![wrong.clone()]);
            let state = sync(&world, "wrong", operation).await?;
            ensure!(state.phase == Phase::Failed && state.message.contains("replicas"), "{state:#?}");
            ensure!(uid(&api, &path).await? == before);
        }
    }
    let deletions = proxy.writes().into_iter().filter(|(method, _)| *method == "DELETE");
    ensure!(deletions.count() == 0);
    Ok(())
}

/// What holds other objects is replaced by a PUT, also with force.
#[tokio::test(flavor = "multi_thread")]
async fn definitions_and_namespaces_are_never_deleted_to_be_changed() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("holds").await?;
    let world = through(&proxy)?;
    let group = format!("{namespace}.example.com");
    let definition = |note: &str| {
        let schema = json!({"type": "object", "description": note});
        let version =
            json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
        let names = json!({"plural": "boxes", "singular": "box", "kind": "Box", "listKind": "BoxList"});
        let spec = json!({"group": group, "scope": "Namespaced", "names": names, "versions": [version]});
        object(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            &format!("boxes.{group}"),
            &json!({"spec": spec}),
        )
    };
    let home = |note: &str| {
        let mut home = object("v1", "Namespace", &format!("{namespace}-own"), &json!({}));
        home["metadata"]["labels"] = json!({"note": note});
        home
    };
    add(&world, "holds", &namespace, argo(), vec![definition("1"), home("1")]).await?;
    ensure!(sync(&world, "holds", Operation::default()).await?.phase == Phase::Succeeded);
    world.manifests.set("holds", vec![definition("2"), home("2")]);
    let state =
        sync(&world, "holds", with(SyncOptions { force: true, replace: true, ..SyncOptions::default() }))
            .await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let writes = proxy.writes();
    ensure!(writes.iter().filter(|(method, _)| *method == "PUT").count() == 2, "{writes:?}");
    ensure!(!writes.iter().any(|(method, _)| *method == "DELETE"), "{writes:?}");
    let home = plane.api().get(&format!("/api/v1/namespaces/{namespace}-own")).await?;
    ensure!(text(&home, "/metadata/labels/note") == "2", "{home:#}");
    Ok(())
}

/// Whoever applied on the client's side before, under whatever name: what it wanted and nobody wants now goes, what
/// others set stays. Also where a unit asks for client-side apply.
#[tokio::test(flavor = "multi_thread")]
async fn client_side_apply_is_taken_over() -> Result<()> {
    let plane = shared().await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    for (index, manager) in ["kubectl-client-side-apply", "argocd-controller"].into_iter().enumerate() {
        let namespace = plane.namespace("client").await?;
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let mut before = config("one", "1");
        before["data"]["old"] = json!("x");
        let applied = before.to_string();
        before["metadata"]["annotations"] =
            json!({"kubectl.kubernetes.io/last-applied-configuration": applied});
        api.post(&format!("{path}?fieldManager={manager}"), &before).await?;
        let label = json!({"metadata": {"labels": {"foreign": "x"}}});
        api.patch(&format!("{path}/one?fieldManager=controller"), &label).await?;

        let id = format!("client-{index}");
        let (options, _) = SyncOptions::read(&["ServerSideApply=false"]);
        add(&world, &id, &namespace, Policy { options, ..argo() }, vec![config("one", "1")]).await?;
        let state = sync(&world, &id, Operation::default()).await?;
        ensure!(state.phase == Phase::Succeeded, "{state:#?}");
        let one = api.get(&format!("{path}/one")).await?;
        ensure!(one.pointer("/data") == Some(&json!({"key": "1"})), "{one:#}");
        ensure!(one.pointer("/metadata/annotations").is_none(), "its books are closed: {one:#}");
        ensure!(text(&one, "/metadata/labels/foreign") == "x", "{one:#}");
        let status = eventually("it is in sync", Duration::from_secs(10), async || {
            let status = world.status(&id).await?;
            Ok((status.sync == towpath_engine::unit::SyncState::Synced).then_some(status))
        })
        .await?;
        ensure!(status.operation.context("an operation")?.phase == Phase::Succeeded);
    }
    Ok(())
}

/// Where the take-over is off, what kubectl set stays, and is no reason to sync again and again.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_take_over_fields_stay() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("stays").await?);
    let world = World::start(plane)?;
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let mut before = config("one", "1");
    before["data"]["old"] = json!("x");
    api.post(&format!("{path}?fieldManager=kubectl-client-side-apply"), &before).await?;
    let (options, _) = SyncOptions::read(&["ClientSideApplyMigration=false"]);
    add(&world, "stays", &namespace, Policy { options, ..argo() }, vec![config("one", "2")]).await?;
    let state = sync(&world, "stays", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let one = api.get(&format!("{path}/one")).await?;
    ensure!(one.pointer("/data") == Some(&json!({"key": "2", "old": "x"})), "{one:#}");
    eventually("it is in sync", Duration::from_secs(10), async || {
        Ok((world.status("stays").await?.sync == towpath_engine::unit::SyncState::Synced).then_some(()))
    })
    .await
}

/// What is pruned leaves its dependants behind, where that is asked for.
#[tokio::test(flavor = "multi_thread")]
async fn dependants_stay_when_they_are_orphaned() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("orphan").await?);
    let world = World::start(plane)?;
    let (mut options, _) = SyncOptions::read(&["PrunePropagationPolicy=orphan"]);
    options.prune = true;
    let policy = Policy { options, ..argo() };
    add(&world, "orphan", &namespace, policy, vec![deployment("a", 0), config("one", "1")]).await?;
    ensure!(sync(&world, "orphan", Operation::default()).await?.phase == Phase::Succeeded);
    let sets = format!("/apis/apps/v1/namespaces/{namespace}/replicasets");
    eventually("the dependant is there", Duration::from_secs(20), async || Ok(api.list(&sets).await?.pop()))
        .await?;
    world.manifests.set("orphan", vec![config("one", "1")]);
    let state = sync(&world, "orphan", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    eventually("it goes", Duration::from_secs(20), async || {
        Ok(api.find(&path).await?.is_none().then_some(()))
    })
    .await?;
    let left = api.list(&sets).await?;
    let owners = left.iter().filter_map(|set| set.pointer("/metadata/ownerReferences"));
    ensure!(left.len() == 1 && owners.count() == 0, "{left:#?}");
    Ok(())
}
