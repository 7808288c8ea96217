//! What is on a cluster, known at all times without asking: kept up to date by watches.
//!
//! In: a [`Cluster`], [`CacheSettings`], and the kinds that are [`Wanted`]. Out: [`Row`]s in time proportional to the
//! answer, the state of every kind, and events. It never writes to the cluster and never decides anything.
//!
//! ```text
//!            supervise: which kinds, as definitions come and go
//!                │ starts and stops
//!   server ──► feed (one for each kind and place) ──► index ──► get, unit, children, tree
//!                │                                      │
//!                └──► states of kinds                   └─────► events, gathered for a moment
//! ```
//!
//! ```no_run
//! use towpath_cluster::cache::{Cache, CacheEvent, CacheSettings, GroupKind, Wanted};
//! # async fn example(cluster: towpath_cluster::Cluster) {
//! let deployments = GroupKind::new("apps", "Deployment");
//! let settings = CacheSettings { unit_labels: vec!["towpath.dev/app".into()], ..CacheSettings::default() };
//! let cache = Cache::start(cluster, settings);
//! let mut events = cache.subscribe();
//! cache.want([Wanted::all(deployments.clone())]);
//! cache.ready([deployments]).await;
//! for row in cache.unit("shop") {
//!     println!("{} at {}", row.key, row.version);
//! }
//! while let Some(event) = events.next().await {
//!     match event {
//!         CacheEvent::Changed(change) => println!("{:?} {}", change.what, change.key),
//!         CacheEvent::Lagged(_) => println!("look at everything anew"),
//!         _ => {}
//!     }
//! }
//! # }
//! ```

mod backoff;
mod breaker;
mod definition;
mod events;
mod feed;
mod filter;
mod index;
mod observe;
mod reach;
mod row;
mod served;
mod settings;
mod shared;
mod source;
mod state;
mod supervise;
mod wire;

use std::sync::Arc;

use tokio::task::JoinHandle;
use towpath_object::{Key, Kinds};

use crate::Cluster;
use shared::Shared;

pub use events::{CacheEvent, Change, Subscription, What};
pub use filter::{Filter, Rule};
pub(crate) use observe::Observed;
pub use row::{Managed, Node, Owner, Row};
pub use settings::{CacheSettings, GroupKind, Mode, OwnedDigest, Rbac, Scope, UnitOf, Wanted};
pub use state::{Blind, KindState};

/// A cheap handle on a cache. When the last one is dropped, its watches end.
#[derive(Clone)]
pub struct Cache {
    shared: Arc<Shared>,
    _running: Arc<Running>,
}

/// The tasks of a cache, for as long as anybody holds it.
struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Cache {
    /// Begins to watch.
    pub fn start(cluster: Cluster, settings: CacheSettings) -> Self {
        let shared = Arc::new(Shared::new(cluster, settings));
        let running = Running(tokio::spawn(supervise::run(Arc::clone(&shared))));
        Self { shared, _running: Arc::new(running) }
    }

    /// Watches these kinds from now on. Two different wishes for a kind are made into one that serves both.
    pub fn want(&self, kinds: impl IntoIterator<Item = Wanted>) {
        let mut wanted = self.shared.wanted();
        let mut is_new = false;
        for wish in kinds {
            let known = wanted.get(&wish.kind);
            let both = known.map_or_else(|| wish.clone(), |known| known.widened(&wish));
            if known != Some(&both) {
                is_new = true;
                wanted.insert(wish.kind, both);
            }
        }
        drop(wanted);
        // Whoever looks at a unit says what it wants, every time.
        if is_new {
            self.shared.think.notify_one();
        }
    }

    /// Takes back all wishes for these kinds; what is known of them is forgotten.
    pub fn unwant<'a>(&self, kinds: impl IntoIterator<Item = &'a GroupKind>) {
        let mut wanted = self.shared.wanted();
        for kind in kinds {
            wanted.remove(kind);
        }
        drop(wanted);
        self.shared.think.notify_one();
    }

    /// Waits until these kinds have been read, or why not is known, and returns their states in the same order. A
    /// kind that nobody asked for is asked for.
    pub async fn ready(&self, kinds: impl IntoIterator<Item = GroupKind>) -> Vec<KindState> {
        let kinds: Vec<GroupKind> = kinds.into_iter().collect();
        let unknown = |kind: &&GroupKind| {
            self.shared.states.borrow().of(kind).is_none() && !self.shared.wanted().contains_key(kind)
        };
        let wishes: Vec<Wanted> = kinds.iter().filter(unknown).cloned().map(Wanted::all).collect();
        if !wishes.is_empty() {
            self.want(wishes);
        }
        let mut states = self.shared.states.subscribe();
        let known = |states: &state::States| {
            let settled = |kind| states.of(kind).is_some_and(|state| !matches!(state, KindState::Listing));
            states.discovered && kinds.iter().all(settled)
        };
        match states.wait_for(known).await {
            Ok(states) => kinds.iter().map(|kind| states.of(kind).unwrap_or(KindState::Gone)).collect(),
            // The sender is ours, so this cannot be.
            Err(_) => Vec::new(),
        }
    }

    /// Waits until everything that is watched has been read, or why not is known.
    pub async fn ready_all(&self) {
        let _ = self.shared.states.subscribe().wait_for(state::States::settled).await;
    }

    /// The object with this key, as far as the cache knows. O(1). [`Cache::look`] also says what it does not know.
    pub fn get(&self, key: &Key) -> Option<Row> {
        self.shared.look(|index| index.get(key))
    }

    /// True when the object is in a namespace that is watched.
    pub fn covers(&self, key: &Key) -> bool {
        self.shared.settings.scope.covers(&key.namespace)
    }

    /// The object with this key, nothing when it is not on the cluster, or why the cache cannot tell.
    pub fn look(&self, key: &Key) -> Result<Option<Row>, Blind> {
        if !self.covers(key) {
            return Err(Blind::OutOfScope { key: key.clone() });
        }
        match self.shared.states.borrow().blind(key) {
            Some(blind) => Err(blind),
            None => Ok(self.get(key)),
        }
    }

    /// Whether this version of an object, which a write returned, or what came of it later has been taken in; also true
    /// where its kind is not watched. Until then what the cache says of the object is older than the write.
    pub fn has_reached(&self, key: &Key, version: &str) -> bool {
        let is_watched = !matches!(self.kind_state(&GroupKind::from(key)), None | Some(KindState::Gone));
        !is_watched || self.shared.reach.covers(key, version)
    }

    /// The object with this uid.
    pub fn by_uid(&self, uid: &str) -> Option<Row> {
        self.shared.look(|index| index.by_uid(uid))
    }

    /// The objects that carry the unit's labels, in the order of keys. O(result).
    pub fn unit(&self, unit: &str) -> Vec<Row> {
        self.shared.look(|index| index.unit(unit))
    }

    /// The objects of a kind, in the order of keys. O(result).
    pub fn of_kind(&self, kind: &GroupKind) -> Vec<Row> {
        self.shared.look(|index| index.of_kind(&kind.group, &kind.kind))
    }

    /// The objects in a namespace, or with an empty one those in none, in the order of keys. O(result).
    pub fn in_namespace(&self, namespace: &str) -> Vec<Row> {
        self.shared.look(|index| index.in_namespace(namespace))
    }

    /// What hangs directly below an object: by owner references, and endpoints, tokens and volume claims that name no
    /// owner. O(result).
    pub fn children(&self, key: &Key) -> Vec<Row> {
        self.shared.look(|index| index.children(key))
    }

    /// What an object hangs directly below. O(result).
    pub fn parents(&self, key: &Key) -> Vec<Row> {
        self.shared.look(|index| index.parents(key))
    }

    /// These objects and all that hangs below them, depth first, every object once. O(result).
    pub fn tree<'a>(&self, roots: impl IntoIterator<Item = &'a Key>) -> Vec<Node> {
        self.shared.look(|index| index.tree(roots))
    }

    /// How many objects are known.
    pub fn len(&self) -> usize {
        self.shared.look(index::Index::len)
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kinds that the server serves; none before it has been asked.
    pub fn kinds(&self) -> Arc<Kinds> {
        self.shared.kinds()
    }

    /// All kinds that are watched or wished for, with their states.
    pub fn kind_states(&self) -> Vec<(GroupKind, KindState)> {
        self.shared.states.borrow().all()
    }

    /// The state of a kind; nothing where it is not watched.
    pub fn kind_state(&self, kind: &GroupKind) -> Option<KindState> {
        self.shared.states.borrow().of(kind)
    }

    /// Whether the server answers. While it does not, one probe now and then is all that is sent.
    pub fn is_reachable(&self) -> bool {
        !self.shared.breaker.is_open()
    }

    /// Events from now on.
    pub fn subscribe(&self) -> Subscription {
        self.shared.teller.subscribe()
    }
}
