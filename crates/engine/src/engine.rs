//! The engine: keeps units in sync, as long as it runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use towpath_clock::{Clock, SystemClock};

use crate::dependency::Waiting;
use crate::events::{Events, Hub};
use crate::gate::{GateHandle, Gates, SyncGate};
use crate::lanes::Lanes;
use crate::loops::{follow, recompare, watch_clusters, watch_units, work};
use crate::member::{Member, Members};
use crate::memory::Memory;
use crate::overrides::{BadOverride, Custom};
use crate::queue::Queue;
use crate::settings::{Effect, Settings};
use crate::source::{ClusterStore, ManifestSource};
use crate::store::UnitStore;
use crate::unit::{ClusterId, Unit, UnitId};

/// How much an engine does at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Units that are compared.
    pub status: usize,
    /// Units that are synced. Most of them wait for their objects to become healthy, which costs nobody anything.
    pub operations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { status: 20, operations: 64 }
    }
}

/// Keeps units in sync. A cheap handle: clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

/// What all handles of an engine share.
pub(crate) struct Shared {
    pub(crate) units: Arc<dyn UnitStore>,
    pub(crate) manifests: Arc<dyn ManifestSource>,
    pub(crate) clusters: Arc<dyn ClusterStore>,
    pub(crate) members: Members,
    pub(crate) settings: RwLock<Arc<Settings>>,
    /// The settings' overrides, ready to use.
    pub(crate) custom: RwLock<Arc<Custom>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) hub: Hub,
    pub(crate) gates: Gates,
    pub(crate) queue: Queue<UnitId>,
    pub(crate) lanes: Lanes,
    pub(crate) memory: Mutex<BTreeMap<UnitId, Memory>>,
    pub(crate) waiting: Waiting,
    pub(crate) stopping: watch::Sender<bool>,
}

/// Ends everything when the run is over, however it ends.
struct Ending<'a>(&'a Engine);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Makes an engine.
pub struct Builder {
    units: Arc<dyn UnitStore>,
    clusters: Arc<dyn ClusterStore>,
    manifests: Arc<dyn ManifestSource>,
    settings: Settings,
    clock: Arc<dyn Clock>,
}

impl Builder {
    /// With these settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// With this clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The engine, not running yet; or what is wrong with an override of the settings.
    pub fn build(self) -> Result<Engine, BadOverride> {
        let custom = Custom::of_settings(&self.settings.overrides)?;
        let shared = Shared {
            members: Members::new(self.clusters.clone()),
            clusters: self.clusters,
            units: self.units,
            manifests: self.manifests,
            settings: RwLock::new(Arc::new(self.settings)),
            custom: RwLock::new(Arc::new(custom)),
            clock: self.clock,
            hub: Hub::default(),
            gates: Gates::default(),
            queue: Queue::default(),
            lanes: Lanes::default(),
            memory: Mutex::default(),
            waiting: Waiting::default(),
            stopping: watch::channel(false).0,
        };
        Ok(Engine { shared: Arc::new(shared) })
    }
}

impl Engine {
    /// An engine over these units, clusters and manifests.
    pub fn builder(
        units: Arc<dyn UnitStore>,
        clusters: Arc<dyn ClusterStore>,
        manifests: Arc<dyn ManifestSource>,
    ) -> Builder {
        let clock = Arc::new(SystemClock::default());
        Builder { units, clusters, manifests, settings: Settings::default(), clock }
    }

    /// Runs until [`stop`](Self::stop) or until it is dropped. Operations under way are left as they are: the next
    /// engine on the same store takes them up. When this returns nothing of the engine runs any more.
    pub async fn run(&self, limits: Limits) {
        let ending = Ending(self);
        let mut tasks = JoinSet::new();
        tasks.spawn(watch_units(self.shared.clone()));
        tasks.spawn(watch_clusters(self.shared.clone()));
        tasks.spawn(recompare(self.shared.clone()));
        self.shared.lanes.share(limits);
        let operations = Arc::new(Semaphore::new(limits.operations.max(1)));
        for _ in 0..limits.status.max(1) {
            tasks.spawn(work(self.clone(), operations.clone()));
        }
        let mut stopping = self.shared.stopping.subscribe();
        let _ = stopping.wait_for(|stop| *stop).await;
        drop((stopping, ending));
        tasks.shutdown().await;
        // Every task that was spawned holds a receiver.
        self.shared.stopping.closed().await;
        self.shared.members.forget_all().await;
    }

    /// Ends [`run`](Self::run).
    pub fn stop(&self) {
        self.shared.stopping.send_replace(true);
    }

    /// Looks at a unit as soon as possible. About what is not known to be as wanted the server is asked again.
    pub fn refresh(&self, unit: &UnitId) {
        self.shared.remember(unit, |memory| memory.asked.retain(|_, asked| !asked.is_passing()));
        self.shared.queue.push(unit.clone());
    }

    /// Changes how the engine works, while it works; or says what is wrong with an override.
    pub async fn set_settings(&self, settings: Settings) -> Result<Effect, BadOverride> {
        let custom = Custom::of_settings(&settings.overrides)?;
        *self.shared.custom.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(custom);
        let effect = {
            let mut current = self.shared.settings.write().unwrap_or_else(PoisonError::into_inner);
            let effect = current.effect(&settings);
            *current = Arc::new(settings);
            effect
        };
        if effect == Effect::Rebuild {
            self.shared.members.forget_all().await;
            self.shared.forget_manifests();
        }
        if effect != Effect::None {
            self.shared.push_all().await;
        }
        Ok(effect)
    }

    /// What happens from now on. Dropping it unsubscribes.
    pub fn subscribe(&self) -> Events {
        self.shared.hub.subscribe()
    }

    /// Lets somebody see, edit or veto every sync. Dropping the handle takes the gate away.
    pub fn add_gate(&self, gate: Arc<dyn SyncGate>) -> GateHandle {
        self.shared.gates.add(gate)
    }
}

impl Shared {
    /// Does something beside everything else, as long as the engine runs.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut stopping = self.stopping.subscribe();
        tokio::spawn(async move {
            tokio::select! {
                biased;
                _ = stopping.wait_for(|stop| *stop) => {}
                () = work => {}
            }
        });
    }

    /// Looks at a unit after a while, unless it will be looked at sooner.
    pub(crate) fn push_later(self: &Arc<Self>, id: UnitId, pause: Duration) {
        let at = Instant::now() + pause;
        let sooner = self.remember(&id, |memory| {
            let sooner = memory.later.is_some_and(|known| known <= at);
            if !sooner {
                memory.later = Some(at);
            }
            sooner
        });
        if sooner {
            return;
        }
        let shared = self.clone();
        self.spawn(async move {
            tokio::time::sleep_until(at).await;
            shared.remember(&id, |memory| memory.later = memory.later.filter(|known| *known != at));
            shared.queue.push(id);
        });
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads or changes what is remembered of a unit.
    pub(crate) fn remember<T>(&self, unit: &UnitId, change: impl FnOnce(&mut Memory) -> T) -> T {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        change(memory.entry(unit.clone()).or_default())
    }

    fn forget_manifests(&self) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        for unit in memory.values_mut() {
            unit.resolved = None;
        }
    }

    /// Looks at all units again.
    pub(crate) async fn push_all(&self) {
        self.push_those(|_| true).await;
    }

    /// Looks at all units of a cluster again.
    pub(crate) async fn push_all_of(&self, cluster: &ClusterId) {
        self.push_those(|unit| unit.destination.cluster == *cluster).await;
    }

    async fn push_those(&self, choose: impl Fn(&Unit) -> bool) {
        match self.units.list().await {
            Ok(units) => {
                let chosen = units.into_iter().filter(|stored| choose(&stored.unit));
                chosen.for_each(|stored| self.queue.push(stored.unit.id));
            }
            Err(error) => tracing::warn!(%error, "the units cannot be listed"),
        }
    }

    /// The cluster of a unit; its events are followed from the first use on.
    pub(crate) async fn member(
        self: &Arc<Self>,
        id: &ClusterId,
    ) -> Result<Arc<Member>, crate::member::MemberError> {
        let (member, new) = self.members.get(id, &self.settings()).await?;
        if new {
            self.spawn(follow(self.clone(), id.clone(), member.clone()));
        }
        Ok(member)
    }
}
