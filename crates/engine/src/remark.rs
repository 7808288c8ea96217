//! What a unit's status says of objects that are left alone, and why.

use towpath_cluster::cache::{Managed, Row};
use towpath_plan::sync::policy::AutoSync;
use towpath_plan::sync::{Consent, ObjectOptions};

use crate::decide::automatic_options;
use crate::engine::Engine;
use crate::reconcile::Looked;
use crate::unit::{SyncState, Unit};

/// How many objects a status names.
const NAMED: usize = 10;

impl Engine {
    /// Why a unit that is out of sync stays so, if it does: objects that are kept, and syncs that are not begun.
    pub(crate) fn remark(&self, unit: &Unit, looked: &Looked) -> Option<String> {
        if looked.comparison.state() != SyncState::OutOfSync {
            return None;
        }
        let mut remarks: Vec<String> =
            looked.comparison.extra.iter().filter_map(|row| left_alone(unit, row)).collect();
        if let Some(more @ 1..) = remarks.len().checked_sub(NAMED) {
            remarks.truncate(NAMED);
            remarks.push(format!("and {more} more"));
        }
        if let AutoSync::Skip(skip) = self.automatic(unit, looked)
            && skip.is_trouble()
        {
            remarks.push(format!("not synced: {skip}"));
        }
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }
}

/// Why an object that is no longer wanted does not go by itself.
fn left_alone(unit: &Unit, row: &Row) -> Option<String> {
    let object = row.managed.as_ref().map(Managed::object)?;
    match automatic_options(unit).prunes(&ObjectOptions::read(&object, unit.policy.rules)) {
        Ok(Consent::Confirm) => Some(format!("{}: kept until somebody consents to its deletion", row.key)),
        Ok(_) => None,
        Err(why) => Some(format!("{}: {why}", row.key)),
    }
}
