//! Kinds come and go while the cache runs.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};
use towpath_cluster::cache::{
    Cache, CacheSettings, Filter, GroupKind, KindState, Mode, Rule as Kinds, Wanted,
};
use towpath_object::{Gvk, Key};
use towpath_testkit::{AggregatedApi, eventually};

use crate::bed::{Bed, SOON, bed, cluster, config_maps, settings, soon, until_state};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async fn define(bed: &Bed, group: &str) -> Result<()> {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("baskets.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]},
    });
    bed.api.post(DEFINITIONS, &definition).await?;
    Ok(())
}

/// Creates an object as soon as the server takes it.
async fn create(bed: &Bed, group: &str) -> Result<Value> {
    let path = format!("/apis/{group}/v1/namespaces/{}/baskets", bed.namespace);
    let object = json!({"apiVersion": format!("{group}/v1"), "kind": "Basket", "metadata": {"name": "a"}});
    eventually("the kind is served", SOON, async || Ok(bed.api.post(&path, &object).await.ok())).await
}

/// Check 5.
#[tokio::test]
async fn a_custom_kind_appears_and_vanishes() -> Result<()> {
    let bed = bed("custom").await?;
    let group = "custom.example.com";
    let kind = GroupKind::new(group, "Basket");
    let cache = bed.cache(settings()).await?;
    cache.want([Wanted::all(kind.clone())]);
    assert!(matches!(cache.ready([kind.clone()]).await[0], KindState::Gone), "not served yet");

    define(&bed, group).await?;
    create(&bed, group).await?;
    let accepted = Instant::now();
    let key = Key::new(group, "Basket", &bed.namespace, "a");
    soon("the object", || cache.get(&key)).await?;
    assert!(accepted.elapsed() < Duration::from_secs(2), "{:?}", accepted.elapsed());
    assert!(cache.kinds().get(&Gvk::new(&format!("{group}/v1"), "Basket")).is_some());
    let definition =
        Key::new("apiextensions.k8s.io", "CustomResourceDefinition", "", &format!("baskets.{group}"));
    assert!(cache.get(&definition).is_some_and(|row| row.managed.is_some()), "definitions are kept whole");

    // A chatty writer: nothing of it changes what is served.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let before = bed.discoveries();
    let path = format!("{DEFINITIONS}/baskets.{group}");
    for number in 0..1000 {
        bed.api.patch(&path, &json!({"metadata": {"annotations": {"count": number.to_string()}}})).await?;
    }
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let asked = bed.discoveries() - before;
    assert!(asked <= 2, "asked {asked} times for a thousand updates");

    let mut told = cache.subscribe();
    bed.api.delete(&path).await?;
    soon("the object has gone", || cache.get(&key).is_none().then_some(())).await?;
    until_state(&cache, &kind, |state| matches!(state, KindState::Gone)).await?;
    let mut removed = 0;
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(300), told.next()).await {
        if let towpath_cluster::cache::CacheEvent::Changed(change) = event {
            removed += usize::from(change.key == key);
        }
    }
    assert_eq!(removed, 1, "told once");
    soon("the server stopped listing it", || {
        cache.kinds().get(&Gvk::new(&format!("{group}/v1"), "Basket")).is_none().then_some(())
    })
    .await?;
    let count = || bed.proxy.seen().iter().filter(|seen| seen.path.ends_with("/baskets")).count();
    let quiet = count();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(count(), quiet, "nobody watches it any more");
    Ok(())
}

/// A kind that was not served at the start is watched without anybody asking for it, and an API that never answers harms
/// nothing.
#[tokio::test]
async fn what_is_served_later_is_watched_without_a_restart() -> Result<()> {
    let bed = bed("later").await?;
    let group = "later.example.com";
    let service = json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": {"name": "v1.dead.example.com"},
        "spec": {"group": "dead.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
            "insecureSkipTLSVerify": true, "service": {"namespace": bed.namespace, "name": "nobody"}},
    });
    bed.api.post("/apis/apiregistration.k8s.io/v1/apiservices", &service).await?;
    let include = vec![Kinds::new([group, ""], ["Basket", "ConfigMap", "Namespace"])];
    let mode = Mode::All(Filter { include, ..Filter::default() });
    let cache = bed.cache(CacheSettings { mode, ..settings() }).await?;
    cache.ready_all().await;
    let kinds: Vec<String> = cache.kind_states().iter().map(|(kind, _)| kind.to_string()).collect();
    let expected = [
        "ConfigMap",
        "Namespace",
        "CustomResourceDefinition.apiextensions.k8s.io",
        "APIService.apiregistration.k8s.io",
    ];
    assert_eq!(kinds, expected);
    assert!(cache.kind_states().iter().all(|(_, state)| state.is_live()));

    define(&bed, group).await?;
    create(&bed, group).await?;
    let accepted = Instant::now();
    soon("the object", || cache.get(&Key::new(group, "Basket", &bed.namespace, "a"))).await?;
    assert!(accepted.elapsed() < Duration::from_secs(2), "{:?}", accepted.elapsed());
    bed.api.delete(&format!("{DEFINITIONS}/baskets.{group}")).await?;
    bed.api.delete("/apis/apiregistration.k8s.io/v1/apiservices/v1.dead.example.com").await?;
    soon("it has gone", || cache.kind_state(&GroupKind::new(group, "Basket")).is_none().then_some(())).await
}

/// Check 6: an API server behind the control plane's own is there 20 s after the start; its kind is watched without a
/// restart, and while it is away again what is known of it stays and says that it may be old.
#[tokio::test]
async fn an_aggregated_api_that_comes_later_is_watched() -> Result<()> {
    let plane = towpath_testkit::ControlPlane::builder().controllers(false).start().await?;
    let group = "gadgets.example.com";
    let aggregated = AggregatedApi::start(&plane, group).await?;
    let cache = Cache::start(cluster(&plane.kubeconfig_path()).await?, settings());
    let gadgets = GroupKind::new(group, "Gadget");
    cache.want([Wanted::all(gadgets.clone())]);
    cache.ready([config_maps()]).await;
    let key = Key::new(group, "Gadget", "", "first");
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(cache.get(&key).is_none() && !cache.kind_state(&gadgets).is_some_and(|state| state.is_live()));

    aggregated.set_available(true);
    // How soon the control plane looks again is its affair: every half minute or so.
    let minutes = Duration::from_mins(2);
    eventually("the object", minutes, async || Ok(cache.get(&key))).await?;
    assert!(cache.kind_state(&gadgets).is_some_and(|state| state.is_live()));
    assert!(cache.kinds().get(&Gvk::new(&format!("{group}/v1"), "Gadget")).is_some());

    aggregated.set_available(false);
    let registration = format!("/apis/apiregistration.k8s.io/v1/apiservices/v1.{group}");
    let api = plane.api();
    eventually("the control plane has noticed", minutes, async || {
        let service = api.get(&registration).await?;
        let conditions = service.pointer("/status/conditions").and_then(Value::as_array).cloned();
        let away = |one: &Value| one["type"] == "Available" && one["status"] == "False";
        Ok(conditions.unwrap_or_default().iter().any(away).then_some(()))
    })
    .await?;
    assert!(cache.get(&key).is_some(), "what a silent server had is not taken for gone");
    api.delete(&registration).await?;
    eventually("its kind is gone with its registration", minutes, async || {
        Ok(cache.get(&key).is_none().then_some(()))
    })
    .await
}
