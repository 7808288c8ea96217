//! A cache that hears of everything late.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use towpath_engine::unit::UnitId;
use towpath_plan::sync::Rules;
use towpath_testkit::{ControlPlane, Fault, FaultProxy, Rule, eventually};

use crate::faults::through;
use crate::world::config;

/// How late.
const LAG: Duration = Duration::from_secs(1);

/// The writes from that one on, by name: `PATCH one`.
fn writes(proxy: &FaultProxy, from: usize) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let writes = proxy.writes().into_iter().skip(from);
    let mut writes: Vec<String> = writes.map(|(method, path)| format!("{method} {}", name(&path))).collect();
    writes.sort();
    writes
}

/// What was just written counts as written, though the watch has not told of it yet: nothing is written twice.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_just_written_is_not_missing() -> Result<()> {
    // Nobody else's objects, which would be late as well, one after the other.
    let plane = ControlPlane::builder().start().await?;
    let (api, namespace) = (plane.api(), plane.namespace("lag").await?);
    for (rules, name) in [(Rules::Kstatus, "lag-k"), (Rules::Argo, "lag-a")] {
        let proxy = FaultProxy::start(&plane)?;
        proxy.add(Rule::new(Fault::SlowBody { piece: 1 << 20, pause: LAG }).watches().path("configmaps"));
        let world = through(&proxy)?;
        let named = |number: usize, value: &str| config(&format!("{name}-{number}"), value);
        let all = |value: &str| (0..3).map(|number| named(number, value)).collect::<Vec<Value>>();
        world.add(name, &namespace, rules, all("1")).await?;
        world.settled(name, "r1").await?;
        let (done, expected) = (writes(&proxy, 0), [0, 1, 2].map(|number| format!("PATCH {name}-{number}")));
        ensure!(done == expected, "{done:?}");

        world.manifests.set(name, vec![named(0, "2"), named(1, "2")]);
        world.engine.refresh(&UnitId(name.into()));
        world.settled(name, "r2").await?;
        // A second time, when the watch has told.
        tokio::time::sleep(LAG * 2).await;
        let status = world.settled(name, "r2").await?;
        let done = writes(&proxy, 3);
        let expected = [format!("DELETE {name}-2"), format!("PATCH {name}-0"), format!("PATCH {name}-1")];
        ensure!(done == expected, "{done:?}");
        ensure!(status.history.len() == 2, "{:#?}", status.history);

        // Somebody deletes it right after the write: that is heard of, late, and put right.
        world.manifests.set(name, vec![named(0, "3"), named(1, "2")]);
        world.engine.refresh(&UnitId(name.into()));
        let path = format!("/api/v1/namespaces/{namespace}/configmaps/{name}-0");
        eventually("it is written", Duration::from_secs(10), async || {
            Ok((api.get(&path).await?.pointer("/data/key").and_then(Value::as_str) == Some("3"))
                .then_some(()))
        })
        .await?;
        api.delete(&path).await?;
        eventually("it is there again", Duration::from_secs(20), async || Ok(api.find(&path).await?)).await?;
        world.settled(name, "r3").await?;
    }
    Ok(())
}

/// What another has taken, or somebody has protected, is not deleted because the watch has not told yet.
#[tokio::test(flavor = "multi_thread")]
async fn what_changed_hands_is_not_pruned() -> Result<()> {
    let plane = ControlPlane::builder().start().await?;
    let (api, namespace) = (plane.api(), plane.namespace("hands").await?);
    let proxy = FaultProxy::start(&plane)?;
    proxy.add(Rule::new(Fault::SlowBody { piece: 1 << 20, pause: LAG }).watches().path("configmaps"));
    let world = through(&proxy)?;
    let names = ["stays", "taken", "kept", "goes"];
    world.add("hands", &namespace, Rules::Kstatus, names.map(|name| config(name, "1")).into()).await?;
    world.settled("hands", "r1").await?;
    tokio::time::sleep(LAG * 2).await;
    let changes = [
        ("taken", json!({"metadata": {"labels": {"towpath.dev/unit": "another"}}})),
        ("kept", json!({"metadata": {"annotations": {"towpath.dev/prune": "disabled"}}})),
        ("goes", json!({"metadata": {"annotations": {"note": "nothing that matters"}}})),
    ];
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    for (name, patch) in changes {
        api.patch(&format!("{path}/{name}"), &patch).await?;
    }
    world.manifests.set("hands", vec![config("stays", "2")]);
    world.engine.refresh(&UnitId("hands".into()));
    eventually("one goes", Duration::from_secs(20), async || {
        Ok(api.find(&format!("{path}/goes")).await?.is_none().then_some(()))
    })
    .await?;
    // When the watch has told, too.
    tokio::time::sleep(LAG * 2).await;
    let status = world.status("hands").await?;
    ensure!(status.history.last().is_some_and(|last| last.revision == "r2"), "{status:#?}");
    for name in ["taken", "kept"] {
        ensure!(api.find(&format!("{path}/{name}")).await?.is_some(), "{name}");
    }
    Ok(())
}
