//! What the handle and the tasks of a cache share. Every lock is held for a moment and never across an await.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::Instant;
use towpath_object::Kinds;

use super::breaker::Breaker;
use super::definition::{self, Definition};
use super::events::{CacheEvent, Change, Teller};
use super::index::{Index, Slot};
use super::reach::Reach;
use super::state::{FeedId, States};
use super::wire::Item;
use super::{CacheSettings, GroupKind, KindState, Wanted};
use crate::{Cluster, Error};

pub(super) struct Shared {
    pub(super) cluster: Cluster,
    pub(super) settings: CacheSettings,
    pub(super) states: watch::Sender<States>,
    pub(super) teller: Teller,
    pub(super) breaker: Breaker,
    pub(super) reach: Reach,
    /// How many kinds may be listed at the same time.
    pub(super) lists: Arc<Semaphore>,
    /// Which kinds are watched has to be thought about again.
    pub(super) think: Notify,
    /// The server has to be asked what it serves.
    pub(super) ask: Notify,
    index: RwLock<Index>,
    kinds: RwLock<Arc<Kinds>>,
    wanted: Mutex<BTreeMap<GroupKind, Wanted>>,
    definitions: Mutex<BTreeMap<(GroupKind, String), Definition>>,
}

/// How many objects are changed while the index is locked.
const AT_A_TIME: usize = 128;

/// Whether changes are told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    Loud,
    /// The first list of a kind is no change, and what we are no longer interested in is none either.
    Quiet,
}

impl Shared {
    pub(super) fn new(cluster: Cluster, settings: CacheSettings) -> Self {
        Self {
            cluster,
            states: watch::Sender::default(),
            teller: Teller::new(settings.backlog),
            breaker: Breaker::default(),
            reach: Reach::default(),
            lists: Arc::new(Semaphore::new(settings.parallel_lists.max(1))),
            think: Notify::new(),
            ask: Notify::new(),
            index: RwLock::default(),
            kinds: RwLock::default(),
            wanted: Mutex::default(),
            definitions: Mutex::default(),
            settings,
        }
    }

    /// Looks something up.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Index) -> T) -> T {
        look(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the index.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Index) -> T) -> T {
        change(&mut self.index.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes in what came from the server, a few at a time, so that readers get their turn.
    pub(super) fn take_in(&self, kind: &GroupKind, round: u32, mut items: Vec<Item>, voice: Voice) {
        while !items.is_empty() {
            let rest = items.split_off(items.len().min(AT_A_TIME));
            self.take_in_some(kind, round, items, voice);
            items = rest;
        }
    }

    fn take_in_some(&self, kind: &GroupKind, round: u32, items: Vec<Item>, voice: Voice) {
        let mut defined = Vec::new();
        let changes = self.change(|index| {
            let mut changes = Vec::new();
            for item in items {
                match item {
                    Item::Seen(seen, definition) => {
                        defined.extend(definition.map(|definition| (seen.name.clone(), definition)));
                        let effect = index.upsert(kind, *seen, round);
                        if voice == Voice::Loud {
                            changes.extend(index.describe(effect));
                        }
                    }
                    Item::Gone { namespace, name, uid } => {
                        changes.extend(remove(index, index.doomed(kind, &namespace, &name, &uid)));
                    }
                    Item::Bookmark { .. } | Item::Expired | Item::Failed(_) => {}
                }
            }
            changes
        });
        self.define(kind, defined);
        self.removed_or_changed(kind, changes, voice);
    }

    /// Removes what a complete list did not see.
    pub(super) fn finish(&self, id: &FeedId, round: u32, voice: Voice) {
        // Nobody but the feed that asks for this changes objects of its kind, so what is found stays.
        let gone = self.look(|index| index.finish(&id.kind, &id.place, round));
        for some in gone.chunks(AT_A_TIME) {
            let changes =
                self.change(|index| some.iter().filter_map(|slot| remove(index, Some(*slot))).collect());
            self.removed_or_changed(&id.kind, changes, voice);
        }
    }

    /// Removes all objects of a kind in a place.
    pub(super) fn purge(&self, id: &FeedId, voice: Voice) {
        let round = self.change(Index::begin);
        self.reach.forget(id);
        self.finish(id, round, voice);
    }

    /// Sets the state of a kind in a place, and tells if that makes a difference to the kind.
    pub(super) fn set(&self, id: &FeedId, state: KindState) {
        let mut told = None;
        self.states.send_modify(|states| {
            let before = states.of(&id.kind);
            states.set(id, state);
            let after = states.of(&id.kind);
            told = after.filter(|after| before.is_none_or(|before| !before.is_like(after)));
        });
        if let Some(state) = told {
            self.teller.tell(CacheEvent::Kind(id.kind.clone(), state));
        }
    }

    /// What is known of a kind in a place is no longer so, or has not been for a while.
    pub(super) fn set_stale(&self, id: &FeedId, error: Error) {
        let since = match self.states.borrow().get(id) {
            Some(KindState::Stale { since, .. }) => *since,
            _ => Instant::now(),
        };
        self.set(id, KindState::Stale { since, error: Arc::new(error) });
    }

    pub(super) fn kinds(&self) -> Arc<Kinds> {
        Arc::clone(&self.kinds.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set_kinds(&self, kinds: Kinds) {
        *self.kinds.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(kinds);
        self.teller.tell(CacheEvent::Kinds);
    }

    /// The kinds that were asked for.
    pub(super) fn wanted(&self) -> MutexGuard<'_, BTreeMap<GroupKind, Wanted>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the definitions on the server say.
    pub(super) fn definitions(&self) -> Vec<Definition> {
        self.all_definitions().values().cloned().collect()
    }

    fn all_definitions(&self) -> MutexGuard<'_, BTreeMap<(GroupKind, String), Definition>> {
        self.definitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn define(&self, kind: &GroupKind, defined: Vec<(String, Definition)>) {
        let mut all = self.all_definitions();
        for (name, definition) in defined {
            let known = all.get(&(kind.clone(), name.clone()));
            if known == Some(&definition) {
                continue;
            }
            if matches!(definition, Definition::Aggregated { available: true, .. }) {
                self.ask.notify_one();
            }
            all.insert((kind.clone(), name), definition);
            self.think.notify_one();
        }
    }

    fn removed_or_changed(&self, kind: &GroupKind, changes: Vec<Change>, voice: Voice) {
        if definition::defines(kind) {
            let mut all = self.all_definitions();
            for change in changes.iter().filter(|change| change.what == super::What::Removed) {
                match all.remove(&(kind.clone(), change.key.name.clone())) {
                    Some(Definition::Aggregated { .. }) => self.ask.notify_one(),
                    Some(_) => self.think.notify_one(),
                    None => {}
                }
            }
        }
        if voice == Voice::Loud {
            self.teller.changed(changes);
        }
    }
}

fn remove(index: &mut Index, slot: Option<Slot>) -> Option<Change> {
    let change = index.describe_removal(slot?);
    index.remove(slot?);
    change
}
