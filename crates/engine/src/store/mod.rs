//! Where units are kept. The engine knows a store only by this trait; who stands behind it may be memory, a cluster,
//! a database.

mod ask;
mod kubernetes;
mod memory;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use crate::overrides::BadOverride;
use crate::unit::{Operation, Status, Unit, UnitId};

pub use ask::{RollbackError, approve_deletions, await_sync, force_sync, rollback, start_sync, terminate};
pub use kubernetes::KubernetesStore;
pub use memory::MemoryStore;

/// Marks a state of a unit, so that a write can say which state it builds on. Opaque to the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Version(pub String);

/// A unit as it is in the store.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The unit.
    pub unit: Unit,
    /// Its state.
    pub version: Version,
}

/// What happened to a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitChange {
    /// It is new or something about it changed: ask for it.
    Changed(UnitId),
    /// It is gone.
    Removed(UnitId),
    /// Changes may have been missed: list again.
    Lagged,
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else changed the unit in the meantime: read it again. A normal outcome.
    #[error("the unit {id} was changed in the meantime")]
    Conflict {
        /// The unit.
        id: UnitId,
    },
    /// There is no such unit.
    #[error("there is no unit {id}")]
    Missing {
        /// The unit.
        id: UnitId,
    },
    /// There is such a unit already.
    #[error("there is a unit {id} already")]
    Exists {
        /// The unit.
        id: UnitId,
    },
    /// A rule or override of the unit cannot be used.
    #[error("the unit {id}: {source}")]
    Invalid {
        /// The unit.
        id: UnitId,
        /// What is wrong with it.
        source: BadOverride,
    },
    /// The store cannot be reached or refuses.
    #[error("{what}: {message}")]
    Broken {
        /// What was asked for.
        what: String,
        /// What the store said.
        message: String,
    },
}

/// Refuses a unit whose rules cannot be used: better now than when it is compared.
fn check(unit: &Unit) -> Result<(), StoreError> {
    unit.policy.check().map_err(|source| StoreError::Invalid { id: unit.id.clone(), source })
}

/// The units of an engine.
///
/// To implement it well:
///
/// - **Every change is a compare-and-swap.** A write names the [`Version`] it builds on and becomes a
///   [`Conflict`](StoreError::Conflict) if that is not the newest. A conflict is a normal outcome: the engine reads again
///   and decides again. Never merge, and never let the last writer win.
/// - **A new version for every write**, and a read after a conflict shows at least the state that caused it: otherwise
///   the engine conflicts with the same old state again and again. A store sees its own writes at once.
/// - **Three writers, three parts.** [`update`](Self::update) changes what people say and counts the generation,
///   [`set_status`](Self::set_status) what the engine says, [`set_operation`](Self::set_operation) what is asked; each
///   leaves the other parts alone.
/// - **A write whose answer was lost** may have happened. Whoever tries again inside the store has to know its own write
///   when it sees it, and must not report it as somebody else's.
/// - **Dropping a future cancels.** The write has happened or not, and never half.
/// - **Nothing is too large.** A unit of 10,000 objects has an inventory of more than a megabyte. A status that cannot be
///   kept is an error: the engine then writes nothing to the cluster.
/// - **What cannot work is refused** when it is written: [`Policy::check`](crate::unit::Policy::check) says what is wrong
///   with a unit's rules, as [`Invalid`](StoreError::Invalid). A store that cannot refuse may take it: the unit then says so.
/// - **One damaged unit** is an error of [`get`](Self::get) and missing from [`list`](Self::list), which goes on.
///
/// [`MemoryStore`] is the shortest complete one.
pub trait UnitStore: Send + Sync {
    /// All units.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Stored>, StoreError>>;
    /// One unit.
    fn get<'a>(&'a self, id: &'a UnitId) -> BoxFuture<'a, Result<Option<Stored>, StoreError>>;
    /// Adds a unit.
    fn create(&self, unit: Unit) -> BoxFuture<'_, Result<Stored, StoreError>>;
    /// Replaces what a person says of a unit (source, destination, policy); status and operation stay.
    fn update<'a>(&'a self, unit: Unit, expect: &'a Version) -> BoxFuture<'a, Result<Stored, StoreError>>;
    /// Takes a unit away.
    fn delete<'a>(&'a self, id: &'a UnitId) -> BoxFuture<'a, Result<(), StoreError>>;
    /// Writes what the engine says of a unit.
    fn set_status<'a>(
        &'a self,
        id: &'a UnitId,
        expect: &'a Version,
        status: Status,
    ) -> BoxFuture<'a, Result<Version, StoreError>>;
    /// Asks for an operation, or takes the request away.
    fn set_operation<'a>(
        &'a self,
        id: &'a UnitId,
        expect: &'a Version,
        operation: Option<Operation>,
    ) -> BoxFuture<'a, Result<Version, StoreError>>;
    /// What happens to units from now on, its own writes included. Each change is told at least once, or
    /// [`Lagged`](UnitChange::Lagged) is; a slow reader never holds up a writer. The stream mends itself and ends only
    /// with the store: an engine whose stream has ended hears of no change any more.
    fn watch(&self) -> BoxStream<'static, UnitChange>;
}
