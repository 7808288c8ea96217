//! What is there now: one list for each kind and namespace where several objects are wanted, single reads otherwise.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use towpath_cluster::{Cluster, Error, Selection};
use towpath_object::{Key, Object, Resource};

/// From how many wanted objects on a list is cheaper than single reads.
const LIST_FROM: usize = 3;
/// How many reads are under way at once.
const CONCURRENCY: usize = 16;

/// Live objects by key.
pub(crate) type Live = BTreeMap<Key, Object>;

/// Reads the wanted objects; those that are not there are not in the answer.
pub(crate) async fn read(cluster: &Cluster, wanted: Vec<(Resource, Key)>) -> Result<Live, Error> {
    let mut groups: BTreeMap<(Resource, String), BTreeSet<String>> = BTreeMap::new();
    for (resource, key) in wanted {
        groups.entry((resource, key.namespace)).or_default().insert(key.name);
    }
    let reads =
        groups.into_iter().map(|((resource, namespace), names)| group(cluster, resource, namespace, names));
    let found: Vec<Vec<Object>> = stream::iter(reads).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(found.into_iter().flatten().map(|object| (object.key(), object)).collect())
}

async fn group(
    cluster: &Cluster,
    resource: Resource,
    namespace: String,
    names: BTreeSet<String>,
) -> Result<Vec<Object>, Error> {
    if names.len() >= LIST_FROM {
        let mut found = Vec::new();
        let selection = Selection::in_namespace(&namespace);
        let listed = cluster.list(&resource, &selection, |value| keep(value, &names, &mut found)).await;
        match listed {
            Ok(_) => return Ok(found),
            // A kind that was only just defined, or has just been removed, has no objects.
            Err(error) if error.is_not_found() => return Ok(Vec::new()),
            // Rights on single objects do not always include listing.
            Err(error) if error.is_forbidden() => {}
            Err(error) => return Err(error),
        }
    }
    let reads = names.iter().map(|name| cluster.get(&resource, &namespace, name));
    let values: Vec<Option<Value>> = stream::iter(reads).buffer_unordered(CONCURRENCY).try_collect().await?;
    Ok(values.into_iter().flatten().filter_map(|value| Object::new(value).ok()).collect())
}

fn keep(value: Value, names: &BTreeSet<String>, found: &mut Vec<Object>) {
    let wanted =
        value.pointer("/metadata/name").and_then(Value::as_str).is_some_and(|name| names.contains(name));
    if wanted && let Ok(object) = Object::new(value) {
        found.push(object);
    }
}
