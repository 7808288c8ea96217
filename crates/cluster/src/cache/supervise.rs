//! Decides which kinds are watched, and keeps it so while kinds come and go.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};
use towpath_object::Resource;

use super::definition::{self, Definition};
use super::events::CacheEvent;
use super::feed::Feed;
use super::served::Offer;
use super::shared::{Shared, Voice};
use super::source::Source;
use super::state::FeedId;
use super::{GroupKind, KindState, Mode, Wanted, backoff};
use crate::discovery::Served;
use crate::{Error, Selection};

/// How often the server is asked anyway.
const ROUTINE: Duration = Duration::from_secs(600);
/// The same where its definitions cannot be watched.
const ROUTINE_BLIND: Duration = Duration::from_secs(30);
/// How often it is asked again about what its definitions promise.
const PROMISES: u32 = 9;

/// What a feed does; another plan needs another feed.
#[derive(Clone, PartialEq, Eq)]
struct Plan {
    resource: Resource,
    labels: String,
    metadata_only: bool,
}

struct Running {
    plan: Plan,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Supervisor {
    shared: Arc<Shared>,
    offer: Offer,
    feeds: BTreeMap<FeedId, Running>,
    /// When to ask the server what it serves.
    due: Option<Instant>,
    /// Failures in a row, and answers in a row that did not hold what definitions promise.
    failures: u32,
    broken_promises: u32,
    definitions: Vec<Definition>,
}

/// Runs a cache until dropped.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut helpers = JoinSet::new();
    let teller = Arc::clone(&shared);
    helpers.spawn(async move { teller.teller.run(teller.settings.batch).await });
    let breaker = Arc::clone(&shared);
    helpers.spawn(async move {
        let tell = |reachable| breaker.teller.tell(CacheEvent::Reachable(reachable));
        breaker.breaker.run(&breaker.cluster, breaker.settings.longest_pause, tell).await;
    });
    let supervisor = Supervisor {
        shared,
        offer: Offer::default(),
        feeds: BTreeMap::new(),
        due: Some(Instant::now()),
        failures: 0,
        broken_promises: 0,
        definitions: Vec::new(),
    };
    supervisor.run().await;
}

impl Supervisor {
    async fn run(mut self) {
        let mut asking: Option<BoxFuture<'static, Result<Served, Error>>> = None;
        loop {
            let shared = Arc::clone(&self.shared);
            let due = self.due;
            tokio::select! {
                answer = async { asking.as_mut().expect("checked by the condition").await }, if asking.is_some() => {
                    asking = None;
                    self.answered(answer).await;
                }
                () = async { sleep_until(due.expect("checked by the condition")).await },
                    if due.is_some() && asking.is_none() => {
                    self.due = None;
                    asking = Some(ask(Arc::clone(&self.shared)).boxed());
                }
                () = shared.ask.notified() => self.ask_within(shared.settings.debounce),
                () = shared.think.notified() => self.think().await,
            }
        }
    }

    async fn answered(&mut self, answer: Result<Served, Error>) {
        match answer {
            Ok(served) => {
                self.failures = 0;
                self.broken_promises += 1;
                self.offer.asked(served);
                self.think().await;
                self.shared.states.send_modify(|states| states.discovered = true);
                let blind = !self.shared.definitions_are_live();
                self.ask_within(if blind { ROUTINE_BLIND } else { ROUTINE });
            }
            Err(error) => {
                tracing::debug!(%error, "what the server serves is not known");
                self.shared.breaker.failed(&error);
                let pause = backoff::pause(self.failures + 1, None, self.shared.settings.longest_pause);
                self.failures += 1;
                self.ask_within(pause);
            }
        }
    }

    fn ask_within(&mut self, time: Duration) {
        let at = Instant::now() + time;
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// Looks at definitions and wishes, and starts and stops feeds.
    async fn think(&mut self) {
        let definitions = self.shared.definitions();
        if self.offer.look(&definitions, Instant::now()) {
            self.shared.set_kinds(self.offer.kinds().clone());
        }
        if definitions != self.definitions || !self.offer.is_behind(&definitions) {
            self.broken_promises = 0;
        }
        if self.offer.is_behind(&definitions) && self.broken_promises < PROMISES {
            self.ask_within(self.shared.settings.debounce * (2 + self.broken_promises) / 2);
        }
        self.definitions = definitions;
        let wanted = self.wanted();
        let plans = self.plans(&wanted);
        self.stop_others(&plans).await;
        let missing = wanted.into_keys().filter(|kind| !plans.keys().any(|id| id.kind == *kind)).collect();
        self.shared.states.send_modify(|states| states.missing = missing);
        for (id, plan) in plans {
            if !self.feeds.contains_key(&id) {
                self.start(id, plan);
            }
        }
    }

    fn wanted(&self) -> BTreeMap<GroupKind, Wanted> {
        let mut wanted = self.shared.wanted().clone();
        let mut add = |kind: &GroupKind| {
            let all = Wanted::all(kind.clone());
            wanted.entry(kind.clone()).and_modify(|known| *known = known.widened(&all)).or_insert(all);
        };
        if let Mode::All(filter) = &self.shared.settings.mode {
            let passing = self.offer.watchable().filter(|(_, resource)| filter.passes(&resource.gvk));
            passing.for_each(|(kind, _)| add(kind));
        }
        definition::kinds().iter().filter(|kind| self.offer.resource(kind).is_some()).for_each(add);
        wanted
    }

    fn plans(&self, wanted: &BTreeMap<GroupKind, Wanted>) -> BTreeMap<FeedId, Plan> {
        let mut plans = BTreeMap::new();
        for (kind, wanted) in wanted {
            let Some(resource) = self.offer.resource(kind) else { continue };
            for place in self.shared.settings.scope.places(resource.namespaced) {
                let plan = Plan {
                    resource: resource.clone(),
                    labels: wanted.labels.clone(),
                    metadata_only: wanted.metadata_only,
                };
                plans.insert(FeedId { kind: kind.clone(), place }, plan);
            }
        }
        plans
    }

    async fn stop_others(&mut self, plans: &BTreeMap<FeedId, Plan>) {
        let other = |(id, running): (&FeedId, &Running)| {
            (plans.get(id) != Some(&running.plan) || running.task.is_finished()).then(|| id.clone())
        };
        let others: Vec<FeedId> = self.feeds.iter().filter_map(other).collect();
        for id in others {
            let Some(mut running) = self.feeds.remove(&id) else { continue };
            // Only when it has ended can it not put back what we take away.
            running.task.abort();
            let _ = (&mut running.task).await;
            match plans.get(&id) {
                // The same objects in another version: nothing has changed, but we have to read them anew.
                Some(plan) if plan.resource != running.plan.resource => self.shared.purge(&id, Voice::Quiet),
                Some(_) => {}
                None => {
                    let is_served = self.offer.resource(&id.kind).is_some();
                    self.shared.purge(&id, if is_served { Voice::Quiet } else { Voice::Loud });
                    self.shared.states.send_modify(|states| states.remove(&id));
                    if !is_served {
                        self.shared.teller.tell(CacheEvent::Kind(id.kind, KindState::Gone));
                    }
                }
            }
        }
    }

    fn start(&mut self, id: FeedId, plan: Plan) {
        let source = Source {
            cluster: self.shared.cluster.clone(),
            resource: plan.resource.clone(),
            selection: Selection::in_namespace(&id.place).labelled(&plan.labels),
            metadata_only: plan.metadata_only,
        };
        self.shared.set(&id, KindState::Listing);
        let feed = Feed::new(Arc::clone(&self.shared), source, id.clone());
        self.feeds.insert(id, Running { plan, task: tokio::spawn(feed.run()) });
    }
}

async fn ask(shared: Arc<Shared>) -> Result<Served, Error> {
    shared.breaker.passable().await;
    shared.cluster.served().await
}

impl Shared {
    /// Whether we hear of it when kinds come and go.
    fn definitions_are_live(&self) -> bool {
        let states = self.states.borrow();
        definition::kinds().iter().all(|kind| states.of(kind).is_some_and(|state| state.is_live()))
    }
}
