//! Changes put in order: which hooks run, and everything in its phase and wave.

use std::collections::BTreeMap;

use jiff::Timestamp;
use towpath_object::{Key, Kinds, Object};
use towpath_plan::sync::{
    Caller, Progress, Request, Schedule, Selection, SyncOptions, Task, TaskId, Wanted, deletion, schedule,
};
use towpath_plan::{App, Applied, Change, Op, Plan};

use crate::inventory::Saved;
use crate::operate::as_target;
use crate::parts::Parts;
use crate::prepare::is_namespace;
use crate::record::{Operation, Record};
use crate::sync::no_unreadable;
use crate::{Error, Options, Pick};

/// What a plan is arranged by.
pub(crate) struct Arranging<'a> {
    pub(crate) app: &'a App,
    pub(crate) kinds: &'a Kinds,
    pub(crate) options: &'a Options,
    pub(crate) saved: &'a Saved,
    pub(crate) now: Timestamp,
}

/// A plan in its order.
pub(crate) struct Arranged {
    pub(crate) plan: Plan,
    pub(crate) schedule: Schedule,
    pub(crate) progress: Progress,
    pub(crate) record: Record,
    pub(crate) delivers: String,
    pub(crate) warnings: Vec<String>,
}

/// What the app has is in its inventory, hooks included.
struct Owner;

impl Caller for Owner {
    fn prunes_hooks(&self) -> bool {
        true
    }
}

/// Arranges a deployment. Hooks run when there is anything to do, and when these manifests have not been delivered with
/// all their hooks yet; a run that was interrupted is gone on with.
pub(crate) fn arrange(
    arranging: &Arranging<'_>,
    parts: &Parts,
    mut changes: Vec<Change>,
    earlier: Vec<Change>,
    hooks_live: Vec<Object>,
) -> Result<Arranged, Error> {
    let Arranging { saved, now, .. } = *arranging;
    let interrupted = saved.record.interrupted(&parts.revision);
    let alone = matches!(arranging.options.pick, Pick::Hooks(_));
    let effective = changes.iter().any(Change::is_effective);
    let undelivered = interrupted.is_some() || saved.record.delivered != parts.revision;
    let due = !parts.hooks.is_empty() && (alone || undelivered || effective);
    let operation = due.then(|| {
        let begin =
            || Operation { revision: parts.revision.clone(), started: now, progress: Progress::checked() };
        interrupted.cloned().unwrap_or_else(begin)
    });
    if due {
        changes.extend(earlier);
    }
    // Where there is nothing to do nothing has to be put in order.
    let (mut wanted, mut live): (Vec<Wanted>, Vec<Object>) = (Vec::new(), Vec::new());
    if due || effective {
        let hooks = parts.hooks.iter().filter(|_| due);
        let targets = changes.iter().filter_map(|change| change.target.as_ref()).chain(hooks);
        wanted.extend(targets.cloned().map(Wanted::from));
        live.extend(live_of(&changes));
        live.extend(hooks_live);
    }
    let started = operation.as_ref().map_or(now, |operation| operation.started);
    let request = request(arranging, wanted, live, &parts.revision, started);
    let schedule = schedule(request).map_err(Error::Unplannable)?;
    let progress = operation.as_ref().map_or_else(Progress::checked, |operation| operation.progress.clone());
    let record = record(arranging, parts, operation);
    let delivers = if alone { saved.record.delivered.clone() } else { parts.revision.clone() };
    let plan = in_order(changes, &schedule, saved);
    let warnings = schedule.warnings.iter().map(ToString::to_string).collect();
    Ok(Arranged { plan, schedule, progress, record, delivers, warnings })
}

/// Arranges the removal of an app. Its own namespace is no part of the schedule: it holds the inventory.
pub(crate) fn arrange_removal(arranging: &Arranging<'_>, changes: Vec<Change>) -> Result<Arranged, Error> {
    let Arranging { app, saved, now, .. } = *arranging;
    let mut live = live_of(&changes);
    live.retain(|object| !is_namespace(&object.key(), &app.namespace));
    let schedule = deletion(request(arranging, Vec::new(), live, "", now)).map_err(Error::Unplannable)?;
    let plan = in_order(changes, &schedule, saved);
    Ok(Arranged {
        plan,
        schedule,
        progress: Progress::checked(),
        record: saved.record.clone(),
        delivers: String::new(),
        warnings: Vec::new(),
    })
}

/// What is live of what the plan is about. What is kept is not.
fn live_of(changes: &[Change]) -> Vec<Object> {
    changes.iter().filter(|change| change.op != Op::Keep).filter_map(|change| change.live.clone()).collect()
}

fn request<'a>(
    arranging: &Arranging<'a>,
    wanted: Vec<Wanted>,
    live: Vec<Object>,
    revision: &str,
    started: Timestamp,
) -> Request<'a> {
    Request {
        rules: arranging.options.rules,
        // What is deleted, and with whose consent, has been decided.
        options: SyncOptions { prune: true, force: arranging.options.recreate, ..SyncOptions::default() },
        namespace: arranging.app.namespace.clone(),
        namespace_metadata: None,
        wanted,
        live,
        selection: Selection::All,
        revision: revision.into(),
        started,
        kinds: arranging.kinds,
        unreadable: no_unreadable(),
        caller: &Owner,
    }
}

/// What is written down while it runs.
fn record(arranging: &Arranging<'_>, parts: &Parts, operation: Option<Operation>) -> Record {
    let Arranging { options, saved, .. } = *arranging;
    let before = saved.record.clone();
    match (&options.pick, operation) {
        (Pick::All, None) if parts.hooks.is_empty() => Record::default(),
        (Pick::All, operation @ Some(_)) => Record { delivered: String::new(), operation },
        (_, operation @ Some(_)) => Record { operation, ..before },
        (_, None) => before,
    }
}

/// The plan with everything in its phase and wave, and the hooks that run. Where phases and waves say more than the order of
/// kinds, in their order.
fn in_order(mut changes: Vec<Change>, schedule: &Schedule, saved: &Saved) -> Plan {
    let objects = schedule.tasks.iter().filter(|task| task.target.is_none() || !task.is_hook());
    let places: BTreeMap<&Key, &Task> = objects.map(|task| (&task.id.key, task)).collect();
    for change in &mut changes {
        if let Some(task) = places.get(&change.key) {
            (change.phase, change.wave) = (task.id.phase, task.wave);
        }
    }
    let hooks = schedule.tasks.iter().filter(|task| task.is_hook() && task.target.is_some());
    changes.extend(hooks.filter_map(|task| hook_change(task, saved)));
    let mut plan = Plan { changes };
    if plan.has_waves() {
        let order: BTreeMap<&TaskId, usize> =
            schedule.tasks.iter().enumerate().map(|(index, task)| (&task.id, index)).collect();
        plan.changes.sort_by_key(|change| order.get(&change.task()).copied().unwrap_or(usize::MAX));
    }
    plan
}

fn hook_change(task: &Task, saved: &Saved) -> Option<Change> {
    let target = as_target(task)?;
    let key = task.id.key.clone();
    let applied = saved.inventory.entries.get(&key).map_or(Applied::NotYet, |entry| entry.applied.clone());
    Some(Change {
        key,
        resource: target.resource.clone(),
        op: Op::Run,
        phase: task.id.phase,
        wave: task.wave,
        stage: target.stage,
        hook: true,
        live: task.live.clone(),
        after: None,
        target: Some(target),
        applied,
        note: None,
    })
}
