//! What a cache tells its subscribers.
//!
//! Changes wait a moment (`CacheSettings::batch`), so that several of one object become one. Then they go into a
//! channel that holds so many and no more: a subscriber that does not read loses the oldest and is told how many.
//! Nobody ever waits for a subscriber.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, broadcast};
use towpath_object::Key;

use super::{GroupKind, KindState};

/// How many changes wait for others of the same object.
const AT_MOST: usize = 1024;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum CacheEvent {
    /// An object changed.
    Changed(Arc<Change>),
    /// A kind is in another state. The first list of a kind is told only so: what is in it has not changed, and is
    /// there to be read.
    Kind(GroupKind, KindState),
    /// The server serves other kinds than before.
    Kinds,
    /// The server can be reached again, or no longer.
    Reachable(bool),
    /// So many events were lost because they were not read in time: look at everything anew.
    Lagged(u64),
}

/// The change of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which object.
    pub key: Key,
    /// What became of it.
    pub what: What,
    /// The unit that it belongs to by its own labels.
    pub unit: Option<Arc<str>>,
    /// All units that it concerns: its own, the one it was taken from, and those of the objects it hangs below.
    pub units: Vec<Arc<str>>,
}

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Added,
    /// It is in another state, or another object of the same name.
    Updated,
    /// It has gone.
    Removed,
}

impl Change {
    /// This change after that one, as one.
    fn after(mut self, earlier: Self) -> Self {
        self.what = match (earlier.what, self.what) {
            (What::Added, What::Updated) => What::Added,
            (What::Removed, What::Added) => What::Updated,
            (_, latest) => latest,
        };
        for unit in earlier.units {
            if !self.units.contains(&unit) {
                self.units.push(unit);
            }
        }
        self
    }
}

/// What is told by a cache from now on. Dropping it ends the subscription.
pub struct Subscription {
    receiver: broadcast::Receiver<CacheEvent>,
}

impl Subscription {
    /// The next event; nothing when the cache has ended.
    pub async fn next(&mut self) -> Option<CacheEvent> {
        match self.receiver.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(count)) => Some(CacheEvent::Lagged(count)),
            Err(RecvError::Closed) => None,
        }
    }
}

/// Where events go.
pub(super) struct Teller {
    waiting: Mutex<BTreeMap<Key, Change>>,
    some: Notify,
    sender: broadcast::Sender<CacheEvent>,
}

impl Teller {
    pub(super) fn new(backlog: usize) -> Self {
        let (sender, _) = broadcast::channel(backlog.max(1));
        Self { waiting: Mutex::default(), some: Notify::new(), sender }
    }

    pub(super) fn subscribe(&self) -> Subscription {
        Subscription { receiver: self.sender.subscribe() }
    }

    /// Tells changes, within a moment.
    pub(super) fn changed(&self, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            let change = match waiting.remove(&change.key) {
                Some(earlier) => change.after(earlier),
                None => change,
            };
            waiting.insert(change.key.clone(), change);
        }
        if waiting.len() >= AT_MOST {
            self.send_all(std::mem::take(&mut waiting));
        }
        self.some.notify_one();
    }

    /// Tells something else, after all changes that came before it.
    pub(super) fn tell(&self, event: CacheEvent) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.send_all(std::mem::take(&mut waiting));
        let _ = self.sender.send(event);
    }

    /// Sends changes in batches, for ever.
    pub(super) async fn run(&self, batch: Duration) {
        loop {
            self.some.notified().await;
            tokio::time::sleep(batch).await;
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            self.send_all(std::mem::take(&mut waiting));
        }
    }

    /// Nobody listening is no failure.
    fn send_all(&self, changes: BTreeMap<Key, Change>) {
        for change in changes.into_values() {
            let _ = self.sender.send(CacheEvent::Changed(Arc::new(change)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, what: What, unit: &str) -> Change {
        let unit: Arc<str> = unit.into();
        Change {
            key: Key::new("", "Pod", "web", name),
            what,
            unit: Some(Arc::clone(&unit)),
            units: vec![unit],
        }
    }

    #[tokio::test]
    async fn changes_of_one_object_become_one() {
        let teller = Teller::new(16);
        let mut told = teller.subscribe();
        teller.changed(vec![change("a", What::Added, "x"), change("b", What::Removed, "x")]);
        teller.changed(vec![change("a", What::Updated, "y"), change("b", What::Added, "x")]);
        let events = async {
            let mut seen = Vec::new();
            for _ in 0..2 {
                match told.next().await {
                    Some(CacheEvent::Changed(change)) => seen.push((change.what, change.units.len())),
                    other => panic!("{other:?}"),
                }
            }
            seen
        };
        let seen = tokio::select! {
            () = teller.run(Duration::from_millis(10)) => unreachable!("it runs for ever"),
            seen = events => seen,
        };
        assert_eq!(seen, [(What::Added, 2), (What::Updated, 1)]);
    }

    #[tokio::test]
    async fn who_does_not_read_is_told_what_was_lost() {
        let teller = Teller::new(4);
        let mut told = teller.subscribe();
        for number in 0..100 {
            teller.changed(vec![change(&format!("p{number}"), What::Added, "x")]);
            teller.tell(CacheEvent::Kinds);
        }
        assert!(matches!(told.next().await, Some(CacheEvent::Lagged(196))));
        assert!(matches!(told.next().await, Some(CacheEvent::Changed(_))));
    }
}
