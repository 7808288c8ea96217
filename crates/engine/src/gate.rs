//! Gates: somebody who sees a plan before it is carried out, and may edit or veto it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::future::{BoxFuture, FutureExt as _, ready};
use towpath_plan::sync::Task;

use crate::unit::{OperationState, Unit};

/// Why a sync may not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Veto {
    /// In a sentence.
    pub message: String,
}

/// Sees every sync. Runs outside every lock; while it thinks only its own unit waits.
///
/// To implement it well:
///
/// - Expect to be asked again: each attempt of a sync asks, and so does the engine that takes it up after a crash. The
///   answer should depend on the unit and the tasks, not on how often the question came.
/// - Edit by leaving tasks out or by changing their targets. What is left out stays out of sync, so a unit that heals
///   itself will ask again.
/// - A [`Veto`] is the outcome of that sync, for people to read. A gate that only wants to wait, for an approval or for
///   a time of day, awaits it: that holds a place among the operations under way, so do not wait for hours.
/// - Dropping the future cancels: nobody wants to know any more.
/// - [`after_sync`](Self::after_sync) comes when the outcome is on record, and not at all if the process ends just then.
///   Whoever must not miss one reads the units' history.
///
/// Gates are asked in the order in which they were added; each sees what the one before it left.
pub trait SyncGate: Send + Sync {
    /// Before anything is written: gives back the tasks that may be done, or a veto.
    fn before_sync<'a>(&'a self, unit: &'a Unit, tasks: Vec<Task>) -> BoxFuture<'a, Result<Vec<Task>, Veto>>;

    /// When it is over.
    fn after_sync<'a>(&'a self, _unit: &'a Unit, _state: &'a OperationState) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }
}

/// The gates of an engine, in the order in which they were added.
#[derive(Clone, Default)]
pub(crate) struct Gates {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    gates: BTreeMap<u64, Arc<dyn SyncGate>>,
    next: u64,
}

/// Keeps a gate in place. Dropping it takes the gate away.
pub struct GateHandle {
    gates: Weak<Mutex<Inner>>,
    number: u64,
}

impl Drop for GateHandle {
    fn drop(&mut self) {
        if let Some(inner) = self.gates.upgrade() {
            inner.lock().unwrap_or_else(PoisonError::into_inner).gates.remove(&self.number);
        }
    }
}

impl Gates {
    pub(crate) fn add(&self, gate: Arc<dyn SyncGate>) -> GateHandle {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let number = inner.next;
        inner.next += 1;
        inner.gates.insert(number, gate);
        GateHandle { gates: Arc::downgrade(&self.inner), number }
    }

    fn all(&self) -> Vec<Arc<dyn SyncGate>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).gates.values().cloned().collect()
    }

    pub(crate) async fn before_sync(&self, unit: &Unit, mut tasks: Vec<Task>) -> Result<Vec<Task>, Veto> {
        for gate in self.all() {
            tasks = gate.before_sync(unit, tasks).await?;
        }
        Ok(tasks)
    }

    pub(crate) async fn after_sync(&self, unit: &Unit, state: &OperationState) {
        for gate in self.all() {
            gate.after_sync(unit, state).await;
        }
    }
}
