//! Objects come, change and go.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};
use towpath_cluster::cache::{CacheSettings, GroupKind, Wanted, What};
use towpath_object::Key;

use crate::bed::{bed, changes_until, config_maps, settings, soon};

#[tokio::test]
async fn what_happens_is_known_and_told() -> Result<()> {
    let bed = bed("life").await?;
    bed.put_map("early", "1").await?;
    let owned = Arc::new(|object: &Value| {
        let managers = object.pointer("/metadata/managedFields")?.as_array()?;
        managers.iter().find(|entry| entry["manager"] == "towpath").map(|entry| entry["fieldsV1"].to_string())
    });
    let cache = bed.cache(CacheSettings { owned, ..settings() }).await?;
    cache.want([Wanted::all(config_maps())]);
    assert!(cache.ready([config_maps()]).await[0].is_live());
    let mut told = cache.subscribe();

    let row = cache.look(&bed.key("early"))?.expect("it was there before us");
    assert_eq!(row.unit.as_deref(), Some("shop"));
    let managed = row.managed.expect("it belongs to a unit");
    assert_eq!(managed.object().value().pointer("/data/text"), Some(&json!("1")));
    assert!(managed.object().value().pointer("/metadata/managedFields").is_none());
    assert!(managed.owned.is_some_and(|digest| digest.contains("f:text")));
    assert_eq!(managed.managers, ["towpath".into()]);

    bed.put_map("late", "1").await?;
    changes_until(&mut told, &bed.namespace, |change| {
        change.key.name == "late" && change.what == What::Added
    })
    .await?;
    let before = Instant::now();
    let returned = bed.put_map("late", "2").await?;
    let changes = changes_until(&mut told, &bed.namespace, |change| change.what == What::Updated).await?;
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    assert_eq!(changes[0].units, ["shop".into()]);
    let row = cache.get(&bed.key("late")).expect("it is there");
    assert_eq!(Some(row.version.as_str()), returned["metadata"]["resourceVersion"].as_str());
    assert_eq!(cache.by_uid(&row.uid).map(|found| found.key), Some(row.key));

    bed.delete_map("late").await?;
    changes_until(&mut told, &bed.namespace, |change| change.what == What::Removed).await?;
    assert!(cache.look(&bed.key("late"))?.is_none());
    assert_eq!(bed.lists("configmaps"), 1, "listed once, watched from then on");

    let watched = cache.clone();
    drop(cache);
    bed.put_map("later", "1").await?;
    changes_until(&mut told, &bed.namespace, |change| change.key.name == "later").await?;
    drop(watched);
    while let Some(event) = told.next().await {
        drop(event);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_deployment_makes_hangs_below_it() -> Result<()> {
    let bed = bed("tree").await?;
    let kinds = [
        GroupKind::new("apps", "Deployment"),
        GroupKind::new("apps", "ReplicaSet"),
        GroupKind::new("", "Pod"),
    ];
    let cache = bed.cache(settings()).await?;
    cache.ready(kinds).await;
    let mut told = cache.subscribe();
    let labels = json!({"app": "web"});
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"example.com/unit": "web"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}}});
    bed.api
        .apply(&format!("/apis/apps/v1/namespaces/{}/deployments/web", bed.namespace), &deployment, "towpath")
        .await?;
    let key = Key::new("apps", "Deployment", &bed.namespace, "web");
    let tree = soon("two pods", || Some(cache.tree([&key])).filter(|tree| tree.len() == 4)).await?;
    let shape: Vec<(usize, &str)> =
        tree.iter().map(|node| (node.depth, node.row.key.kind.as_str())).collect();
    assert_eq!(shape, [(0, "Deployment"), (1, "ReplicaSet"), (2, "Pod"), (2, "Pod")]);
    assert_eq!(tree[3].parent, Some(1));
    assert_eq!(cache.children(&key).len(), 1);
    assert_eq!(cache.parents(&tree[3].row.key)[0].key, tree[1].row.key);
    assert!(tree[3].row.managed.is_none() && tree[0].row.managed.is_some());

    // A pod's change concerns the unit of the Deployment.
    let pod = &tree[3].row.key;
    bed.api.delete(&format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.name)).await?;
    loop {
        let event = tokio::time::timeout(crate::bed::SOON, told.next()).await?;
        if let Some(towpath_cluster::cache::CacheEvent::Changed(change)) = event
            && change.key == *pod
            && change.what == What::Removed
        {
            assert_eq!((change.unit.as_deref(), change.units.as_slice()), (None, ["web".into()].as_slice()));
            return Ok(());
        }
    }
}

#[tokio::test]
async fn less_is_watched_where_less_is_wanted() -> Result<()> {
    let bed = bed("less").await?;
    bed.put_map("mine", "1").await?;
    bed.api.post(&bed.path(), &json!({"metadata": {"name": "other"}})).await?;
    let cache = bed.cache(settings()).await?;
    cache.want([Wanted::all(config_maps()).labelled("example.com/unit").metadata()]);
    cache.ready([config_maps()]).await;
    let row = cache.get(&bed.key("mine")).expect("it has the label");
    assert_eq!((row.unit.as_deref(), row.managed.is_none()), (Some("shop"), true));
    assert!(cache.get(&bed.key("other")).is_none());

    cache.want([Wanted::all(config_maps())]);
    soon("all of them", || cache.get(&bed.key("other"))).await?;
    cache.unwant([&config_maps()]);
    soon("none of them", || cache.get(&bed.key("mine")).is_none().then_some(())).await
}
