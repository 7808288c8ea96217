//! The loops of a running engine: what happens to units and clusters becomes work, and workers do it.

use std::sync::{Arc, PoisonError};

use futures::StreamExt as _;
use tokio::sync::Semaphore;
use towpath_cluster::cache::{CacheEvent, KindState, What};

use crate::engine::{Engine, Shared};
use crate::events::Event;
use crate::member::Member;
use crate::source::ClusterChange;
use crate::store::UnitChange;
use crate::unit::{ClusterId, UnitId};

/// A worker: compares one unit after the other. A sync that is due goes on beside it, under its own limit.
pub(crate) async fn work(engine: Engine, operations: Arc<Semaphore>) {
    loop {
        let unit = engine.shared.queue.take().await;
        let due = engine.look_in_lane(&unit).await;
        engine.shared.queue.done(&unit);
        if let Some(due) = due {
            let (worker, operations) = (engine.clone(), operations.clone());
            engine.shared.spawn(async move { worker.sync_in_lane(due, operations).await });
        }
    }
}

pub(crate) async fn watch_units(shared: Arc<Shared>) {
    let mut changes = shared.units.watch();
    shared.push_all().await;
    while let Some(change) = changes.next().await {
        match change {
            UnitChange::Changed(id) => {
                shared.waiting.wake(&id, &shared.queue);
                shared.queue.push(id);
            }
            UnitChange::Removed(id) => {
                shared.memory.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                shared.waiting.wake(&id, &shared.queue);
            }
            UnitChange::Lagged => shared.push_all().await,
        }
    }
}

pub(crate) async fn watch_clusters(shared: Arc<Shared>) {
    let mut changes = shared.clusters.watch();
    while let Some(change) = changes.next().await {
        let (ClusterChange::Changed(id) | ClusterChange::Removed(id)) = change;
        shared.members.forget(&id).await;
        // Another address or other credentials: it is tried at once.
        shared.cluster_answered(&id);
        shared.push_all().await;
    }
}

/// The safety net: everything is looked at now and then.
pub(crate) async fn recompare(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(shared.settings().recompare).await;
        shared.push_all().await;
    }
}

/// Passes on what a cluster's cache tells: to subscribers, to the queue, and to operations that wait.
pub(crate) async fn follow(shared: Arc<Shared>, cluster: ClusterId, member: Arc<Member>) {
    let mut events = member.cache.subscribe();
    let (hub, name, cache) = (shared.hub.clone(), cluster.clone(), member.cache.clone());
    drop(member);
    shared.spawn(async move {
        cache.ready_all().await;
        hub.tell(Event::CacheReady { cluster: name });
    });
    while let Some(event) = events.next().await {
        match event {
            CacheEvent::Changed(change) => {
                for unit in &change.units {
                    let unit = UnitId(unit.to_string());
                    shared.remember(&unit, |memory| memory.signal.notify_waiters());
                    shared.queue.push(unit);
                }
                let (cluster, key) = (cluster.clone(), change.key.clone());
                shared.hub.tell(match change.what {
                    What::Removed => Event::ResourceRemoved { cluster, key },
                    What::Added | What::Updated => Event::ResourceUpdated { cluster, key },
                });
            }
            CacheEvent::Kind(kind, KindState::Stale { error, .. }) => {
                shared.hub.tell(Event::KindStale {
                    cluster: cluster.clone(),
                    kind: kind.to_string(),
                    message: error.to_string(),
                });
                // Those that use it say so.
                shared.push_all_of(&cluster).await;
            }
            CacheEvent::Reachable(false) => {
                shared.cluster_failed(&cluster);
                shared.push_all_of(&cluster).await;
            }
            CacheEvent::Reachable(true) | CacheEvent::Kind(_, KindState::Live) => {
                shared.cluster_answered(&cluster);
                shared.push_all_of(&cluster).await;
            }
            CacheEvent::Kind(..) | CacheEvent::Kinds | CacheEvent::Lagged(_) => {
                shared.push_all_of(&cluster).await;
            }
        }
    }
}
