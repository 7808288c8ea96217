//! Units in memory: for tests, for programs that keep their own truth elsewhere, and for a single run.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, unfold};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::store::{StoreError, Stored, UnitChange, UnitStore, Version, check};
use crate::unit::{Operation, Status, Unit, UnitId};

/// How many changes a slow watcher may be behind before it has to list again.
const BACKLOG: usize = 1024;

/// A store in memory. Clones are not possible; share it in an `Arc`.
#[derive(Debug)]
pub struct MemoryStore {
    units: Mutex<Units>,
    changes: broadcast::Sender<UnitChange>,
}

#[derive(Debug, Default)]
struct Units {
    /// Apart from their keys: they are large, and the places in a tree are half empty.
    by_id: BTreeMap<UnitId, Box<Stored>>,
    writes: u64,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self { units: Mutex::default(), changes: broadcast::channel(BACKLOG).0 }
    }
}

impl MemoryStore {
    /// Changes a unit under the lock, with a new version, and tells the watchers.
    fn change(
        &self,
        id: &UnitId,
        expect: &Version,
        change: impl FnOnce(&mut Unit),
    ) -> Result<Stored, StoreError> {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        units.writes += 1;
        let version = Version(units.writes.to_string());
        let stored = units.by_id.get_mut(id).ok_or_else(|| StoreError::Missing { id: id.clone() })?;
        if stored.version != *expect {
            return Err(StoreError::Conflict { id: id.clone() });
        }
        change(&mut stored.unit);
        stored.version = version;
        // Nobody watching is not an error.
        let _ = self.changes.send(UnitChange::Changed(id.clone()));
        Ok(Stored::clone(stored))
    }
}

impl UnitStore for MemoryStore {
    fn list(&self) -> BoxFuture<'_, Result<Vec<Stored>, StoreError>> {
        let units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        ready(Ok(units.by_id.values().map(|stored| Stored::clone(stored)).collect())).boxed()
    }

    fn get<'a>(&'a self, id: &'a UnitId) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        let units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        ready(Ok(units.by_id.get(id).map(|stored| Stored::clone(stored)))).boxed()
    }

    fn create(&self, unit: Unit) -> BoxFuture<'_, Result<Stored, StoreError>> {
        if let Err(invalid) = check(&unit) {
            return ready(Err(invalid)).boxed();
        }
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        if units.by_id.contains_key(&unit.id) {
            return ready(Err(StoreError::Exists { id: unit.id })).boxed();
        }
        units.writes += 1;
        let (id, version) = (unit.id.clone(), Version(units.writes.to_string()));
        let stored = Stored { unit, version };
        units.by_id.insert(id.clone(), Box::new(stored.clone()));
        let _ = self.changes.send(UnitChange::Changed(id));
        ready(Ok(stored)).boxed()
    }

    fn update<'a>(&'a self, unit: Unit, expect: &'a Version) -> BoxFuture<'a, Result<Stored, StoreError>> {
        if let Err(invalid) = check(&unit) {
            return ready(Err(invalid)).boxed();
        }
        let id = unit.id.clone();
        let updated = self.change(&id, expect, |known| {
            let Unit { status, operation, generation, .. } = known.clone();
            *known = Unit { status, operation, generation: generation + 1, ..unit };
        });
        ready(updated).boxed()
    }

    fn delete<'a>(&'a self, id: &'a UnitId) -> BoxFuture<'a, Result<(), StoreError>> {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        let removed = units.by_id.remove(id);
        if removed.is_some() {
            let _ = self.changes.send(UnitChange::Removed(id.clone()));
        }
        ready(removed.map(|_| ()).ok_or_else(|| StoreError::Missing { id: id.clone() })).boxed()
    }

    fn set_status<'a>(
        &'a self,
        id: &'a UnitId,
        expect: &'a Version,
        status: Status,
    ) -> BoxFuture<'a, Result<Version, StoreError>> {
        ready(self.change(id, expect, |unit| unit.status = status).map(|stored| stored.version)).boxed()
    }

    fn set_operation<'a>(
        &'a self,
        id: &'a UnitId,
        expect: &'a Version,
        operation: Option<Operation>,
    ) -> BoxFuture<'a, Result<Version, StoreError>> {
        ready(self.change(id, expect, |unit| unit.operation = operation).map(|stored| stored.version)).boxed()
    }

    fn watch(&self) -> BoxStream<'static, UnitChange> {
        unfold(self.changes.subscribe(), |mut changes| async move {
            match changes.recv().await {
                Ok(change) => Some((change, changes)),
                Err(RecvError::Lagged(_)) => Some((UnitChange::Lagged, changes)),
                Err(RecvError::Closed) => None,
            }
        })
        .boxed()
    }
}
