//! Failing syncs: pauses, limits, ends; newer revisions; repairs that do not hold. Times are read off a clock that the
//! test moves.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use towpath_cluster::cache::Scope;
use towpath_engine::store::{UnitStore as _, await_sync, start_sync, terminate};
use towpath_engine::unit::{Automated, Operation, OperationState, Phase, Policy, SyncState, UnitId};
use towpath_engine::{Event, Heard};
use towpath_plan::sync::Rules;
use towpath_plan::sync::policy::{Backoff, Preemption, RetryPolicy};
use towpath_testkit::{Fault, FaultProxy, MovableClock, Rule, eventually, shared};

use crate::hooks::{annotated, job};
use crate::world::{World, config, unit};

const PATIENCE: Duration = Duration::from_secs(30);

/// A world whose clock stands still, behind a proxy.
struct Bed {
    world: World,
    proxy: FaultProxy,
    clock: MovableClock,
    namespace: String,
    id: UnitId,
}

async fn bed(name: &str) -> Result<Bed> {
    let plane = shared().await?;
    let (proxy, namespace) = (FaultProxy::start(plane)?, plane.namespace(name).await?);
    let clock = MovableClock::at(Timestamp::from_second(1_800_000_000)?);
    let kubeconfig = proxy.kubeconfig_path().to_path_buf();
    let hands = Arc::new(clock.clone());
    let world = World::with(kubeconfig, Arc::default(), Arc::default(), Scope::Cluster, hands)?;
    Ok(Bed { world, proxy, clock, namespace, id: UnitId(name.into()) })
}

impl Bed {
    async fn create(&self, policy: Policy, objects: Vec<Value>) -> Result<()> {
        self.world.manifests.set(&self.id.0, objects);
        self.world.store.create(unit(&self.id.0, &self.namespace, policy)).await?;
        Ok(())
    }

    async fn ended(&self) -> Result<OperationState> {
        let state = await_sync(&*self.world.store, &self.id, PATIENCE).await?;
        match state {
            Some(state) => Ok(state),
            None => Err(anyhow::anyhow!("{:#?}", self.world.status(&self.id.0).await?)),
        }
    }

    async fn operation(&self) -> Result<OperationState> {
        self.world.status(&self.id.0).await?.operation.context("no operation")
    }

    /// Waits until the operation is as wanted.
    async fn when(&self, what: &str, is: impl Fn(&OperationState) -> bool) -> Result<OperationState> {
        eventually(what, PATIENCE, async || {
            let status = self.world.status(&self.id.0).await?;
            Ok(status.operation.filter(|state| is(state)))
        })
        .await
    }

    /// The next revision of the unit's manifests.
    fn commit(&self, objects: Vec<Value>) {
        self.world.manifests.set(&self.id.0, objects);
        self.world.engine.refresh(&self.id);
    }

    /// No write of this object gets through.
    fn refuse(&self, name: &str) {
        self.proxy.add(Rule::new(Fault::status(422)).writes().path(&format!("/configmaps/{name}")));
    }

    fn attempts(&self, name: &str) -> usize {
        self.proxy.writes().iter().filter(|(_, path)| path.ends_with(&format!("/configmaps/{name}"))).count()
    }

    fn path(&self, name: &str) -> String {
        format!("/api/v1/namespaces/{}/configmaps/{name}", self.namespace)
    }

    async fn value(&self, name: &str) -> Result<String> {
        let found = self.proxy.api().find(&self.path(name)).await?.unwrap_or_default();
        Ok(found.pointer("/data/key").and_then(Value::as_str).unwrap_or_default().into())
    }
}

fn backoff(limit: i64, first: i64, longest: i64) -> RetryPolicy {
    let millis = SignedDuration::from_millis;
    let backoff = Backoff { first: millis(first), factor: 2, longest: millis(longest) };
    RetryPolicy { limit, backoff, refresh: false }
}

fn automatic(retry: RetryPolicy) -> Policy {
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    Policy { automated, retry: Some(retry), ..Policy::default() }
}

/// A thousandth of the usual pauses: 5, 10, 20 … 180 ms, for as long as it takes; and a repaired cause ends it well.
#[tokio::test(flavor = "multi_thread")]
async fn pauses_double_up_to_the_longest_without_end() -> Result<()> {
    let bed = bed("pauses").await?;
    bed.refuse("bad");
    let policy = Policy { retry: Some(backoff(-1, 5, 180)), ..Policy::default() };
    let mut changes = bed.world.store.watch();
    bed.create(policy, vec![config("bad", "1")]).await?;
    start_sync(&*bed.world.store, &bed.id, Operation::default()).await?;
    let began = "2027-01-15T08:00:00";
    let (mut pauses, mut seen) = (Vec::new(), 0);
    while pauses.len() < 9 {
        futures::StreamExt::next(&mut changes).await.context("the store ended")?;
        let Some(state) = bed.world.status("pauses").await?.operation else { continue };
        if state.retries > seen {
            seen = state.retries;
            let (_, at) = state.message.rsplit_once("tried again at ").context(state.message.clone())?;
            ensure!(at.starts_with(began), "the clock stands still: {at}");
            pauses.push(at.parse::<Timestamp>()?.duration_since(began_at()?).as_millis());
        }
    }
    ensure!(pauses == [5, 10, 20, 40, 80, 160, 180, 180, 180], "{pauses:?}");
    bed.proxy.reset();
    let state = bed.ended().await?;
    ensure!(state.phase == Phase::Succeeded && state.retries >= 9, "{state:#?}");
    ensure!(bed.value("bad").await? == "1");
    Ok(())
}

fn began_at() -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000)?)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_attempts_holds() -> Result<()> {
    let bed = bed("limit").await?;
    bed.refuse("bad");
    bed.create(
        Policy { retry: Some(backoff(2, 1, 1)), ..Policy::default() },
        vec![config("bad", "1"), config("good", "1")],
    )
    .await?;
    start_sync(&*bed.world.store, &bed.id, Operation::default()).await?;
    let state = bed.ended().await?;
    ensure!(state.phase == Phase::Failed && state.retries == 2, "{state:#?}");
    ensure!(bed.attempts("bad") == 3, "{:?}", bed.proxy.writes());
    // Nobody who asks by hand is given attempts that no policy names.
    let mut stored = bed.world.store.get(&bed.id).await?.context("a unit")?;
    stored.unit.policy.retry = None;
    bed.world.store.update(stored.unit, &stored.version).await?;
    start_sync(&*bed.world.store, &bed.id, Operation::default()).await?;
    let state = bed.ended().await?;
    ensure!(state.retries == 0 && bed.attempts("bad") == 4, "{state:#?}");
    Ok(())
}

/// What is no duration is refused where the policy is read.
#[test]
fn a_pause_that_is_no_duration_is_an_error() -> Result<()> {
    let policy = |first: &str| {
        let policy = json!({"rules": "argo", "automated": null, "options": towpath_plan::sync::SyncOptions::default(),
            "retry": {"limit": 3, "backoff": {"first": first}}});
        serde_json::from_value::<Policy>(policy)
    };
    ensure!(policy("7s")?.retry.is_some_and(|retry| retry.backoff.first.as_secs() == 7));
    for bad in ["soon", "", "5x"] {
        ensure!(policy(bad).is_err(), "{bad:?}");
    }
    Ok(())
}

/// Somebody who stops it does not wait for the next attempt, and there is none.
#[tokio::test(flavor = "multi_thread")]
async fn terminating_ends_the_attempts() -> Result<()> {
    let bed = bed("stopped").await?;
    bed.refuse("bad");
    let hours = backoff(-1, 3_600_000, 3_600_000);
    bed.create(Policy { retry: Some(hours), ..Policy::default() }, vec![config("bad", "1")]).await?;
    start_sync(&*bed.world.store, &bed.id, Operation::default()).await?;
    bed.when("it waits for an hour", |state| state.retries == 1).await?;
    terminate(&*bed.world.store, &bed.id).await?;
    let state = bed.ended().await?;
    ensure!(state.phase == Phase::Failed && state.message.contains("terminated"), "{state:#?}");
    ensure!(bed.attempts("bad") == 1, "{:?}", bed.proxy.writes());
    Ok(())
}

/// A commit that fails is tried as often as the policy says and then left alone, however often it is looked at. The next
/// one is tried at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_failing_commit_is_not_tried_for_ever() -> Result<()> {
    let bed = bed("loop").await?;
    bed.refuse("bad");
    let mut events = bed.world.engine.subscribe();
    bed.create(automatic(backoff(1, 1, 1)), vec![config("bad", "1")]).await?;
    let state = bed.when("it fails", |state| state.phase == Phase::Failed).await?;
    ensure!(state.retries == 1 && bed.attempts("bad") == 2, "{state:#?}");
    let told = async {
        loop {
            if let Some(Heard::Event(Event::Unit { reason: "NotSynced", message, .. })) = events.next().await
            {
                return message;
            }
        }
    };
    let message = tokio::time::timeout(PATIENCE, told).await?;
    ensure!(message.starts_with("the last sync to r1 failed and is not repeated"), "{message}");
    for _ in 0..20 {
        bed.clock.advance(Duration::from_mins(10));
        bed.world.engine.refresh(&bed.id);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ensure!(bed.attempts("bad") == 2, "{:?}", bed.proxy.writes());
    ensure!(bed.world.status("loop").await?.sync == SyncState::OutOfSync);
    bed.commit(vec![config("better", "1")]);
    bed.world.settled("loop", "r2").await?;
    Ok(())
}

/// A newer commit ends the waiting between two attempts.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_commit_wins_over_a_retry() -> Result<()> {
    let bed = bed("newer").await?;
    bed.refuse("bad");
    bed.create(automatic(backoff(-1, 3_600_000, 3_600_000)), vec![config("bad", "1")]).await?;
    bed.when("it waits for an hour", |state| state.retries == 1).await?;
    bed.commit(vec![config("better", "1")]);
    let status = bed.world.settled("newer", "r2").await?;
    ensure!(status.history.len() == 1 && bed.attempts("bad") == 1, "{status:#?}");
    Ok(())
}

/// With `refresh` the next attempt takes what is newest then.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_takes_the_newest_revision_on_request() -> Result<()> {
    let bed = bed("refresh").await?;
    bed.refuse("bad");
    let retry = RetryPolicy { refresh: true, ..backoff(-1, 300, 300) };
    let preemption = Preemption::Finish;
    let policy = Policy { retry: Some(retry), preemption, ..Policy::default() };
    bed.create(policy, vec![config("bad", "1")]).await?;
    start_sync(&*bed.world.store, &bed.id, Operation::default()).await?;
    bed.when("it is tried again", |state| state.retries == 1).await?;
    bed.world.manifests.set("refresh", vec![config("better", "1")]);
    let state = bed.ended().await?;
    ensure!(state.phase == Phase::Succeeded && state.revision == "r2", "{state:#?}");
    Ok(())
}

fn endless(value: &str) -> Vec<Value> {
    vec![
        annotated(job("endless"), &[("hook", "PreSync")]),
        config("plain", value),
        annotated(config("late", value), &[("sync-wave", "1")]),
    ]
}

/// A Deployment that nobody runs never becomes ready, so its wave never ends by itself.
fn waiting() -> Vec<Value> {
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "slow"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "slow"}}, "template": {
            "metadata": {"labels": {"app": "slow"}},
            "spec": {"containers": [{"name": "slow", "image": "registry.example/slow:1"}]}}}});
    vec![deployment, annotated(config("late", "1"), &[("sync-wave", "1")])]
}

fn preempted(preemption: Preemption) -> Policy {
    Policy { rules: Rules::Argo, preemption, ..automatic(backoff(0, 1, 1)) }
}

/// After the wave under way: its health is not awaited, later waves of the old revision are not begun.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_commit_wins_after_the_wave() -> Result<()> {
    let bed = bed("wave").await?;
    bed.create(preempted(Preemption::FinishWave), waiting()).await?;
    let slow = format!("/apis/apps/v1/namespaces/{}/deployments/slow", bed.namespace);
    let api = bed.proxy.api();
    eventually("the first wave", PATIENCE, async || Ok(api.find(&slow).await?)).await?;
    bed.commit(vec![config("better", "1")]);
    bed.world.settled("wave", "r2").await?;
    ensure!(bed.attempts("late") == 0, "{:?}", bed.proxy.writes());
    Ok(())
}

/// At once: the running hook is deleted, with its finalizer, and nothing of the old revision follows.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_commit_wins_at_once() -> Result<()> {
    let bed = bed("abort").await?;
    bed.create(preempted(Preemption::AbortNow), endless("1")).await?;
    let hook = format!("/apis/batch/v1/namespaces/{}/jobs/endless", bed.namespace);
    let api = bed.proxy.api();
    eventually("the hook runs", PATIENCE, async || Ok(api.find(&hook).await?)).await?;
    bed.commit(vec![config("better", "1")]);
    bed.world.settled("abort", "r2").await?;
    eventually("the hook is gone", PATIENCE, async || Ok(api.find(&hook).await?.is_none().then_some(())))
        .await?;
    ensure!(bed.attempts("plain") == 0, "{:?}", bed.proxy.writes());
    Ok(())
}

/// Not at all: the newer one waits until somebody ends the older.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_commit_waits_where_the_policy_says_so() -> Result<()> {
    let bed = bed("finish").await?;
    bed.create(preempted(Preemption::Finish), endless("1")).await?;
    let hook = format!("/apis/batch/v1/namespaces/{}/jobs/endless", bed.namespace);
    let api = bed.proxy.api();
    eventually("the hook runs", PATIENCE, async || Ok(api.find(&hook).await?)).await?;
    bed.commit(vec![config("better", "1")]);
    for _ in 0..10 {
        bed.world.engine.refresh(&bed.id);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let state = bed.operation().await?;
    ensure!(state.phase == Phase::Running && state.revision == "r1", "{state:#?}");
    ensure!(bed.attempts("better") == 0);
    terminate(&*bed.world.store, &bed.id).await?;
    bed.world.settled("finish", "r2").await?;
    Ok(())
}

/// A repair that does not hold comes ever later: at once, after 2, 6, 18, 54, 162 and 300 s, counted from the last one.
#[tokio::test(flavor = "multi_thread")]
async fn repairs_come_ever_later() -> Result<()> {
    let bed = bed("heal").await?;
    bed.create(automatic(backoff(0, 1, 1)), vec![config("one", "1")]).await?;
    bed.world.settled("heal", "r1").await?;
    let api = shared().await?.api();
    for (repairs, delay) in (1u32..).zip([0, 2, 6, 18, 54, 162, 300, 300]) {
        api.patch(&bed.path("one"), &json!({"data": {"key": "drifted"}})).await?;
        if delay > 0 {
            eventually("the drift is seen", PATIENCE, async || {
                Ok((bed.world.status("heal").await?.sync == SyncState::OutOfSync).then_some(()))
            })
            .await?;
            bed.clock.advance(Duration::from_secs(delay - 1));
            for _ in 0..5 {
                bed.world.engine.refresh(&bed.id);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            ensure!(bed.value("one").await? == "drifted", "the {repairs}. repair is due after {delay} s");
            bed.clock.advance(Duration::from_secs(1));
            bed.world.engine.refresh(&bed.id);
        }
        bed.when("the repair", |state| state.repairs == repairs && state.phase == Phase::Succeeded).await?;
        ensure!(bed.value("one").await? == "1");
    }
    // A new revision begins again.
    bed.commit(vec![config("one", "2")]);
    bed.world.settled("heal", "r2").await?;
    api.patch(&bed.path("one"), &json!({"data": {"key": "drifted"}})).await?;
    bed.when("the first repair", |state| state.repairs == 1 && state.phase == Phase::Succeeded).await?;
    ensure!(bed.value("one").await? == "2");
    Ok(())
}
