//! Whether a unit is synced without anybody asking: one table of reasons against it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use towpath_object::Key;

use super::super::{End, Selection, Selector};
use super::heal::heal_remaining;

/// What a unit lets the engine do by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Automation {
    /// Delete what is no longer wanted.
    pub prune: bool,
    /// Put right what others changed.
    pub self_heal: bool,
    /// Accept a revision without any object.
    pub allow_empty: bool,
}

/// The last operation on a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt<'a> {
    /// The revisions it synced, one for each source.
    pub revisions: &'a [String],
    /// A digest of the source as it was configured.
    pub source: &'a str,
    /// How it ended.
    pub end: End,
    /// Why, for people.
    pub message: &'a str,
    /// When it ended.
    pub finished: Option<Timestamp>,
    /// How many repairs in a row it was part of.
    pub repairs: u32,
}

/// One object of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectState {
    /// The object.
    pub key: Key,
    /// It is as wanted.
    pub synced: bool,
    /// It is no longer wanted.
    pub to_prune: bool,
}

/// Everything the decision depends on.
pub struct Circumstances<'a> {
    /// What the engine may do; nothing when the unit is not automated.
    pub automation: Option<Automation>,
    /// A sync window, if there are any, is open.
    pub window_open: bool,
    /// An operation is under way or asked for.
    pub busy: bool,
    /// The unit is being deleted.
    pub deleting: bool,
    /// The comparison says that the unit is out of sync, and could tell.
    pub out_of_sync: bool,
    /// The objects that were compared.
    pub objects: &'a [ObjectState],
    /// The revisions that are wanted.
    pub revisions: &'a [String],
    /// The new revision touches the unit's own paths; otherwise it does not count as new.
    pub touched: bool,
    /// A digest of the source as it is configured.
    pub source: &'a str,
    /// The last operation.
    pub last: Option<Attempt<'a>>,
    /// The time.
    pub now: Timestamp,
}

/// What is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutoSync {
    /// Sync everything, to the wanted revisions.
    Sync,
    /// Repair these; so many repairs it will have been.
    Heal {
        /// What is repaired.
        selection: Selection,
        /// How many repairs in a row it will have been.
        repairs: u32,
    },
    /// Decide again then: the last repair was not long ago.
    Later(SignedDuration),
    /// Do nothing.
    Skip(Skip),
}

/// Why nothing is done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Skip {
    /// Nobody allowed it.
    #[error("the unit is not synced automatically")]
    NotAutomated,
    /// The window is closed.
    #[error("no sync window is open")]
    WindowClosed,
    /// One operation at a time.
    #[error("another operation is in progress")]
    Busy,
    /// It is going.
    #[error("the unit is being deleted")]
    Deleting,
    /// There is nothing to do, or it cannot be told.
    #[error("the unit is not out of sync")]
    NotOutOfSync,
    /// What is left to do is not allowed.
    #[error("only objects are left that need pruning, and automatic pruning is off")]
    OnlyPruning,
    /// It would fail again.
    #[error("the last sync to {revisions} failed and is not repeated before something changes: {message}")]
    AlreadyFailed {
        /// The revisions.
        revisions: String,
        /// Why it failed.
        message: String,
    },
    /// Drift is left alone.
    #[error("the last sync was to this revision already, and self-healing is off")]
    AlreadySynced,
    /// Everything would go.
    #[error("pruning would delete every object of the unit; allow empty units if that is meant")]
    WouldEmpty,
}

impl Skip {
    /// True when people have to be told, because nothing will happen until they do something.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::AlreadyFailed { .. } | Self::WouldEmpty)
    }
}

/// Decides whether a unit is synced now.
pub fn auto_sync(unit: &Circumstances<'_>) -> AutoSync {
    let automation = match hindrance(unit) {
        Ok(automation) => automation,
        Err(skip) => return AutoSync::Skip(skip),
    };
    let mut decision = AutoSync::Sync;
    if let Some(last) = unit.last.as_ref().filter(|last| is_same(unit, last)) {
        if last.end != End::Succeeded {
            let (revisions, message) = (last.revisions.join(", "), last.message.into());
            return AutoSync::Skip(Skip::AlreadyFailed { revisions, message });
        }
        if !automation.self_heal {
            return AutoSync::Skip(Skip::AlreadySynced);
        }
        let remaining = heal_remaining(last.repairs, last.finished, unit.now);
        if remaining > SignedDuration::ZERO {
            return AutoSync::Later(remaining);
        }
        let selection = drifted(unit.objects);
        decision = AutoSync::Heal { selection, repairs: last.repairs.saturating_add(1) };
    }
    let all_go = !unit.objects.is_empty() && unit.objects.iter().all(|object| object.to_prune);
    if automation.prune && !automation.allow_empty && all_go {
        return AutoSync::Skip(Skip::WouldEmpty);
    }
    decision
}

fn hindrance(unit: &Circumstances<'_>) -> Result<Automation, Skip> {
    let automation = unit.automation.ok_or(Skip::NotAutomated)?;
    if !unit.window_open {
        return Err(Skip::WindowClosed);
    }
    if unit.busy {
        return Err(Skip::Busy);
    }
    if unit.deleting {
        return Err(Skip::Deleting);
    }
    if !unit.out_of_sync {
        return Err(Skip::NotOutOfSync);
    }
    if !automation.prune && unit.objects.iter().all(|object| object.synced || object.to_prune) {
        return Err(Skip::OnlyPruning);
    }
    Ok(automation)
}

/// Whether the last operation tried the very same thing. One that gave way to another revision did not try.
fn is_same(unit: &Circumstances<'_>, last: &Attempt<'_>) -> bool {
    last.end != End::Superseded
        && last.source == unit.source
        && (!unit.touched || last.revisions == unit.revisions)
}

fn drifted(objects: &[ObjectState]) -> Selection {
    let drifted = objects.iter().filter(|object| !object.synced);
    Selection::Only(drifted.map(|object| Selector::of(&object.key)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    static NEW: LazyLock<Vec<String>> = LazyLock::new(|| vec!["b".into()]);
    static OBJECTS: LazyLock<Vec<ObjectState>> = LazyLock::new(|| {
        vec![state("same", true, false), state("drifted", false, false), state("old", false, true)]
    });

    fn state(name: &str, synced: bool, to_prune: bool) -> ObjectState {
        ObjectState { key: Key::new("", "ConfigMap", "web", name), synced, to_prune }
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn unit() -> Circumstances<'static> {
        Circumstances {
            automation: Some(Automation { prune: true, self_heal: true, allow_empty: false }),
            window_open: true,
            busy: false,
            deleting: false,
            out_of_sync: true,
            objects: &OBJECTS,
            revisions: &NEW,
            touched: true,
            source: "s",
            last: None,
            now: second(1_000),
        }
    }

    fn last(end: End, repairs: u32) -> Attempt<'static> {
        let finished = Some(second(990));
        Attempt { revisions: &NEW, source: "s", end, message: "boom", finished, repairs }
    }

    fn skip(edit: impl Fn(&mut Circumstances<'static>)) -> Skip {
        let mut unit = unit();
        edit(&mut unit);
        match auto_sync(&unit) {
            AutoSync::Skip(skip) => skip,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reasons_against_it() {
        assert_eq!(auto_sync(&unit()), AutoSync::Sync);
        assert_eq!(skip(|unit| unit.automation = None), Skip::NotAutomated);
        assert_eq!(skip(|unit| unit.window_open = false), Skip::WindowClosed);
        assert_eq!(skip(|unit| unit.busy = true), Skip::Busy);
        assert_eq!(skip(|unit| unit.deleting = true), Skip::Deleting);
        assert_eq!(skip(|unit| unit.out_of_sync = false), Skip::NotOutOfSync);
        let only_pruning = [state("same", true, false), state("old", false, true)];
        let mut no_prune = unit();
        no_prune.automation = Some(Automation::default());
        assert_eq!(auto_sync(&no_prune), AutoSync::Sync);
        no_prune.objects = &only_pruning;
        assert_eq!(auto_sync(&no_prune), AutoSync::Skip(Skip::OnlyPruning));
    }

    #[test]
    fn what_failed_is_not_repeated_before_something_changes() {
        let failed = skip(|unit| unit.last = Some(last(End::Failed, 0)));
        assert!(failed.is_trouble());
        assert_eq!(
            failed.to_string(),
            "the last sync to b failed and is not repeated before something changes: boom"
        );
        let other = ["a".to_string()];
        let mut unit = unit();
        unit.last = Some(last(End::Failed, 0));
        unit.source = "changed";
        assert_eq!(auto_sync(&unit), AutoSync::Sync);
        unit.source = "s";
        unit.last = Some(last(End::Superseded, 0));
        assert_eq!(auto_sync(&unit), AutoSync::Sync, "it gave way, it did not fail");
        unit.last = Some(last(End::Failed, 0));
        unit.revisions = &other;
        assert_eq!(auto_sync(&unit), AutoSync::Sync);
        unit.touched = false;
        assert!(matches!(auto_sync(&unit), AutoSync::Skip(Skip::AlreadyFailed { .. })));
    }

    #[test]
    fn drift_is_repaired_alone_and_ever_later() {
        let mut unit = unit();
        unit.last = Some(last(End::Succeeded, 2));
        let AutoSync::Heal { selection: Selection::Only(only), repairs } = auto_sync(&unit) else {
            panic!("a repair")
        };
        let names: Vec<_> = only.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names, repairs), (vec!["drifted", "old"], 3));
        unit.last = Some(last(End::Succeeded, 3));
        assert_eq!(auto_sync(&unit), AutoSync::Later(SignedDuration::from_secs(8)));
        unit.automation = Some(Automation { prune: true, ..Automation::default() });
        assert_eq!(auto_sync(&unit), AutoSync::Skip(Skip::AlreadySynced));
    }

    #[test]
    fn nothing_is_wiped_out_by_itself() {
        let all_go = [state("a", false, true), state("b", false, true)];
        let mut unit = unit();
        unit.objects = &all_go;
        assert_eq!(auto_sync(&unit), AutoSync::Skip(Skip::WouldEmpty));
        unit.automation = Some(Automation { prune: true, self_heal: false, allow_empty: true });
        assert_eq!(auto_sync(&unit), AutoSync::Sync);
    }
}
