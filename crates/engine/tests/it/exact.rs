//! Comparing by the server's own word: one object's refusal is its own, webhooks do not count, and what is shown is
//! what decides.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::merge::explain::Reason;
use towpath_engine::unit::{Compare, Operation, Phase, Policy, Status, SyncState, UnitId};
use towpath_engine::{ObjectDiff, ObjectState};
use towpath_plan::sync::{Rules, SyncOptions};
use towpath_testkit::{Api, eventually, shared};

use crate::ignore::deployment;
use crate::options::{add, sync};
use crate::world::{World, config};

const PATIENCE: Duration = Duration::from_secs(30);
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";

fn exact() -> Policy {
    let compare = Compare { exact: true, ..Compare::default() };
    Policy { rules: Rules::Argo, compare, ..Policy::default() }
}

/// An admission policy for the config maps of one namespace; gone when the test is over.
async fn admission(api: &Api, family: &str, namespace: &str, mut spec: Value) -> Result<()> {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["configmaps"]});
    let constraints = json!({
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "resourceRules": [rule], "matchPolicy": "Equivalent"});
    if let Some(spec) = spec.as_object_mut() {
        spec.insert("matchConstraints".into(), constraints);
        spec.insert("failurePolicy".into(), json!("Fail"));
    }
    let (kind, paths) =
        (format!("{family}AdmissionPolicy"), format!("{}admissionpolic", family.to_lowercase()));
    let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
        "metadata": {"name": namespace}, "spec": spec});
    api.post(&format!("{ADMISSION}/{paths}ies"), &policy).await?;
    let mut binding = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}Binding"),
        "metadata": {"name": namespace}, "spec": {"policyName": namespace}});
    if family == "Validating"
        && let Some(spec) = binding.get_mut("spec").and_then(Value::as_object_mut)
    {
        spec.insert("validationActions".into(), json!(["Deny"]));
    }
    api.post(&format!("{ADMISSION}/{paths}ybindings"), &binding).await?;
    Ok(())
}

/// Waits until a unit is as wanted, looking at it again and again.
pub async fn status_where(world: &World, id: &str, wanted: impl Fn(&Status) -> bool) -> Result<Status> {
    let found = eventually(&format!("the status of {id}"), PATIENCE, async || {
        world.engine.refresh(&UnitId(id.into()));
        Ok(Some(world.status(id).await?).filter(|status| wanted(status)))
    })
    .await;
    match found {
        Ok(status) => Ok(status),
        Err(error) => {
            let diff = world.engine.diff(&UnitId(id.into())).await;
            Err(error.context(format!("{diff:#?}\n{:#?}", world.status(id).await?)))
        }
    }
}

async fn diff_of(world: &World, id: &str) -> Result<Vec<ObjectDiff>> {
    let found = world.engine.diff(&UnitId(id.into())).await?;
    for object in &found {
        let shown = object.explanation.is_modified();
        let consistent = match &object.state {
            ObjectState::Synced | ObjectState::Unknown(_) => !shown,
            ObjectState::OutOfSync | ObjectState::Missing | ObjectState::Extra => shown,
        };
        ensure!(consistent, "{object:#?}");
    }
    Ok(found)
}

/// Acceptance check 15.
#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_admission_refuses_is_unknown_and_the_others_are_judged() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("refused").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let objects = (1..=50).map(|number| config(&format!("m{number}"), "1")).collect();
    add(&world, "refused", &namespace, exact(), objects).await?;
    ensure!(sync(&world, "refused", Operation::default()).await?.phase == Phase::Succeeded);
    status_where(&world, "refused", |status| status.sync == SyncState::Synced).await?;

    let says = "number seven must not be touched";
    let validation = json!({"expression": "object.metadata.name != 'm7'", "message": says});
    admission(&api, "Validating", &namespace, json!({"validations": [validation]})).await?;
    let diff = eventually("the refusal is seen", PATIENCE, async || {
        let diff = diff_of(&world, "refused").await?;
        let refused = diff.iter().any(|object| matches!(object.state, ObjectState::Unknown(_)));
        Ok(refused.then_some(diff))
    })
    .await?;
    let unknown: Vec<&ObjectDiff> =
        diff.iter().filter(|object| matches!(object.state, ObjectState::Unknown(_))).collect();
    let judged = diff.iter().filter(|object| object.state == ObjectState::Synced).count();
    ensure!(unknown.len() == 1 && judged == 49, "{diff:#?}");
    let refused = unknown.first().context("one")?;
    ensure!(refused.key.name == "m7" && refused.state.to_string().contains(says), "{refused:#?}");

    let status = status_where(&world, "refused", |status| status.sync == SyncState::Unknown).await?;
    let told = format!("1 of 50 objects cannot be judged: {}: ", refused.key);
    ensure!(status.message.starts_with(&told) && status.message.contains(says), "{}", status.message);

    // A new revision: 49 are known to differ, and the unit says so with the one that is not.
    world.manifests.set("refused", (1..=50).map(|number| config(&format!("m{number}"), "2")).collect());
    let status = status_where(&world, "refused", |status| {
        status.sync == SyncState::OutOfSync && status.message.contains(says)
    })
    .await?;
    ensure!(status.message.starts_with(&told), "{}", status.message);
    let diff = diff_of(&world, "refused").await?;
    ensure!(diff.iter().filter(|object| object.state == ObjectState::OutOfSync).count() == 49, "{diff:#?}");
    Ok(())
}

/// Acceptance check 16, what is ours in a resource whose schema says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_leaf_of_an_open_resource_is_drift() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("open").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let group = format!("{namespace}.example.com");
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("baskets.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": open}}}}]},
    });
    let basket = json!({"apiVersion": format!("{group}/v1"), "kind": "Basket", "metadata": {"name": "one"},
        "spec": {"free": {"deep": {"size": 1, "list": [{"a": 1}]}}}});
    let policy = Policy { rules: Rules::Argo, ..Policy::default() };
    add(&world, "open", &namespace, policy, vec![definition, basket]).await?;
    let state = sync(&world, "open", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    status_where(&world, "open", |status| status.sync == SyncState::Synced).await?;
    let path = format!("/apis/{group}/v1/namespaces/{namespace}/baskets/one");
    api.patch(&path, &json!({"spec": {"free": {"deep": {"size": 2, "theirs": true}}}})).await?;
    status_where(&world, "open", |status| status.sync == SyncState::OutOfSync).await?;
    let diff = diff_of(&world, "open").await?;
    let basket = diff.iter().find(|object| object.key.kind == "Basket").context("the basket")?;
    ensure!(basket.explanation.to_string() == "spec.free.deep.size: 2 -> 1 (desired)\n", "{basket:#?}");
    Ok(())
}

/// Acceptance check 16, what admission adds.
#[tokio::test(flavor = "multi_thread")]
async fn what_admission_adds_counts_only_where_it_is_asked_for() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("webhook").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let annotated = |mut object: Value| {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            let options = json!({"argocd.argoproj.io/compare-options": "IncludeMutationWebhook=true,ServerSideDiff=true"});
            metadata.insert("annotations".into(), options);
        }
        object
    };
    add(&world, "webhook", &namespace, exact(), vec![config("plain", "1"), annotated(config("with", "1"))])
        .await?;
    ensure!(sync(&world, "webhook", Operation::default()).await?.phase == Phase::Succeeded);
    ensure!(diff_of(&world, "webhook").await?.iter().all(|object| object.state == ObjectState::Synced));

    let sidecar = json!({"patchType": "ApplyConfiguration", "applyConfiguration": {
        "expression": "Object{data: {\"sidecar\": \"injected\"}}"}});
    let spec = json!({"mutations": [sidecar], "reinvocationPolicy": "Never"});
    admission(&api, "Mutating", &namespace, spec).await?;
    let diff = eventually("the injection is seen", PATIENCE, async || {
        let diff = diff_of(&world, "webhook").await?;
        Ok(diff.iter().any(|object| object.state == ObjectState::OutOfSync).then_some(diff))
    })
    .await?;
    let state = |name: &str| diff.iter().find(|object| object.key.name == name).map(|object| &object.state);
    ensure!(state("plain") == Some(&ObjectState::Synced), "{diff:#?}");
    ensure!(state("with") == Some(&ObjectState::OutOfSync), "{diff:#?}");
    let with = diff.iter().find(|object| object.key.name == "with").context("it is there")?;
    ensure!(with.explanation.to_string().contains("data.sidecar"), "{with:#?}");
    Ok(())
}

/// Acceptance check 17 on a server; the pure one is in `merge`.
#[tokio::test(flavor = "multi_thread")]
async fn what_people_add_is_drift_in_strict_mode_and_named() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("strict").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    let mut wanted = deployment("web", "web:1");
    if let Some(container) = wanted.pointer_mut("/spec/template/spec/containers/0") {
        *container = json!({"name": "web", "image": "web:1", "env": [{"name": "OURS", "value": "1"}]});
    }
    // Whoever migrates takes such fields over and drops them: then they are drift in any case.
    let options = SyncOptions { migrate: false, ..SyncOptions::default() };
    for (id, strict) in [("loose", false), ("strict", true)] {
        let mut object = wanted.clone();
        if let Some(name) = object.pointer_mut("/metadata/name") {
            *name = json!(id);
        }
        let compare = Compare { strict, ..Compare::default() };
        let policy = Policy { rules: Rules::Argo, options: options.clone(), compare, ..Policy::default() };
        add(&world, id, &namespace, policy, vec![object]).await?;
        ensure!(sync(&world, id, Operation::default()).await?.phase == Phase::Succeeded);
        status_where(&world, id, |status| status.sync == SyncState::Synced).await?;
        let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/{id}?fieldManager=kubectl-edit");
        let container = json!({"name": "web", "image": "web:1",
            "env": [{"name": "OURS", "value": "1"}, {"name": "BY_HAND", "value": "x"}]});
        api.patch(&path, &json!({"spec": {"template": {"spec": {"containers": [container]}}}})).await?;
    }
    status_where(&world, "strict", |status| status.sync == SyncState::OutOfSync).await?;
    let diff = diff_of(&world, "strict").await?;
    let changes = &diff.first().context("an object")?.explanation.changes;
    let by_hand = |field: &&towpath_engine::merge::explain::Field| field.path.to_string().contains("BY_HAND");
    let change = changes.iter().find(by_hand).with_context(|| format!("{changes:#?}"))?;
    ensure!(change.reason == Reason::OwnedBy("kubectl-edit".into()), "{changes:#?}");
    let diff = diff_of(&world, "loose").await?;
    ensure!(diff.iter().all(|object| object.state == ObjectState::Synced), "{diff:#?}");
    status_where(&world, "loose", |status| status.sync == SyncState::Synced).await?;
    Ok(())
}
