//! What is wanted against what is there: from memory, without asking anybody.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use towpath_cluster::cache::{Cache, Managed, Row};
use towpath_health::{Judge, Verdict};
use towpath_merge::explain::is_person;
use towpath_object::Key;
use towpath_plan::sync::{CompareOptions, Role, Rules, role};
use towpath_plan::{Applied, Target, holds};

use crate::resolved::{Goal, Resolved};
use crate::unit::{SyncState, Unit, UnitHealth};

/// How one wanted object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As wanted: the record of its last apply proves it, or the server says so.
    Same,
    /// Not there.
    Missing,
    /// There, and nothing proves that it is as wanted.
    Doubtful,
    /// The server says that an apply would change it.
    Differs,
    /// The server does not say, and why not.
    Unknown(String),
}

/// A unit against its cluster.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// Every wanted object.
    pub(crate) standing: BTreeMap<Key, Standing>,
    /// What is the unit's and not wanted.
    pub(crate) extra: Vec<Row>,
    /// What is the unit's and not wanted to stay: the former, and hooks.
    pub(crate) other: Vec<Row>,
    /// Some of its kinds are not served.
    pub(crate) unserved: bool,
    /// Asking again soon may tell more.
    pub(crate) again: bool,
    /// How its objects are, all together.
    pub(crate) health: UnitHealth,
    /// Why, in a few words.
    pub(crate) message: String,
}

impl Comparison {
    /// Unknown only if nothing else is the matter: what is known to be out of sync is.
    pub(crate) fn state(&self) -> SyncState {
        let is_settled = |standing: &Standing| matches!(standing, Standing::Same | Standing::Unknown(_));
        let is_whole = self.standing.values().all(is_settled) && self.extra.is_empty() && !self.unserved;
        match (is_whole, self.unknown().next()) {
            (false, _) => SyncState::OutOfSync,
            (true, Some(_)) => SyncState::Unknown,
            (true, None) => SyncState::Synced,
        }
    }

    fn unknown(&self) -> impl Iterator<Item = (&Key, &String)> {
        self.standing.iter().filter_map(|(key, standing)| match standing {
            Standing::Unknown(why) => Some((key, why)),
            _ => None,
        })
    }

    /// Says which objects could not be judged, before anything else.
    pub(crate) fn tell_unknown(&mut self) {
        let Some((key, why)) = self.unknown().next() else { return };
        let (unknown, all) = (self.unknown().count(), self.standing.len());
        let told = format!("{unknown} of {all} objects cannot be judged: {key}: {why}");
        let rest = std::mem::take(&mut self.message);
        self.message = if rest.is_empty() { told } else { format!("{told}; {rest}") };
    }
}

/// Compares from the cache.
pub(crate) fn compare(
    unit: &Unit,
    judge: &Judge,
    now: Timestamp,
    resolved: &Resolved,
    records: &BTreeMap<Key, Applied>,
    cache: &Cache,
) -> Comparison {
    let mut standing = BTreeMap::new();
    let (mut health, mut shared) = (Summary::default(), None);
    // Hooks are wanted too, though not to stay.
    let wanted: BTreeSet<&Key> = resolved.keys.iter().collect();
    for goal in &resolved.targets {
        let key = goal.key.clone();
        let row = cache.get(&key);
        let state = match &row {
            None => Standing::Missing,
            Some(row) if row.leaving => Standing::Doubtful,
            Some(row) => {
                let owned = row.managed.as_ref().and_then(|managed| managed.owned.as_deref());
                let proven = records.get(&key).is_some_and(|applied| holds(applied, &goal.digest, owned));
                if proven && !is_asked_anyway(unit, goal, row) { Standing::Same } else { Standing::Doubtful }
            }
        };
        health.add(&key, row.as_ref(), judge, now);
        let owner = row.as_ref().and_then(|row| row.unit.as_deref()).filter(|owner| *owner != unit.id.0);
        shared = shared.or_else(|| owner.map(|owner| format!("{key} belongs to the unit {owner} as well")));
        standing.insert(key, state);
    }
    // A label may have been copied: only what is in the inventory was ever applied.
    let mut other = cache.unit(&unit.id.0);
    other.retain(|row| !standing.contains_key(&row.key) && records.contains_key(&row.key));
    let extra = other.iter().filter(|row| !wanted.contains(&row.key));
    let extra = extra.filter(|row| !is_ignored(row, unit.policy.rules)).cloned().collect();
    let (health, cause) = health.end();
    let unserved = resolved.unknown.first().map(|kind| format!("the cluster has no kind {kind}"));
    let (is_unserved, message) = (unserved.is_some(), shared.or(unserved).unwrap_or(cause));
    Comparison { standing, extra, other, unserved: is_unserved, again: false, health, message }
}

/// Whether a record is not enough: exact answers are wanted, or what people set by hand.
fn is_asked_anyway(unit: &Unit, goal: &Goal, row: &Row) -> bool {
    let compare = unit.policy.compare;
    let by_hand = || row.managed.iter().flat_map(|managed| &managed.managers).any(|name| is_person(name));
    goal.exact || compare.include_webhooks || compare.strict && by_hand()
}

/// Whether the server's word counts more than any record, for the unit or for the object alone.
pub(crate) fn is_exact(unit: &Unit, target: &Target) -> bool {
    let own = || CompareOptions::read(&target.object, unit.policy.rules).server_side;
    unit.policy.compare.exact || own() == Some(true)
}

/// Being there without being wanted does not count for hooks, and for objects that say so.
fn is_ignored(row: &Row, rules: Rules) -> bool {
    let Some(object) = row.managed.as_ref().map(Managed::object) else { return true };
    CompareOptions::read(&object, rules).ignore_extraneous || role(&object, rules) != Role::Plain
}

/// The health of all objects of a unit: the worst of them, with the first cause.
#[derive(Default)]
struct Summary {
    worst: Option<(UnitHealth, u8, String)>,
    there: usize,
    total: usize,
}

impl Summary {
    fn add(&mut self, key: &Key, row: Option<&Row>, judge: &Judge, now: Timestamp) {
        self.total += 1;
        let Some(managed) = row.and_then(|row| row.managed.as_ref()) else { return };
        self.there += 1;
        let object = managed.object();
        if CompareOptions::read(&object, Rules::Argo).ignore_health {
            return;
        }
        let assessment = judge.assess(&object, now);
        let (health, rank) = match assessment.verdict {
            Verdict::None => return,
            Verdict::Ready => (UnitHealth::Healthy, 0),
            Verdict::Suspended => (UnitHealth::Suspended, 1),
            Verdict::Progressing => (UnitHealth::Progressing, 2),
            // Of other apps only what they know of themselves counts.
            Verdict::Missing | Verdict::Unknown if is_app(key) => return,
            Verdict::Missing => (UnitHealth::Missing, 3),
            Verdict::Failed => (UnitHealth::Degraded, 4),
            Verdict::Unknown => (UnitHealth::Unknown, 5),
        };
        if self.worst.as_ref().is_none_or(|(_, worst, _)| rank > *worst) {
            let cause = if rank == 0 { String::new() } else { format!("{key}: {}", assessment.message) };
            self.worst = Some((health, rank, cause));
        }
    }

    fn end(self) -> (UnitHealth, String) {
        if self.there == 0 && self.total > 0 {
            return (UnitHealth::Missing, "nothing of it is there".into());
        }
        self.worst.map_or((UnitHealth::Healthy, String::new()), |(health, _, cause)| (health, cause))
    }
}

fn is_app(key: &Key) -> bool {
    key.group == "argoproj.io" && key.kind == "Application"
}
