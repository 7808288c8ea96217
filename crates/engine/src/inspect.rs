//! What an app has: its objects, their health, and the children that controllers made for them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use towpath_cluster::{Cluster, Selection};
use towpath_health::{Health, assess};
use towpath_object::{Gvk, Key, Object, Resource};
use towpath_plan::{App, rank};

use crate::live;
use crate::record::Operation;
use crate::{Error, inventory};

/// Which kinds a controller makes for an object of a kind.
/// <https://kubernetes.io/docs/concepts/workloads/controllers/>
const CHILDREN: &[(Kind, Child)] = &[
    (("apps", "Deployment"), ("apps/v1", "ReplicaSet", "replicasets")),
    (("apps", "ReplicaSet"), ("v1", "Pod", "pods")),
    (("apps", "StatefulSet"), ("v1", "Pod", "pods")),
    (("apps", "DaemonSet"), ("v1", "Pod", "pods")),
    (("batch", "CronJob"), ("batch/v1", "Job", "jobs")),
    (("batch", "Job"), ("v1", "Pod", "pods")),
];

/// Group and kind.
type Kind = (&'static str, &'static str);
/// Version, kind and plural.
type Child = (&'static str, &'static str, &'static str);

/// An app and everything it has.
#[derive(Debug)]
pub struct Tree {
    /// The app.
    pub app: App,
    /// Its objects in the order of application.
    pub roots: Vec<Node>,
    /// Why its last run with hooks did not end well, if it did not.
    pub unfinished: Option<String>,
}

/// An object in the tree.
#[derive(Debug)]
pub struct Node {
    /// The object.
    pub key: Key,
    /// The version in which it was applied or read.
    pub version: String,
    /// The object as it is; nothing when it is missing.
    pub object: Option<Object>,
    /// Its health.
    pub health: Health,
    /// What controllers made for it.
    pub children: Vec<Node>,
}

/// An app in a list of apps.
#[derive(Clone, Debug)]
pub struct AppSummary {
    /// The app.
    pub app: App,
    /// How many objects it has.
    pub objects: usize,
}

/// The apps of a namespace; of all namespaces with an empty one.
pub async fn apps(cluster: &Cluster, namespace: &str) -> Result<Vec<AppSummary>, Error> {
    let found = inventory::list(cluster, namespace).await?;
    Ok(found.into_iter().map(|(app, objects)| AppSummary { app, objects }).collect())
}

/// Reads an app and its tree.
pub async fn inspect(cluster: &Cluster, app: &App) -> Result<Tree, Error> {
    let saved = inventory::load(cluster, app).await?;
    if !saved.exists() {
        return Err(Error::NoApp { app: app.clone() });
    }
    let kinds = cluster.kinds().await?;
    let mut wanted = Vec::new();
    for (key, entry) in &saved.inventory.entries {
        let gvk = Gvk { group: key.group.clone(), version: entry.version.clone(), kind: key.kind.clone() };
        if let Some(resource) = kinds.get(&gvk) {
            wanted.push((resource.clone(), key.clone()));
        }
    }
    let unfinished = saved.record.operation.as_ref().map(Operation::trouble);
    let mut live = live::read(cluster, wanted).await?;
    let mut children = read_children(cluster, live.keys()).await?;
    let mut roots: Vec<Node> = Vec::new();
    for (key, entry) in saved.inventory.entries {
        let object = live.remove(&key);
        roots.push(node(key, entry.version, object, &mut children));
    }
    roots.sort_by_cached_key(|node| (rank(&node.key.group, &node.key.kind), node.key.clone()));
    Ok(Tree { app: app.clone(), roots, unfinished })
}

/// Children by the uid of their owner.
type Children = BTreeMap<String, Vec<Object>>;

async fn read_children(cluster: &Cluster, parents: impl Iterator<Item = &Key>) -> Result<Children, Error> {
    let mut due: BTreeSet<(&str, &str, &str, String)> = BTreeSet::new();
    for key in parents {
        let mut kind = (key.group.clone(), key.kind.clone());
        while let Some((_, child)) =
            CHILDREN.iter().find(|((group, name), _)| *group == kind.0 && *name == kind.1)
        {
            due.insert((child.0, child.1, child.2, key.namespace.clone()));
            let gvk = Gvk::new(child.0, child.1);
            kind = (gvk.group, gvk.kind);
        }
    }
    let mut children = Children::new();
    for (api_version, kind, plural, namespace) in due {
        let resource = Resource { gvk: Gvk::new(api_version, kind), plural: plural.into(), namespaced: true };
        let listed = cluster
            .list(&resource, &Selection::in_namespace(&namespace), |value| add(&mut children, value))
            .await;
        match listed {
            Err(error) if error.is_forbidden() => tracing::debug!(%error, "children are left out"),
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
    }
    Ok(children)
}

fn add(children: &mut Children, value: Value) {
    let owners = value.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let controller = owners
        .into_iter()
        .flatten()
        .find(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true));
    let Some(uid) = controller.and_then(|owner| owner.get("uid")?.as_str()).map(ToString::to_string) else {
        return;
    };
    if let Ok(object) = Object::new(value) {
        children.entry(uid).or_default().push(object);
    }
}

fn node(key: Key, version: String, object: Option<Object>, children: &mut Children) -> Node {
    let health = object.as_ref().map_or_else(Health::not_found, assess);
    let mut below = Vec::new();
    if let Some(object) = &object {
        for child in children.remove(object.uid()).unwrap_or_default() {
            if !is_spent(&child) {
                below.push(node(child.key(), child.gvk().version, Some(child), children));
            }
        }
    }
    below.sort_by(|one, other| one.key.cmp(&other.key));
    Node { key, version, object, health, children: below }
}

/// An old ReplicaSet that is kept only for rolling back.
fn is_spent(object: &Object) -> bool {
    let count = |pointer: &str| object.value().pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    object.kind() == "ReplicaSet" && count("/spec/replicas") == 0 && count("/status/replicas") == 0
}
