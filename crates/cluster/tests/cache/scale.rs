//! Many objects of many kinds, and many changes, on a simulated server. The figures of a cluster of full size are
//! `cargo xtask bench scale`; here everything has to be there and nothing may be lost.

use anyhow::Result;
use serde_json::{Value, json};
use towpath_cluster::cache::{Cache, CacheSettings, Filter, GroupKind, Mode};
use towpath_object::Key;
use towpath_sandbox::{Options, Sandbox};

use crate::bed::{cluster, settings, soon};

const KINDS: usize = 60;
const PODS: usize = 4_000;
const THINGS: usize = 6_000;
const UNIT: usize = 100;

fn definition(kind: usize) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things{kind}.example.com")},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {
                "kind": format!("Thing{kind}"), "plural": format!("things{kind}"),
                "singular": format!("thing{kind}"), "listKind": format!("Thing{kind}List")},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
}

/// The units have a hundred things each, of all kinds.
fn thing(number: usize, size: usize) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": format!("Thing{}", number % KINDS), "metadata": {
        "name": format!("thing-{number}"), "namespace": format!("space-{}", number % 7),
        "labels": {"example.com/unit": format!("unit-{}", number / UNIT)}}, "spec": {"size": size}})
}

fn pod(number: usize, size: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": format!("pod-{number}"), "namespace": "space-0"},
        "spec": {"containers": [{"name": "a", "image": "b"}]}, "status": {"size": size}})
}

async fn filled(memory: usize) -> Result<(Sandbox, Cache)> {
    let sandbox = Sandbox::start(Options { memory, ..Options::default() }).await?;
    sandbox.seed((0..KINDS).map(definition))?;
    sandbox.seed((0..PODS).map(|number| pod(number, 0)))?;
    sandbox.seed((0..THINGS).map(|number| thing(number, 0)))?;
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    std::fs::write(&kubeconfig, sandbox.kubeconfig())?;
    let settings = CacheSettings { mode: Mode::All(Filter::default()), ..settings() };
    let cache = Cache::start(cluster(&kubeconfig).await?, settings);
    cache.ready_all().await;
    Ok((sandbox, cache))
}

/// The sizes that the cache knows of a unit's things.
fn sizes(cache: &Cache, unit: usize) -> Vec<u64> {
    let rows = cache.unit(&format!("unit-{unit}")).into_iter().filter_map(|row| row.managed);
    rows.filter_map(|managed| managed.object().value().pointer("/spec/size")?.as_u64()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_object_of_every_kind_is_known_and_no_change_is_lost() {
    let (sandbox, cache) = filled(100_000).await.unwrap();
    assert_eq!(cache.of_kind(&GroupKind::new("", "Pod")).len(), PODS);
    assert_eq!(cache.of_kind(&GroupKind::new("example.com", "Thing7")).len(), THINGS / KINDS);
    assert_eq!(sizes(&cache, 3), vec![0; UNIT]);

    // Three changes of everything, as quickly as they can be made.
    for round in 1..=3 {
        sandbox.seed((0..THINGS).map(|number| thing(number, round))).unwrap();
        sandbox.seed((0..PODS).map(|number| pod(number, round))).unwrap();
    }
    for unit in 0..THINGS / UNIT {
        let all =
            soon("the last change of every object", || (sizes(&cache, unit) == vec![3; UNIT]).then_some(()));
        all.await.unwrap();
    }
    assert_eq!(cache.of_kind(&GroupKind::new("", "Pod")).len(), PODS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cache_that_falls_behind_lists_again() {
    // The server remembers less than one round of changes.
    let (sandbox, cache) = filled(50).await.unwrap();
    sandbox.seed((0..PODS).map(|number| pod(number, 1))).unwrap();
    sandbox.seed((0..THINGS).map(|number| thing(number, 1))).unwrap();
    let last = thing(THINGS - 1, 2);
    sandbox.seed([last]).unwrap();
    for unit in 0..THINGS / UNIT - 1 {
        let all = soon("every object as it is", || (sizes(&cache, unit) == vec![1; UNIT]).then_some(()));
        all.await.unwrap();
    }
    let (kind, space) = (format!("Thing{}", (THINGS - 1) % KINDS), format!("space-{}", (THINGS - 1) % 7));
    let key = Key::new("example.com", &kind, &space, &format!("thing-{}", THINGS - 1));
    let size = || cache.get(&key)?.managed?.object().value().pointer("/spec/size")?.as_u64();
    soon("the last change", || size().filter(|size| *size == 2)).await.unwrap();
}
