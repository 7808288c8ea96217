//! Ended between any two writes of a sync, and started again on the same store: converged, nothing orphaned, no hook
//! run twice. Every point is tried, not samples.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use towpath_plan::sync::Rules;

use towpath_testkit::{AuditLog, ControlPlane, FaultProxy, eventually, status};

use crate::hooks::{annotated, job};
use crate::leave::{delete, gone};
use crate::world::{World, config};

/// Where a run is ended.
#[derive(Clone, Copy, Debug)]
enum Point {
    /// Nowhere: to count.
    Never,
    /// The n-th write has not reached the server.
    Before(usize),
    /// The n-th write was carried out and its answer has not reached us.
    After(usize),
}

/// A unit in its versions.
struct Tale {
    name: &'static str,
    rules: Rules,
    versions: fn(&str) -> [Vec<Value>; 2],
    hooks: &'static [&'static str],
}

const HOOKED: Tale =
    Tale { name: "killa", rules: Rules::Argo, versions: hooked, hooks: &["before", "after"] };
const DEFINED: Tale = Tale { name: "killk", rules: Rules::Kstatus, versions: defined, hooks: &[] };

fn hooked(_: &str) -> [Vec<Value>; 2] {
    let common = |early: &str| {
        vec![
            annotated(job("before"), &[("hook", "PreSync")]),
            annotated(config("early", early), &[("sync-wave", "-1")]),
            annotated(config("late", "1"), &[("sync-wave", "1")]),
            annotated(job("after"), &[("hook", "PostSync"), ("hook-delete-policy", "HookSucceeded")]),
        ]
    };
    let (mut first, mut second) = (common("1"), common("2"));
    first.push(config("middle", "1"));
    second.push(config("new", "1"));
    [first, second]
}

fn defined(unit: &str) -> [Vec<Value>; 2] {
    let group = format!("{unit}.example.com");
    let basket = |name: &str, size: u64| {
        json!({"apiVersion": format!("{group}/v1"), "kind": "Basket",
            "metadata": {"name": name}, "spec": {"size": size}})
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("baskets.{group}")},
        "spec": {"group": group, "scope": "Namespaced",
            "names": {"kind": "Basket", "plural": "baskets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]},
    });
    let first =
        vec![definition.clone(), basket("one", 1), basket("two", 2), config("a", "1"), config("b", "1")];
    let second = vec![definition, basket("two", 3), config("a", "2"), config("c", "1")];
    [first, second]
}

pub fn name(object: &Value) -> &str {
    object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

/// What the labels say that a unit has.
pub async fn labelled(plane: &ControlPlane, unit: &str, namespace: &str) -> Result<BTreeSet<String>> {
    let api = plane.api();
    let mut found = BTreeSet::new();
    for (kind, collection) in [
        ("ConfigMap", format!("/api/v1/namespaces/{namespace}/configmaps")),
        ("Job", format!("/apis/batch/v1/namespaces/{namespace}/jobs")),
        ("Basket", format!("/apis/{unit}.example.com/v1/namespaces/{namespace}/baskets")),
        ("CustomResourceDefinition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".into()),
    ] {
        let path = format!("{collection}?labelSelector=towpath.dev%2Funit%3D{unit}");
        let listed = eventually("a list", Duration::from_secs(10), async || match api.find(&path).await {
            // A kind that was only just defined.
            Err(error) if status(&error).is_some_and(|code| code == 429) => Ok(None),
            other => other.map(Some),
        })
        .await?;
        let items = listed.as_ref().and_then(|list| list.get("items")).and_then(Value::as_array);
        found.extend(items.into_iter().flatten().map(|object| format!("{kind} {}", name(object))));
    }
    Ok(found)
}

pub fn inventory(text: &str) -> BTreeSet<String> {
    let line = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let kind = words.next().unwrap_or_default().to_string();
        let name = words.next().and_then(|place| place.rsplit('/').next()).unwrap_or_default();
        format!("{kind} {name}")
    };
    text.lines().map(line).collect()
}

/// How many times a Job was created.
pub fn created(audit: &AuditLog, namespace: &str, name: &str) -> Result<usize> {
    let path = format!("/apis/batch/v1/namespaces/{namespace}/jobs/{name}?");
    let events = audit.events()?.into_iter();
    Ok(events.filter(|event| event.uri.starts_with(&path) && event.response_status.code == 201).count())
}

/// One run of a tale up to `version`, the last step of which is ended at the point; the number of writes seen.
async fn tell(
    plane: &ControlPlane,
    audit: &AuditLog,
    tale: &Tale,
    version: usize,
    point: Point,
) -> Result<usize> {
    let unit = match point {
        Point::Never => format!("{}{version}", tale.name),
        Point::Before(n) => format!("{}{version}b{n}", tale.name),
        Point::After(n) => format!("{}{version}a{n}", tale.name),
    };
    let namespace = plane.namespace(&unit).await?;
    let [first, second] = (tale.versions)(&unit);
    let (mut store, mut manifests) = (Arc::default(), Arc::default());
    if version > 1 {
        let world = World::start(plane)?;
        world.add(&unit, &namespace, tale.rules, first.clone()).await?;
        world.settled(&unit, "r1").await?;
        (store, manifests) = world.kill().await?;
    }
    let proxy = FaultProxy::start(plane)?;
    match point {
        Point::Never => {}
        Point::Before(n) => proxy.stop_before_write(n),
        Point::After(n) => proxy.stop_after_write(n),
    }
    let revision = format!("r{version}");
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), store, manifests)?;
    if version > 1 {
        world.manifests.set(&unit, second.clone());
        world.engine.refresh(&towpath_engine::unit::UnitId(unit.clone()));
    } else {
        world.add(&unit, &namespace, tale.rules, first.clone()).await?;
    }
    tokio::select! {
        () = proxy.stopped() => {}
        settled = world.settled(&unit, &revision) => {
            settled?;
            ensure!(matches!(point, Point::Never), "it ended before {point:?}");
        }
    }
    let writes = proxy.writes().len();
    let status = world.status(&unit).await?;
    let orphans: Vec<String> = labelled(plane, &unit, &namespace)
        .await?
        .difference(&inventory(&status.inventory))
        .cloned()
        .collect();
    ensure!(orphans.is_empty(), "{point:?}: not in the inventory: {orphans:?}");
    let (store, manifests) = world.kill().await?;
    proxy.reset();

    let world = World::over(plane.kubeconfig_path(), store, manifests)?;
    let status = world.settled(&unit, &revision).await?;
    ensure!(status.history.len() == version, "{point:?}: {:#?}", status.history);
    for hook in tale.hooks {
        let times = created(audit, &namespace, hook)?;
        ensure!(times == version, "{point:?}: {hook} was created {times} times");
    }
    eventually("the inventory is what is labelled", Duration::from_secs(10), async || {
        let there = labelled(plane, &unit, &namespace).await?;
        Ok((inventory(&world.status(&unit).await?.inventory) == there).then_some(()))
    })
    .await
    .map_err(|error| error.context(format!("{point:?}")))?;
    let there = labelled(plane, &unit, &namespace).await?;
    let wanted = if version == 1 { first } else { second };
    let kind = |object: &Value| object.get("kind").and_then(Value::as_str).unwrap_or_default().to_string();
    let wanted: BTreeSet<String> = wanted
        .iter()
        .filter(|object| name(object) != "after")
        .map(|object| format!("{} {}", kind(object), name(object)))
        .collect();
    ensure!(there == wanted, "{point:?}: {there:?}, wanted {wanted:?}");
    world.kill().await?;
    Ok(writes)
}

/// A deletion that is ended at the point and taken up again; the number of writes seen.
async fn deletion(plane: &ControlPlane, audit: &AuditLog, point: Point) -> Result<usize> {
    let unit = match point {
        Point::Never => "killd".to_string(),
        Point::Before(n) => format!("killdb{n}"),
        Point::After(n) => format!("killda{n}"),
    };
    let namespace = plane.namespace(&unit).await?;
    let objects = vec![
        annotated(job("before"), &[("hook", "PreDelete")]),
        annotated(config("early", "1"), &[("sync-wave", "-1")]),
        annotated(config("late", "1"), &[("sync-wave", "1")]),
        annotated(job("after"), &[("hook", "PostDelete")]),
    ];
    let world = World::start(plane)?;
    world.add(&unit, &namespace, Rules::Argo, objects).await?;
    world.settled(&unit, "r1").await?;
    let (store, manifests) = world.kill().await?;
    let proxy = FaultProxy::start(plane)?;
    match point {
        Point::Never => {}
        Point::Before(n) => proxy.stop_before_write(n),
        Point::After(n) => proxy.stop_after_write(n),
    }
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), store, manifests)?;
    delete(&world, &unit).await?;
    tokio::select! {
        () = proxy.stopped() => {}
        gone = gone(&world, &unit) => {
            gone?;
            ensure!(matches!(point, Point::Never), "it ended before {point:?}");
        }
    }
    let writes = proxy.writes().len();
    let (store, manifests) = world.kill().await?;
    proxy.reset();
    let world = World::over(plane.kubeconfig_path(), store, manifests)?;
    gone(&world, &unit).await?;
    eventually("nothing is left", Duration::from_secs(10), async || {
        Ok(labelled(plane, &unit, &namespace).await?.is_empty().then_some(()))
    })
    .await?;
    for hook in ["before", "after"] {
        let times = created(audit, &namespace, hook)?;
        ensure!(times == 1, "{hook} was created {times} times");
    }
    Ok(writes)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_at_every_write() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    // Asked for while nobody writes to it: it begins with a whole line.
    let (plane, audit) = (&plane, &plane.audit()?);
    let writes = deletion(plane, audit, Point::Never).await?;
    let points = (1..=writes).flat_map(|n| [Point::Before(n), Point::After(n)]);
    stream::iter(points.map(|point| async move {
        let told = deletion(plane, audit, point).await;
        told.map_err(|error| error.context(format!("{point:?}"))).map(|_| ())
    }))
    .buffer_unordered(6)
    .try_collect::<()>()
    .await?;
    ensure!(writes == 8, "{writes}");
    Ok(())
}

async fn at_every_point(tale: &Tale) -> Result<Vec<usize>> {
    let plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    let (plane, audit) = (&plane, &plane.audit()?);
    let mut counts = Vec::new();
    for version in 1..=2 {
        let writes = tell(plane, audit, tale, version, Point::Never).await?;
        let points = (1..=writes).flat_map(|n| [Point::Before(n), Point::After(n)]);
        stream::iter(points.map(|point| async move {
            let told = tell(plane, audit, tale, version, point).await;
            told.map_err(|error| error.context(format!("version {version}, {point:?}"))).map(|_| ())
        }))
        .buffer_unordered(6)
        .try_collect::<()>()
        .await?;
        counts.push(writes);
    }
    Ok(counts)
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_and_waves_at_every_write() -> Result<()> {
    ensure!(at_every_point(&HOOKED).await? == [8, 9]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_and_their_objects_at_every_write() -> Result<()> {
    ensure!(at_every_point(&DEFINED).await? == [5, 5]);
    Ok(())
}
