//! The waves of deletions: the order of creation, backwards.

use std::collections::BTreeSet;

use super::{Phase, SyncOptions, Task};

/// Gives deletions their waves. The waves that deletions have among them are mirrored: what was in the first goes in
/// the last and the other way round, so that what was created last goes first, while no deletion leaves the waves
/// of the sync. Then those that are to be last are put after everything.
pub fn settle(tasks: &mut [Task], options: &SyncOptions) {
    let waves: BTreeSet<i64> = tasks.iter().filter(|task| task.is_prune()).map(|task| task.wave).collect();
    let mirrored = |wave: i64| {
        let place = waves.range(..wave).count();
        waves.iter().rev().nth(place).copied().unwrap_or(wave)
    };
    for task in tasks.iter_mut().filter(|task| task.is_prune()) {
        task.wave = mirrored(task.wave);
    }
    let highest =
        tasks.iter().filter(|task| task.id.phase == Phase::Sync).map(|task| task.wave).fold(0, i64::max);
    for task in tasks.iter_mut().filter(|task| task.is_prune()) {
        if options.prune_last || task.found.prune_last {
            task.wave = highest.saturating_add(1);
        }
    }
}
