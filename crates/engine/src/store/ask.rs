//! Asking for syncs through a store, and waiting for them: for whoever has units and not the engine.

use std::time::Duration;

use futures::StreamExt as _;
use jiff::Timestamp;
use tokio::time::timeout;
use towpath_plan::sync::policy::{RollbackRefused, may_roll_back, rollback_options};

use crate::store::{StoreError, UnitStore};
use crate::unit::{Operation, OperationState, Unit, UnitId};

/// Asks for a sync. One that is asked for already stays as it is: then this is a conflict.
pub async fn start_sync(store: &dyn UnitStore, id: &UnitId, operation: Operation) -> Result<(), StoreError> {
    ask(store, id, operation, false).await
}

/// Asks for a sync whatever is asked for already.
pub async fn force_sync(store: &dyn UnitStore, id: &UnitId, operation: Operation) -> Result<(), StoreError> {
    ask(store, id, operation, true).await
}

/// The engine writes its status meanwhile: that is no reason to refuse anybody.
async fn ask(
    store: &dyn UnitStore,
    id: &UnitId,
    operation: Operation,
    whatever: bool,
) -> Result<(), StoreError> {
    loop {
        let stored = store.get(id).await?.ok_or_else(|| StoreError::Missing { id: id.clone() })?;
        if stored.unit.operation.is_some() && !whatever {
            return Err(StoreError::Conflict { id: id.clone() });
        }
        match store.set_operation(id, &stored.version, Some(operation.clone())).await {
            Err(StoreError::Conflict { .. }) => {}
            other => return other.map(|_| ()),
        }
    }
}

/// Stops the sync under way.
pub async fn terminate(store: &dyn UnitStore, id: &UnitId) -> Result<(), StoreError> {
    force_sync(store, id, Operation { terminate: true, ..Operation::default() }).await
}

/// Waits until nothing is asked for and nothing is under way; the last sync, or nothing when time is up.
pub async fn await_sync(
    store: &dyn UnitStore,
    id: &UnitId,
    limit: Duration,
) -> Result<Option<OperationState>, StoreError> {
    let waiting = async {
        let mut changes = store.watch();
        loop {
            let stored = store.get(id).await?.ok_or_else(|| StoreError::Missing { id: id.clone() })?;
            let last = stored.unit.status.operation;
            if stored.unit.operation.is_none() && last.as_ref().is_some_and(|state| state.phase.is_over()) {
                return Ok(last);
            }
            if changes.next().await.is_none() {
                return Ok(None);
            }
        }
    };
    timeout(limit, waiting).await.unwrap_or(Ok(None))
}

/// Why a unit was not asked to go back.
#[derive(Debug, thiserror::Error)]
pub enum RollbackError {
    /// It may not.
    #[error(transparent)]
    Refused(#[from] RollbackRefused),
    /// The store did not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Asks for a sync back to a delivery of the unit's history, without hooks.
pub async fn rollback(store: &dyn UnitStore, id: &UnitId, delivery: u64) -> Result<(), RollbackError> {
    let stored = store.get(id).await?.ok_or_else(|| StoreError::Missing { id: id.clone() })?;
    let Unit { policy, status, deleting, .. } = stored.unit;
    let known: Vec<u64> = status.history.iter().map(|one| one.id).collect();
    may_roll_back(delivery, &known, policy.automated.is_some(), deleting)?;
    let found = status.history.into_iter().find(|one| one.id == delivery);
    let operation = Operation {
        revision: found.map(|one| one.revision),
        options: Some(rollback_options(&policy.options)),
        initiator: "rollback".into(),
        ..Operation::default()
    };
    Ok(start_sync(store, id, operation).await?)
}

/// Consents to deletions that need it. It counts for operations that began before `at`.
pub async fn approve_deletions(store: &dyn UnitStore, id: &UnitId, at: Timestamp) -> Result<(), StoreError> {
    loop {
        let mut stored = store.get(id).await?.ok_or_else(|| StoreError::Missing { id: id.clone() })?;
        stored.unit.policy.deletions_approved = Some(at);
        match store.update(stored.unit, &stored.version).await {
            Err(StoreError::Conflict { .. }) => {}
            other => return other.map(|_| ()),
        }
    }
}
