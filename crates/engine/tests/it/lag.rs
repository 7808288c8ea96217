//! A cache that hears of everything late.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::Value;
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
