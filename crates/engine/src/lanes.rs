//! Clusters side by side: each has a lane of its own, so that one that does not answer holds nobody else up.
//!
//! Of the workers one cluster has at most half, and of the places for operations too. While its breaker is open its
//! units wait beside the queue, with a status that says why, and an operation under way gives its place to others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::breaker::{Breaker, Word};
use crate::decide::Due;
use crate::engine::{Engine, Limits, Shared};
use crate::events::Event;
use crate::member::Member;
use crate::unit::{ClusterId, SyncState, UnitId};

/// How long a worker waits for a cluster that has never been read.
const PATIENCE: Duration = Duration::from_secs(5);

/// The lanes of all clusters.
#[derive(Default)]
pub(crate) struct Lanes {
    lanes: Mutex<BTreeMap<ClusterId, Lane>>,
    limits: Mutex<Limits>,
}

struct Lane {
    breaker: Breaker,
    /// Workers that are in it.
    inside: usize,
    /// Units that wait for their turn, or for the cluster.
    parked: BTreeSet<UnitId>,
    /// Whether the breaker is open.
    open: watch::Sender<bool>,
    operations: Arc<Semaphore>,
}

/// Leave to look at a unit. Dropping it lets another one in.
struct Pass<'a> {
    shared: &'a Shared,
    cluster: &'a ClusterId,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let next = self.shared.lanes.lane(self.cluster, |lane| {
            lane.inside = lane.inside.saturating_sub(1);
            if lane.breaker.is_open() { None } else { lane.parked.pop_first() }
        });
        if let Some(unit) = next {
            self.shared.queue.push(unit);
        }
    }
}

impl Lanes {
    /// At most half of everything is for one cluster.
    pub(crate) fn share(&self, limits: Limits) {
        *self.limits.lock().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    fn lane<T>(&self, cluster: &ClusterId, change: impl FnOnce(&mut Lane) -> T) -> T {
        let mut lanes: MutexGuard<'_, BTreeMap<ClusterId, Lane>> =
            self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let places = half(self.limits().operations);
        change(lanes.entry(cluster.clone()).or_insert_with(|| Lane {
            breaker: Breaker::default(),
            inside: 0,
            parked: BTreeSet::new(),
            open: watch::Sender::new(false),
            operations: Arc::new(Semaphore::new(places)),
        }))
    }

    fn limits(&self) -> Limits {
        *self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for an operation on a cluster.
    async fn place(&self, cluster: &ClusterId) -> Option<OwnedSemaphorePermit> {
        let operations = self.lane(cluster, |lane| lane.operations.clone());
        operations.acquire_owned().await.ok()
    }

    /// Waits until a cluster does not answer.
    async fn opens(&self, cluster: &ClusterId) {
        let mut open = self.lane(cluster, |lane| lane.open.subscribe());
        if open.wait_for(|open| *open).await.is_err() {
            // Lanes are never taken away, so this cannot be; nobody's place is lost by waiting.
            std::future::pending::<()>().await;
        }
    }
}

fn half(limit: usize) -> usize {
    limit.div_ceil(2).max(1)
}

impl Engine {
    /// Looks at a unit in its cluster's lane. A unit that cannot be looked at now waits there.
    pub(crate) async fn look_in_lane(&self, id: &UnitId) -> Option<Due> {
        let Ok(Some(stored)) = self.shared.units.get(id).await else { return self.look_at(id).await };
        // An operation under way hears what people want of it, whatever its cluster does.
        if self.shared.remember(id, |memory| memory.running.is_some()) {
            return self.look_at(id).await;
        }
        let cluster = &stored.unit.destination.cluster;
        let (most, now) = (half(self.shared.lanes.limits().status), self.shared.clock.monotonic());
        let word = self.shared.lanes.lane(cluster, |lane| {
            if lane.inside >= most {
                lane.parked.insert(id.clone());
                return None;
            }
            let word = lane.breaker.ask(now);
            match word {
                Word::Refused => drop(lane.parked.insert(id.clone())),
                Word::Pass | Word::Probe => lane.inside += 1,
            }
            Some(word)
        })?;
        if word == Word::Refused {
            self.say_silent(id, cluster).await;
            return None;
        }
        let pass = Pass { shared: &self.shared, cluster };
        if !self.answers(cluster).await {
            self.shared.lanes.lane(cluster, |lane| lane.parked.insert(id.clone()));
            self.shared.cluster_failed(cluster);
            self.say_silent(id, cluster).await;
            return None;
        }
        let due = self.look_at(id).await;
        drop(pass);
        due
    }

    /// Carries out a sync within the limits. One whose cluster stops answering goes on without a place.
    pub(crate) async fn sync_in_lane(&self, due: Due, places: Arc<Semaphore>) {
        let cluster = due.unit.destination.cluster.clone();
        let own = self.shared.lanes.place(&cluster).await;
        let Ok(place) = places.acquire_owned().await else { return };
        // In a box made only now: thousands may wait for a place, and a sync's state takes 16 KiB.
        let mut sync = Box::pin(self.sync(due));
        tokio::select! {
            () = &mut sync => return,
            () = self.shared.lanes.opens(&cluster) => drop((own, place)),
        }
        sync.await;
    }

    /// Whether a cluster has been read, or can be.
    async fn answers(&self, cluster: &ClusterId) -> bool {
        // What else is wrong with it is for whoever looks at the unit to say.
        let Ok(member) = self.shared.member(cluster).await else { return true };
        let read = async {
            tokio::select! {
                () = self.definitions(&member) => true,
                () = unreachable(&member) => false,
            }
        };
        let answers =
            tokio::time::timeout(PATIENCE, read).await.unwrap_or(false) && member.cache.is_reachable();
        if answers {
            self.shared.cluster_answered(cluster);
        }
        answers
    }

    async fn say_silent(&self, id: &UnitId, cluster: &ClusterId) {
        let message = format!("cluster {cluster} does not answer");
        let said = self.change_status(id, |status| {
            status.sync = SyncState::Unknown;
            status.message.clone_from(&message);
        });
        if let Err(error) = said.await {
            tracing::debug!(unit = %id, %error, "the status cannot be written");
        }
    }
}

/// Waits until a cluster cannot be reached.
async fn unreachable(member: &Member) {
    let mut events = member.cache.subscribe();
    while member.cache.is_reachable() {
        if events.next().await.is_none() {
            return;
        }
    }
}

impl Shared {
    /// A cluster answered: whoever waits for it goes on.
    pub(crate) fn cluster_answered(&self, cluster: &ClusterId) {
        let (closed, waiting) = self.lanes.lane(cluster, |lane| {
            let closed = lane.breaker.answered();
            if closed {
                lane.open.send_replace(false);
            }
            (closed, if closed { std::mem::take(&mut lane.parked) } else { BTreeSet::new() })
        });
        if closed {
            self.hub.tell(Event::Reachable { cluster: cluster.clone(), reachable: true });
        }
        for unit in waiting {
            self.queue.push(unit);
        }
    }

    /// A cluster did not answer: after a pause one unit tries again.
    pub(crate) fn cluster_failed(self: &Arc<Self>, cluster: &ClusterId) {
        let now = self.clock.monotonic();
        let (news, pause) = self.lanes.lane(cluster, |lane| {
            let pause = lane.breaker.failed(now);
            (pause.is_some() && !lane.open.send_replace(true), pause)
        });
        if news {
            self.hub.tell(Event::Reachable { cluster: cluster.clone(), reachable: false });
        }
        let Some(pause) = pause else { return };
        let (shared, cluster) = (self.clone(), cluster.clone());
        self.spawn(async move {
            tokio::time::sleep(pause).await;
            let probe = shared.lanes.lane(&cluster, |lane| lane.parked.pop_first());
            if let Some(unit) = probe {
                shared.queue.push(unit);
            }
        });
    }
}
