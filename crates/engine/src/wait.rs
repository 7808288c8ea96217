//! Waiting until what was applied has become true, by watching it.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::select_all;
use tokio::time::timeout;
use towpath_clock::{Clock as _, SystemClock};
use towpath_cluster::Cluster;
use towpath_health::{Health, Rules, Status, Verdict, assess};
use towpath_object::{Key, Object, Resource};
use towpath_plan::App;

use crate::Progress;
use crate::execute::Tell;
use crate::sight::watch;

/// An object that is not ready yet.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// The object.
    pub key: Key,
    /// How the server serves its kind.
    pub resource: Resource,
    /// Its health when it was last seen.
    pub health: Health,
    /// By whose rules.
    pub(crate) rules: Rules,
}

impl Awaited {
    /// The object, unless it is ready.
    pub(crate) fn new(key: &Key, resource: &Resource, object: &Object, rules: Rules) -> Option<Self> {
        let health = health(object, rules);
        let (key, resource) = (key.clone(), resource.clone());
        (health.status != Status::Current).then_some(Self { key, resource, health, rules })
    }
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
    let selector = app.selector();
    let streams = groups
        .into_iter()
        .map(|((resource, namespace), keys)| watch(cluster, &selector, resource, &namespace, keys));
    let mut seen = select_all(streams);
    let all = async {
        while open.values().any(is_open) {
            let Some(news) = seen.next().await else { return };
            for (key, state) in news {
                take(&mut open, &key, state.object(), tell);
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
    let health = object.map_or_else(Health::not_found, |object| health(object, one.rules));
    if health != one.health {
        one.health = health.clone();
        let pending = open.values().filter(|one| is_open(one)).count();
        tell(Progress::Health { key, health: &health, pending });
    }
}

/// The health of an object, in the words of kstatus whoever judges.
fn health(object: &Object, rules: Rules) -> Health {
    if rules == Rules::Kstatus {
        return assess(object);
    }
    let assessment = rules.assess(object, SystemClock::default().now());
    let status = match assessment.verdict {
        Verdict::None | Verdict::Ready => Status::Current,
        Verdict::Suspended | Verdict::Progressing => Status::InProgress,
        Verdict::Missing => Status::NotFound,
        Verdict::Failed => Status::Failed,
        Verdict::Unknown => Status::Unknown,
    };
    Health { status, message: assessment.message }
}
