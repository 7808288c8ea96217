//! What a server may answer to an apply, and what follows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use http::Method;
use serde_json::{Value, json};
use towpath_engine::unit::{Operation, Phase, Policy};
use towpath_plan::sync::SyncOptions;
use towpath_testkit::{Api, Fault, FaultProxy, Rule, shared};

use crate::hooks::annotated;
use crate::options::{add, argo, sync, text, with};
use crate::world::{World, config};

struct Bed {
    world: World,
    proxy: FaultProxy,
    /// Past the proxy.
    api: Api,
    namespace: String,
}

async fn bed(name: &str) -> Result<Bed> {
    let plane = shared().await?;
    let (proxy, namespace) = (FaultProxy::start(plane)?, plane.namespace(name).await?);
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())?;
    Ok(Bed { world, proxy, api: plane.api(), namespace })
}

impl Bed {
    fn path(&self, name: &str) -> String {
        format!("/api/v1/namespaces/{}/configmaps/{name}", self.namespace)
    }

    /// The methods of the writes to an object, in their order.
    fn writes(&self, name: &str) -> Vec<Method> {
        let (own, collection) = (self.path(name), self.path(""));
        let all = self.proxy.writes().into_iter();
        all.filter(|(_, path)| *path == own || *path == collection.trim_end_matches('/'))
            .map(|(method, _)| method)
            .collect()
    }

    /// How often an object was changed: each of our writes that changes anything has an entry of its own time at most.
    async fn get(&self, name: &str) -> Result<Value> {
        self.api.get(&self.path(name)).await
    }
}

/// The server says how long to wait, and nobody asks before.
#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server_is_asked_again_when_it_says() -> Result<()> {
    let bed = bed("later").await?;
    bed.proxy.add(Rule::new(Fault::too_many_requests(2)).writes().path("/configmaps/one").times(1));
    add(&bed.world, "later", &bed.namespace, argo(), vec![config("one", "1")]).await?;
    let start = Instant::now();
    let state = sync(&bed.world, "later", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded && state.retries == 0, "{state:#?}");
    ensure!(start.elapsed() >= Duration::from_secs(2), "{:?}", start.elapsed());
    ensure!(bed.writes("one") == [Method::PATCH, Method::PATCH], "{:?}", bed.proxy.writes());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passing_failure_is_got_over_within_the_operation() -> Result<()> {
    for code in [500, 502, 503, 504] {
        let name = format!("passing-{code}");
        let bed = bed(&name).await?;
        bed.proxy.add(Rule::new(Fault::status(code)).writes().path("/configmaps/one").times(3));
        add(&bed.world, &name, &bed.namespace, argo(), vec![config("one", "1")]).await?;
        let state = sync(&bed.world, &name, Operation::default()).await?;
        ensure!(state.phase == Phase::Succeeded && state.retries == 0, "{state:#?}");
        ensure!(bed.writes("one").len() == 4, "{:?}", bed.proxy.writes());
    }
    Ok(())
}

/// A failure that does not pass ends the operation when patience ends, with growing pauses until then; the other
/// objects are there.
#[tokio::test(flavor = "multi_thread")]
async fn a_lasting_failure_ends_the_operation() -> Result<()> {
    let bed = bed("lasting").await?;
    bed.proxy.add(Rule::new(Fault::status(500)).writes().path("/configmaps/one"));
    let objects = vec![config("one", "1"), config("two", "1")];
    add(&bed.world, "lasting", &bed.namespace, argo(), objects).await?;
    let id = towpath_engine::unit::UnitId("lasting".into());
    towpath_engine::store::start_sync(&*bed.world.store, &id, Operation::default()).await?;
    let state = towpath_engine::store::await_sync(&*bed.world.store, &id, Duration::from_secs(120)).await?;
    let state = state.context("it does not end")?;
    ensure!(state.phase == Phase::Failed && state.message.contains("/one"), "{state:#?}");
    ensure!(state.message.contains("injected by a test"), "{}", state.message);
    let tries = bed.writes("one").len();
    ensure!((10..80).contains(&tries), "{tries}");
    ensure!(text(&bed.get("two").await?, "/data/key") == "1");
    Ok(())
}

/// The server has done it, and the answer is lost: done again, it changes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_has_no_second_effect() -> Result<()> {
    let bed = bed("lost").await?;
    bed.proxy.add(Rule::new(Fault::CutAfter).writes().times(1));
    add(&bed.world, "lost", &bed.namespace, argo(), vec![config("one", "1")]).await?;
    let state = sync(&bed.world, "lost", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded && state.retries == 0, "{state:#?}");
    ensure!(bed.writes("one") == [Method::PATCH, Method::PATCH], "{:?}", bed.proxy.writes());
    let created = bed.get("one").await?;
    ensure!(created.pointer("/metadata/managedFields").and_then(Value::as_array).map(Vec::len) == Some(1));

    // An object that is created by POST, one that is replaced by PUT, and one that is made anew.
    let replacing = || with(SyncOptions { replace: true, ..SyncOptions::default() });
    for (name, method) in [("posted", Method::POST), ("posted", Method::PUT)] {
        bed.proxy.reset();
        bed.proxy.add(Rule::new(Fault::CutAfter).method(method.clone()).times(1));
        let value = if method == Method::POST { "1" } else { "2" };
        bed.world.manifests.set("lost", vec![config(name, value)]);
        let state = sync(&bed.world, "lost", replacing()).await?;
        ensure!(state.phase == Phase::Succeeded, "{method}: {state:#?}");
        ensure!(text(&bed.get(name).await?, "/data/key") == value);
        let times = bed.proxy.writes().iter().filter(|(seen, _)| *seen == method).count();
        ensure!(times >= 2, "{method} was cut: {:?}", bed.proxy.writes());
    }
    let before = bed.get("posted").await?;
    bed.proxy.reset();
    bed.proxy.add(Rule::new(Fault::CutAfter).method(Method::DELETE).times(1));
    let pruning = with(SyncOptions { prune: true, ..SyncOptions::default() });
    bed.world.manifests.set("lost", vec![config("other", "1")]);
    let state = sync(&bed.world, "lost", pruning).await?;
    ensure!(state.phase == Phase::Succeeded, "{before:#}: {state:#?}");
    ensure!(bed.api.find(&bed.path("posted")).await?.is_none());
    Ok(())
}

/// What is refused for good is not tried again, and is told as the server tells it.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_at_once() -> Result<()> {
    for code in [400, 403, 413, 422] {
        let name = format!("refused-{code}");
        let bed = bed(&name).await?;
        bed.proxy.add(Rule::new(Fault::status(code)).writes().path("/configmaps/one"));
        let objects = vec![config("one", "1"), config("two", "1")];
        add(&bed.world, &name, &bed.namespace, argo(), objects).await?;
        let state = sync(&bed.world, &name, Operation::default()).await?;
        ensure!(state.phase == Phase::Failed, "{state:#?}");
        ensure!(state.message.contains("/one: injected by a test"), "{}", state.message);
        ensure!(bed.writes("one").len() == 1, "{:?}", bed.proxy.writes());
        ensure!(text(&bed.get("two").await?, "/data/key") == "1", "others are applied");
    }
    Ok(())
}

/// Client-side apply keeps a copy of the manifest in an annotation, and so takes no large objects. We keep none: large
/// objects are applied whatever the option says. An annotation that is itself too long is told with its size.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_would_not_fit_is_not_kept() -> Result<()> {
    let bed = bed("long").await?;
    let large =
        annotated(config("large", &"x".repeat(300_000)), &[("sync-options", "ServerSideApply=false")]);
    add(&bed.world, "long", &bed.namespace, argo(), vec![large.clone()]).await?;
    let state = sync(&bed.world, "long", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{}", state.message);
    ensure!(text(&bed.get("large").await?, "/data/key").len() == 300_000);

    let long = annotated(config("long", "1"), &[("note", &"x".repeat(300_000))]);
    bed.world.manifests.set("long", vec![large, long]);
    let state = sync(&bed.world, "long", Operation::default()).await?;
    ensure!(state.phase == Phase::Failed, "{}", state.message);
    ensure!(state.message.contains("metadata.annotations") && state.message.contains("262144"));
    ensure!(state.message.len() < 2000, "{} characters", state.message.len());
    Ok(())
}

/// What kubectl applied on its side becomes ours though somebody writes in between.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_while_taking_over_is_got_over() -> Result<()> {
    let bed = bed("conflict").await?;
    let mut theirs = config("one", "old");
    let last_applied = json!({"kubectl.kubernetes.io/last-applied-configuration": theirs.to_string()});
    if let Some(metadata) = theirs.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("annotations".into(), last_applied);
        metadata.insert("labels".into(), json!({"theirs": "gone"}));
    }
    let collection = bed.path("").trim_end_matches('/').to_string();
    bed.api.post(&format!("{collection}?fieldManager=kubectl-client-side-apply"), &theirs).await?;
    let foreign = format!("{}?fieldManager=some-controller", bed.path("one"));
    bed.api.patch(&foreign, &json!({"metadata": {"labels": {"foreign": "stays"}}})).await?;

    bed.proxy.add(Rule::new(Fault::status(409)).writes().path("/configmaps/one").skip(1).times(2));
    add(&bed.world, "conflict", &bed.namespace, Policy::default(), vec![config("one", "new")]).await?;
    let state = sync(&bed.world, "conflict", Operation::default()).await?;
    ensure!(state.phase == Phase::Succeeded, "{state:#?}");
    let seen = bed.proxy.seen();
    ensure!(seen.iter().any(|seen| seen.status == Some(409)), "{seen:#?}");
    let after = bed.get("one").await?;
    ensure!(text(&after, "/data/key") == "new", "{after:#}");
    ensure!(text(&after, "/metadata/labels/foreign") == "stays", "{after:#}");
    ensure!(after.pointer("/metadata/labels/theirs").is_none(), "{after:#}");

    // What was ours and is wanted no longer goes, too.
    let mut more = config("one", "new");
    if let Some(fields) = more.as_object_mut() {
        fields.insert("data".into(), json!({"key": "new", "more": "1"}));
    }
    bed.world.manifests.set("conflict", vec![more]);
    ensure!(sync(&bed.world, "conflict", Operation::default()).await?.phase == Phase::Succeeded);
    ensure!(text(&bed.get("one").await?, "/data/more") == "1");
    bed.world.manifests.set("conflict", vec![config("one", "new")]);
    ensure!(sync(&bed.world, "conflict", Operation::default()).await?.phase == Phase::Succeeded);
    let after = bed.get("one").await?;
    ensure!(after.pointer("/data") == Some(&json!({"key": "new"})), "{after:#}");
    ensure!(text(&after, "/metadata/labels/foreign") == "stays", "{after:#}");
    Ok(())
}
