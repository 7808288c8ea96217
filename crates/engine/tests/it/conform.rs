//! New objects are held against the server's schemas before anything is written.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::unit::{Operation, Phase, Policy, SyncState};
use towpath_plan::sync::{Rules, SyncOptions};
use towpath_testkit::{FaultProxy, shared};

use crate::exact::status_where;
use crate::ignore::deployment;
use crate::options::{add, sync};
use crate::world::{World, config};

/// A world whose requests are seen.
fn watched(proxy: &FaultProxy) -> Result<World> {
    World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())
}

fn set(mut object: Value, pointer: &str, value: Value) -> Value {
    if let Some((parent, name)) = pointer.rsplit_once('/')
        && let Some(parent) = object.pointer_mut(parent).and_then(Value::as_object_mut)
    {
        parent.insert(name.into(), value);
    }
    object
}

fn argo() -> Policy {
    Policy { rules: Rules::Argo, ..Policy::default() }
}

/// Acceptance check 23.
#[tokio::test(flavor = "multi_thread")]
async fn one_bad_object_and_nothing_but_the_namespace_is_written() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = format!("{}-new", plane.namespace("conform").await?);
    let world = watched(&proxy)?;
    let bad = set(deployment("web", "web:1"), "/spec/replicas", json!("3"));
    let bad = set(bad, "/spec/replica", json!(3));
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
        "spec": {"ports": [{"name": "http"}], "selector": {"app": "web"}}});
    let options = SyncOptions { create_namespace: true, ..SyncOptions::default() };
    let policy = Policy { options, ..argo() };
    add(&world, "conform", &namespace, policy, vec![config("good", "1"), bad, service]).await?;
    let state = sync(&world, "conform", Operation::default()).await?;
    ensure!(state.phase == Phase::Failed, "{state:#?}");
    for part in [
        "nothing but its namespace was applied",
        "spec.replicas: expected an integer, found the string \"3\"",
        "spec.replica: unknown field, did you mean \"replicas\"?",
        "spec.ports[0].port: is required",
    ] {
        ensure!(state.message.contains(part), "{part}: {}", state.message);
    }
    let writes = proxy.writes();
    ensure!(
        writes.iter().all(|(_, path)| path.starts_with("/api/v1/namespaces") && !path.contains("configmaps"))
    );
    ensure!(writes.len() == 1, "{writes:?}");

    world.manifests.set("conform", vec![config("good", "1"), deployment("web", "web:1")]);
    let state = sync(&world, "conform", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_exists_is_judged_by_the_server_before_anything_is_written() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("changed").await?;
    let world = watched(&proxy)?;
    add(&world, "changed", &namespace, argo(), vec![config("one", "1"), deployment("web", "web:1")]).await?;
    ensure!(sync(&world, "changed", Operation::default()).await?.phase == Phase::Succeeded);
    let before = proxy.writes().len();
    let bad = set(deployment("web", "web:2"), "/spec/replicas", json!(-1));
    world.manifests.set("changed", vec![config("one", "2"), bad, config("new", "1")]);
    let state = sync(&world, "changed", Operation::default()).await?;
    ensure!(state.phase == Phase::Failed && state.message.contains("spec.replicas"), "{state:#?}");
    ensure!(state.message.starts_with("nothing was applied"), "{}", state.message);
    ensure!(proxy.writes().len() == before, "{:?}", proxy.writes());
    Ok(())
}

/// The schemas are those of now, and are not fetched for every sync.
#[tokio::test(flavor = "multi_thread")]
async fn schemas_are_kept_until_a_definition_changes() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("schemas").await?;
    let world = watched(&proxy)?;
    let group = format!("{namespace}.example.com");
    let definition = |fields: Value| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("lamps.{group}")},
            "spec": {"group": group, "scope": "Namespaced", "names": {"kind": "Lamp", "plural": "lamps"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}}}]},
        })
    };
    let lamp = |name: &str, spec: Value| json!({"apiVersion": format!("{group}/v1"), "kind": "Lamp", "metadata": {"name": name}, "spec": spec});
    let old = definition(json!({"lit": {"type": "boolean"}}));
    let mut wanted = vec![old.clone(), config("one", "1"), lamp("hall", json!({"lit": true}))];
    add(&world, "schemas", &namespace, argo(), wanted.clone()).await?;
    let state = sync(&world, "schemas", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    // A definition that has changed interrupts the watch of its kind: the unit is unknown for a moment.
    let settled = async || status_where(&world, "schemas", |status| status.sync == SyncState::Synced).await;
    settled().await?;
    let fetched = |proxy: &FaultProxy| {
        let documents = proxy.seen().into_iter().filter(|seen| seen.path.starts_with("/openapi/v3/"));
        documents.map(|seen| seen.path).collect::<Vec<_>>()
    };
    let first = fetched(&proxy);
    ensure!(!first.is_empty());

    wanted.extend([config("two", "1"), lamp("stairs", json!({"lit": true}))]);
    world.manifests.set("schemas", wanted.clone());
    let state = sync(&world, "schemas", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    ensure!(
        fetched(&proxy).iter().filter(|path| path.ends_with("/api/v1")).count() <= 2,
        "{:?}",
        fetched(&proxy)
    );
    settled().await?;
    let before = fetched(&proxy).len();
    wanted.push(config("three", "1"));
    world.manifests.set("schemas", wanted.clone());
    ensure!(sync(&world, "schemas", Operation::default()).await?.phase == Phase::Succeeded);
    ensure!(fetched(&proxy).len() == before, "nothing has changed: {:?}", fetched(&proxy));

    let odd = lamp("cellar", json!({"lit": true, "colour": "red"}));
    wanted.push(odd);
    world.manifests.set("schemas", wanted.clone());
    let state = sync(&world, "schemas", Operation::default()).await?;
    ensure!(
        state.phase == Phase::Failed && state.message.contains("spec.colour: unknown field"),
        "{state:#?}"
    );

    // Together with a definition that has it; and afterwards by what the server has.
    let new = definition(json!({"lit": {"type": "boolean"}, "colour": {"type": "string"}}));
    if let Some(first) = wanted.first_mut() {
        *first = new;
    }
    world.manifests.set("schemas", wanted.clone());
    let state = sync(&world, "schemas", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    settled().await?;
    wanted.push(lamp("attic", json!({"colour": 7})));
    world.manifests.set("schemas", wanted);
    let state = sync(&world, "schemas", Operation::default()).await?;
    let expected = "spec.colour: expected a string, found the number 7";
    ensure!(state.phase == Phase::Failed && state.message.contains(expected), "{state:#?}");
    let path = format!("/apis/{group}/v1/namespaces/{namespace}/lamps/cellar");
    plane.api().find(&path).await?.context("the lamp is there")?;
    Ok(())
}
