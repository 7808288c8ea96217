//! Which operations are remembered as deliveries, how many of them, and when one may be gone back to.

use super::super::{End, Outcome, Selection, SyncOptions};

/// How many deliveries are remembered unless somebody says otherwise.
pub const HISTORY_LIMIT: usize = 10;

/// True when an operation delivered the whole unit: successful, not a dry run, not of selected objects.
pub fn is_delivery(outcome: &Outcome, options: &SyncOptions, selection: &Selection) -> bool {
    outcome.end == End::Succeeded && !options.dry_run && *selection == Selection::All
}

/// Remembers a delivery; the oldest are forgotten.
pub fn remember<T>(history: &mut Vec<T>, delivery: T, limit: usize) {
    history.push(delivery);
    let excess = history.len().saturating_sub(limit);
    history.drain(..excess);
}

/// Why a unit cannot go back to an earlier delivery.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RollbackRefused {
    /// It would be synced forward again at once.
    #[error("the unit is synced automatically, which would undo the rollback; turn that off first")]
    Automated,
    /// It is going.
    #[error("the unit is being deleted")]
    Deleting,
    /// There is no such delivery.
    #[error("there is no delivery {id} in the history; it has {known:?}")]
    Unknown {
        /// The one that was asked for.
        id: u64,
        /// Those there are.
        known: Vec<u64>,
    },
}

/// Whether a unit may go back to the delivery `id`.
pub fn may_roll_back(id: u64, known: &[u64], automated: bool, deleting: bool) -> Result<(), RollbackRefused> {
    if deleting {
        return Err(RollbackRefused::Deleting);
    }
    if automated {
        return Err(RollbackRefused::Automated);
    }
    if known.contains(&id) { Ok(()) } else { Err(RollbackRefused::Unknown { id, known: known.to_vec() }) }
}

/// The options of a rollback: those of the unit, without hooks. A migration that was made for the newer revision must
/// not run on the way back.
pub fn rollback_options(options: &SyncOptions) -> SyncOptions {
    SyncOptions { skip_hooks: true, ..options.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_deliveries_are_remembered_and_only_so_many() {
        let succeeded = Outcome { end: End::Succeeded, message: String::new() };
        let failed = Outcome { end: End::Failed, message: String::new() };
        let options = SyncOptions::default();
        let dry = SyncOptions { dry_run: true, ..SyncOptions::default() };
        assert!(is_delivery(&succeeded, &options, &Selection::All));
        assert!(!is_delivery(&failed, &options, &Selection::All));
        assert!(!is_delivery(&succeeded, &dry, &Selection::All));
        assert!(!is_delivery(&succeeded, &options, &Selection::Only(vec![])));
        let mut history: Vec<u64> = (0..10).collect();
        remember(&mut history, 10, HISTORY_LIMIT);
        assert_eq!((history.len(), history[0], history[9]), (10, 1, 10));
        remember(&mut history, 11, 0);
        assert!(history.is_empty());
    }

    #[test]
    fn a_rollback_would_be_undone_by_automation() {
        assert_eq!(may_roll_back(3, &[2, 3], false, false), Ok(()));
        assert_eq!(may_roll_back(3, &[2, 3], true, false), Err(RollbackRefused::Automated));
        assert_eq!(may_roll_back(3, &[2, 3], true, true), Err(RollbackRefused::Deleting));
        assert_eq!(
            may_roll_back(9, &[2, 3], false, false).unwrap_err().to_string(),
            "there is no delivery 9 in the history; it has [2, 3]"
        );
        assert!(rollback_options(&SyncOptions::default()).skip_hooks);
    }
}
