//! What the engine tells the world, as a stream. Dropping the stream unsubscribes; a slow reader is told that it
//! missed something and never holds anybody up.

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use towpath_object::Key;

use crate::unit::{ClusterId, OperationState, UnitId};

/// How many events a slow reader may be behind.
const BACKLOG: usize = 4096;

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Everything that is watched on a cluster has been listed once.
    CacheReady {
        /// The cluster.
        cluster: ClusterId,
    },
    /// A kind cannot be watched at present; what is known of it may be old.
    KindStale {
        /// The cluster.
        cluster: ClusterId,
        /// The kind: `Deployment.apps`.
        kind: String,
        /// Why.
        message: String,
    },
    /// A cluster does not answer, or does so again.
    Reachable {
        /// The cluster.
        cluster: ClusterId,
        /// Whether it answers.
        reachable: bool,
    },
    /// An object is new or has changed.
    ResourceUpdated {
        /// The cluster.
        cluster: ClusterId,
        /// The object.
        key: Key,
    },
    /// An object has gone.
    ResourceRemoved {
        /// The cluster.
        cluster: ClusterId,
        /// The object.
        key: Key,
    },
    /// A sync begins.
    SyncStarted {
        /// The unit.
        unit: UnitId,
        /// What it is synced to.
        revision: String,
    },
    /// A sync has ended.
    SyncCompleted {
        /// The unit.
        unit: UnitId,
        /// How.
        state: Box<OperationState>,
    },
    /// Something about a unit that people may want to know.
    Unit {
        /// The unit.
        unit: UnitId,
        /// A stable CamelCase word.
        reason: &'static str,
        /// A sentence.
        message: String,
    },
}

/// What a reader gets.
#[derive(Clone, Debug)]
pub enum Heard {
    /// The next event.
    Event(Event),
    /// So many events were missed: look at the units again.
    Missed(u64),
}

/// A subscription. Dropping it ends it.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Event>,
}

impl Events {
    /// The next thing; nothing when the engine is gone.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.receiver.recv().await {
            Ok(event) => Some(Heard::Event(event)),
            Err(RecvError::Lagged(missed)) => Some(Heard::Missed(missed)),
            Err(RecvError::Closed) => None,
        }
    }
}

/// Where events come from.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    sender: broadcast::Sender<Event>,
}

impl Default for Hub {
    fn default() -> Self {
        Self { sender: broadcast::channel(BACKLOG).0 }
    }
}

impl Hub {
    /// Tells everybody who listens; nobody listening is fine.
    pub(crate) fn tell(&self, event: Event) {
        let _ = self.sender.send(event);
    }

    pub(crate) fn subscribe(&self) -> Events {
        Events { receiver: self.sender.subscribe() }
    }
}
