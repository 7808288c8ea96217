//! Applying one object, with the patience that a cluster in motion needs.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use towpath_cluster::{Applied, Apply, Cluster, Error, Seen, Selection};
use towpath_object::{Key, Object, Resource};
use towpath_plan::absorb;

/// How long a kind that was only just defined may take until the server answers for it.
const NEW_KIND: Duration = Duration::from_secs(20);

/// How often somebody else may get in between before their fields are left to the next run.
const TAKE_OVERS: usize = 5;

/// Applies. Between the acceptance of a definition and the day its kind is served lies a moment: with `new_kind` that is
/// waited for.
pub(crate) async fn apply_served(
    cluster: &Cluster,
    resource: &Resource,
    object: &Object,
    options: &Apply,
    new_kind: bool,
) -> Result<Applied, Error> {
    let started = Instant::now();
    loop {
        match cluster.apply(resource, object, options).await {
            Err(error) if error.is_not_found() && new_kind && started.elapsed() < NEW_KIND => {
                sleep(Duration::from_millis(50)).await;
            }
            result => return result,
        }
    }
}

/// Makes fields that somebody set by hand ours, so that an apply drops what the manifest does not name; false where
/// nobody did. `live` has its managed fields. Somebody else's write in between means looking again.
pub(crate) async fn take_over(
    cluster: &Cluster,
    resource: &Resource,
    key: &Key,
    manager: &str,
    live: &Value,
) -> Result<bool, Error> {
    let mut newer = None;
    for _ in 0..TAKE_OVERS {
        let now = newer.as_ref().unwrap_or(live);
        let Some(absorption) = absorb(now, manager, &resource.gvk.api_version()) else {
            return Ok(newer.is_some());
        };
        let version = now.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
        let patch = json!([
            {"op": "replace", "path": "/metadata/managedFields", "value": absorption.managed_fields},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
        ]);
        match cluster.patch(resource, key, &patch).await {
            Ok(()) => return Ok(true),
            Err(error) if error.is_conflict() => {
                newer = cluster.get(resource, &key.namespace, &key.name).await?;
                if newer.is_none() {
                    break;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Waits until the object is gone; true if it is.
pub(crate) async fn gone(
    cluster: &Cluster,
    resource: &Resource,
    key: &Key,
    patience: Duration,
) -> Result<bool, Error> {
    until(cluster, resource, key, patience, |object| object.is_none()).await
}

/// Watches one object until `done` says so; false when patience ends first.
async fn until(
    cluster: &Cluster,
    resource: &Resource,
    key: &Key,
    patience: Duration,
    done: impl Fn(Option<&Value>) -> bool,
) -> Result<bool, Error> {
    let mut follow = cluster.follow(resource, Selection::one(&key.namespace, &key.name));
    let watched = async {
        while let Some(seen) = follow.next().await {
            let finished = match seen {
                Seen::Reset(objects) => done(objects.first()),
                Seen::Applied(object) => done(Some(&object)),
                Seen::Deleted(_) => done(None),
                // The kind itself has gone, and its objects with it.
                Seen::Failed(error) if error.is_not_found() => done(None),
                Seen::Failed(error) => return Err(error),
            };
            if finished {
                return Ok(true);
            }
        }
        Ok(false)
    };
    timeout(patience, watched).await.unwrap_or(Ok(false))
}
