//! Waiting until what was applied has become true, by watching it.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream::{BoxStream, select_all, unfold};
use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::time::{sleep, timeout};
use towpath_cluster::{Cluster, Follow, Seen, Selection};
use towpath_health::{Health, Status, assess};
use towpath_object::{Key, Object, Resource};
use towpath_plan::App;

use crate::Progress;
use crate::execute::Tell;

/// How often objects are read that may not be watched.
const POLL: Duration = Duration::from_secs(1);

/// An object that is not ready yet.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// The object.
    pub key: Key,
    /// How the server serves its kind.
    pub resource: Resource,
    /// Its health when it was last seen.
    pub health: Health,
}

/// How the waiting ended.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    /// What will not become ready by itself.
    pub failed: Vec<Awaited>,
    /// What was still on its way when time was up.
    pub pending: Vec<Awaited>,
}

impl Readiness {
    /// True when everything is ready.
    pub fn is_ready(&self) -> bool {
        self.failed.is_empty() && self.pending.is_empty()
    }
}

/// Waits until all are ready, until what is not has failed, or until time is up.
pub async fn wait(
    cluster: &Cluster,
    app: &App,
    awaited: Vec<Awaited>,
    limit: Duration,
    tell: Tell<'_>,
) -> Readiness {
    let mut open: BTreeMap<Key, Awaited> = awaited.into_iter().map(|one| (one.key.clone(), one)).collect();
    let mut groups: BTreeMap<(Resource, String), Vec<Key>> = BTreeMap::new();
    for one in open.values() {
        groups.entry((one.resource.clone(), one.key.namespace.clone())).or_default().push(one.key.clone());
    }
    let streams = groups
        .into_iter()
        .map(|((resource, namespace), keys)| watch(cluster, app, resource, &namespace, keys));
    let mut seen = select_all(streams);
    let all = async {
        while open.values().any(is_open) {
            let Some(news) = seen.next().await else { return };
            for (key, object) in news {
                take(&mut open, &key, object.as_ref(), tell);
            }
        }
    };
    // What is not ready when time is up is still in `open`.
    let _ = timeout(limit, all).await;
    let mut readiness = Readiness::default();
    for one in open.into_values() {
        match one.health.status {
            Status::Current => {}
            Status::Failed => readiness.failed.push(one),
            _ => readiness.pending.push(one),
        }
    }
    readiness
}

fn is_open(one: &Awaited) -> bool {
    !matches!(one.health.status, Status::Current | Status::Failed)
}

fn take(open: &mut BTreeMap<Key, Awaited>, key: &Key, object: Option<&Object>, tell: Tell<'_>) {
    let Some(one) = open.get_mut(key) else { return };
    let health = object.map_or_else(Health::not_found, assess);
    if health != one.health {
        one.health = health.clone();
        let pending = open.values().filter(|one| is_open(one)).count();
        tell(Progress::Health { key, health: &health, pending });
    }
}

/// Objects as they are seen; nothing for those that have gone.
type News = Vec<(Key, Option<Object>)>;

/// One kind in one namespace: watched, or read again and again where watching is forbidden.
fn watch(
    cluster: &Cluster,
    app: &App,
    resource: Resource,
    namespace: &str,
    keys: Vec<Key>,
) -> BoxStream<'static, News> {
    let follow = cluster.follow(&resource, Selection::in_namespace(namespace).labelled(&app.selector()));
    let state = (cluster.clone(), resource, keys, Some(follow));
    unfold(state, |(cluster, resource, keys, mut follow)| {
        async move {
            let news = loop {
                match next(&mut follow).await {
                    Some(Seen::Reset(objects)) => break reset(&keys, objects),
                    Some(Seen::Applied(object)) => break news(object, Some),
                    Some(Seen::Deleted(object)) => break news(object, |_| None),
                    Some(Seen::Failed(error)) => {
                        tracing::debug!(%error, "cannot be watched; read it again and again");
                        follow = None;
                    }
                    None => {
                        sleep(POLL).await;
                        break poll(&cluster, &resource, &keys).await;
                    }
                }
            };
            Some((news, (cluster, resource, keys, follow)))
        }
        .boxed()
    })
    .boxed()
}

async fn next(follow: &mut Option<Follow>) -> Option<Seen> {
    follow.as_mut()?.next().await
}

fn news(value: Value, state: impl Fn(Object) -> Option<Object>) -> News {
    Object::new(value).map(|object| (object.key(), state(object))).into_iter().collect()
}

fn reset(keys: &[Key], values: Vec<Value>) -> News {
    let mut found: BTreeMap<Key, Object> = BTreeMap::new();
    for object in values.into_iter().filter_map(|value| Object::new(value).ok()) {
        found.insert(object.key(), object);
    }
    keys.iter().map(|key| (key.clone(), found.remove(key))).collect()
}

async fn poll(cluster: &Cluster, resource: &Resource, keys: &[Key]) -> News {
    let mut news = Vec::new();
    for key in keys {
        if let Ok(value) = cluster.get(resource, &key.namespace, &key.name).await {
            news.push((key.clone(), value.and_then(|value| Object::new(value).ok())));
        }
    }
    news
}
