//! Faults of one kind, of the credentials, and of resource versions.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;
use towpath_cluster::cache::{Blind, CacheSettings, Filter, GroupKind, KindState, Mode, Wanted, What};
use towpath_testkit::{Fault, Rule};

use crate::bed::{bed, changes_until, config_maps, settings, soon, until_state};

/// Check 2: one kind answers 500 for ever, and another cannot be converted.
#[tokio::test]
async fn a_kind_that_fails_harms_no_other() -> Result<()> {
    let bed = bed("broken").await?;
    let group = "broken.example.com";
    let version = |name: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}})
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("odds.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": "Odd", "plural": "odds"},
            "versions": [version("v1", true), version("v2", false)],
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                "clientConfig": {"url": "https://127.0.0.1:1/convert"}}}},
    });
    bed.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await?;
    let path = format!("/apis/{group}/v1/namespaces/{}/odds", bed.namespace);
    let object = json!({"apiVersion": format!("{group}/v1"), "kind": "Odd", "metadata": {"name": "a"}});
    towpath_testkit::eventually("the kind is served", crate::bed::SOON, async || {
        Ok(bed.api.post(&path, &object).await.ok())
    })
    .await?;

    bed.put_map("a", "1").await?;
    bed.proxy.add(Rule::new(Fault::status(500)).path("/configmaps"));
    let began = Instant::now();
    let cache = bed.cache(CacheSettings { mode: Mode::All(Filter::default()), ..settings() }).await?;
    cache.ready_all().await;
    assert!(began.elapsed() < Duration::from_secs(5), "usable after {:?}", began.elapsed());
    let odd = GroupKind::new(group, "Odd");
    let states = cache.kind_states();
    let stale: Vec<&GroupKind> =
        states.iter().filter(|(_, state)| !state.is_live()).map(|(kind, _)| kind).collect();
    assert_eq!(stale, [&config_maps(), &odd], "{states:?}");
    assert!(states.len() > 40, "all other kinds of a server: {}", states.len());
    let blind = cache.look(&bed.key("a")).expect_err("it cannot be known");
    assert!(matches!(blind, Blind::Stale { .. }) && blind.to_string().contains("ConfigMap"), "{blind}");

    bed.proxy.reset();
    let healed = Instant::now();
    until_state(&cache, &config_maps(), KindState::is_live).await?;
    assert!(healed.elapsed() < Duration::from_secs(2), "one pause is enough: {:?}", healed.elapsed());
    assert!(cache.look(&bed.key("a"))?.is_some());
    bed.api.delete(&format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/odds.{group}")).await?;
    Ok(())
}

/// Check 3: nobody is let in for a while.
#[tokio::test]
async fn a_storm_of_401_passes() -> Result<()> {
    let bed = bed("storm").await?;
    bed.put_map("kept", "1").await?;
    bed.put_map("doomed", "1").await?;
    let kinds = [config_maps(), GroupKind::new("", "Secret"), GroupKind::new("", "Service")];
    // A short patience with silent watches opens them anew, into the storm.
    let cache = bed.cache(CacheSettings { idle: Duration::from_millis(500), ..settings() }).await?;
    cache.want(kinds.clone().map(Wanted::all));
    cache.ready(kinds.clone()).await;
    let mut told = cache.subscribe();
    bed.proxy.add(Rule::new(Fault::status(401)));
    for kind in &kinds {
        until_state(&cache, kind, |state| matches!(state, KindState::Stale { .. })).await?;
    }
    assert!(cache.get(&bed.key("kept")).is_some(), "what was known is kept");
    bed.put_map("kept", "2").await?;
    bed.put_map("new", "1").await?;
    bed.delete_map("doomed").await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let requests = bed.proxy.seen().iter().filter(|seen| seen.faulted).count();
    assert!(requests < 60, "each kind waits longer and longer: {requests} requests in the storm");
    assert!(cache.is_reachable(), "the server does answer");

    bed.proxy.reset();
    for kind in &kinds {
        until_state(&cache, kind, KindState::is_live).await?;
    }
    let mut left = vec![("kept", What::Updated), ("new", What::Added), ("doomed", What::Removed)];
    while !left.is_empty() {
        let changes = changes_until(&mut told, &bed.namespace, |_| true).await?;
        let (name, what) = (changes[0].key.name.clone(), changes[0].what);
        let at = left.iter().position(|expected| *expected == (name.as_str(), what));
        left.remove(at.unwrap_or_else(|| panic!("{what:?} {name} was told, {left:?} are left")));
    }
    Ok(())
}

/// Check 4: the version becomes too old in the middle of a watch.
#[tokio::test]
async fn an_expired_watch_lists_its_kind_anew_and_nothing_else() -> Result<()> {
    let bed = bed("expired").await?;
    for name in ["a", "b", "c"] {
        bed.put_map(name, "1").await?;
    }
    let cache = bed.cache(CacheSettings { idle: Duration::from_millis(700), ..settings() }).await?;
    let services = GroupKind::new("", "Service");
    cache.ready([config_maps(), services]).await;
    let mut told = cache.subscribe();
    let lists = (bed.lists("configmaps"), bed.lists("services"));
    bed.doomed_watch().await?;
    // The event of this never arrives: only the list that follows shows it.
    bed.delete_map("b").await?;
    soon("listed anew", || (bed.lists("configmaps") > lists.0).then_some(())).await?;
    bed.put_map("c", "2").await?;
    bed.put_map("d", "1").await?;
    let changes = changes_until(&mut told, &bed.namespace, |change| change.key.name == "d").await?;
    let mut seen: Vec<_> = changes.iter().map(|change| (change.key.name.as_str(), change.what)).collect();
    seen.sort_by_key(|(name, _)| *name);
    assert_eq!(seen, [("b", What::Removed), ("c", What::Updated), ("d", What::Added)]);
    assert_eq!(bed.lists("services"), lists.1, "other kinds go on watching");
    Ok(())
}

/// Check 4: the rest of a list is too old when it is asked for.
#[tokio::test]
async fn an_expired_list_begins_again_without_false_removals() -> Result<()> {
    let bed = bed("pages").await?;
    let names: Vec<String> = (0..9).map(|number| format!("m{number}")).collect();
    for name in &names {
        bed.put_map(name, "1").await?;
    }
    let scope = towpath_cluster::cache::Scope::Namespaces {
        names: [bed.namespace.clone()].into(),
        cluster_kinds: false,
    };
    let idle = Duration::from_millis(700);
    let cache = bed.cache(CacheSettings { page: 4, scope, idle, ..settings() }).await?;
    // No streamed lists here: the first is refused, and the kind is read in pages from then on.
    bed.proxy.add(Rule::new(Fault::status(422)).watches().path("/configmaps").times(1));
    bed.proxy.add(Rule::new(Fault::status(410)).path("/configmaps").skip(1).times(1));
    assert!(cache.ready([config_maps()]).await[0].is_live());
    let asked: Vec<_> = bed.proxy.seen().into_iter().filter(|seen| seen.path == bed.path()).collect();
    let statuses: Vec<u16> = asked.iter().filter_map(|seen| seen.status).take(6).collect();
    assert_eq!(statuses, [422, 200, 410, 200, 200, 200], "{asked:?}");
    assert!(names.iter().all(|name| cache.get(&bed.key(name)).is_some()));

    // The same again, with something known: the watch expires, and the list that follows does so as well.
    let mut told = cache.subscribe();
    bed.proxy.reset();
    bed.doomed_watch().await?;
    bed.proxy.add(Rule::new(Fault::status(410)).path("/configmaps").skip(1).times(1));
    bed.delete_map("m4").await?;
    let changes = changes_until(&mut told, &bed.namespace, |change| change.key.name == "m4").await?;
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].what, What::Removed);
    assert!(bed.proxy.seen().iter().any(|seen| seen.status == Some(410)), "the second list expired too");
    Ok(())
}
