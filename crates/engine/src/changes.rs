//! What happens to each object: the wanted ones judged, by what is at hand or by the server, and those that are no
//! longer wanted.

use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};
use towpath_cluster::Cluster;
use towpath_object::{Gvk, Key, Kinds, Object, Resource};
use towpath_plan::sync::{How, ObjectOptions, Phase, Role, role, wave};
use towpath_plan::{
    App, Applied, Change, Entry, Fate, Judgement, Op, Removal, Target, absorb, differs, fate, judge, rank,
    record,
};

use crate::inventory::Saved;
use crate::live::Live;
use crate::options::{MANAGER, dry_run};
use crate::parts::Parts;
use crate::prepare::is_namespace;
use crate::{Error, ObjectFailure, Options, Pick};

/// What becomes of objects that the app has and that are no longer wanted.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// In the order of deletion.
    pub(crate) changes: Vec<Change>,
    /// Earlier runs of hooks that go when the hooks run again.
    pub(crate) earlier: Vec<Change>,
    /// What is not ours any more, or not there.
    pub(crate) forgotten: BTreeSet<Key>,
}

/// The version in which it was applied, or the preferred one if that is no longer served.
pub(crate) fn served(kinds: &Kinds, key: &Key, entry: &Entry) -> Option<Resource> {
    let gvk = Gvk { group: key.group.clone(), version: entry.version.clone(), kind: key.kind.clone() };
    kinds.get(&gvk).or_else(|| kinds.versions(&gvk.group, &gvk.kind).first()).cloned()
}

/// Decides what becomes of objects that we have and that are no longer wanted: all of them, when the app goes.
pub(crate) fn removed(
    app: &App,
    kinds: &Kinds,
    parts: Option<&Parts>,
    saved: &Saved,
    live: &Live,
    options: &Options,
) -> Removed {
    let mut removed = Removed::default();
    let wanted = |key: &Key| parts.is_some_and(|parts| parts.wanted.contains(key));
    for (key, entry) in saved.inventory.entries.iter().filter(|(key, _)| !wanted(key)) {
        let Some(resource) = served(kinds, key, entry) else {
            removed.forgotten.insert(key.clone());
            continue;
        };
        let object = live.get(key);
        let everything = options.removal == Removal::Everything;
        if !everything && is_left_out(object, options) {
            continue;
        }
        let hook = object.is_some_and(|object| matches!(role(object, options.rules), Role::Hook(_)));
        let earlier = parts.filter(|_| hook).and_then(|parts| parts.earlier_run(key, options));
        let removal = if earlier.is_some() { Removal::Prune } else { options.removal };
        let (op, note) = match fate(app, object, &entry.applied, removal, options.approval) {
            Fate::Delete => (Op::Delete, None),
            Fate::Keep(why) => (Op::Keep, Some(why)),
            Fate::Forget => {
                removed.forgotten.insert(key.clone());
                continue;
            }
        };
        let change = Change {
            key: key.clone(),
            resource,
            op,
            phase: if everything { Phase::Delete } else { Phase::Sync },
            wave: 0,
            stage: rank(&key.group, &key.kind).0,
            hook,
            live: object.cloned(),
            after: None,
            target: None,
            applied: entry.applied.clone(),
            note,
        };
        match earlier {
            Some(true) => removed.earlier.push(change),
            // It stays beside the next one.
            Some(false) => {}
            None => removed.changes.push(change),
        }
    }
    // The reverse of the order of application; the namespace that holds the inventory goes last of all.
    removed.changes.sort_by_cached_key(|change| {
        let last = is_namespace(&change.key, &app.namespace);
        (last, std::cmp::Reverse(rank(&change.key.group, &change.key.kind)), change.key.clone())
    });
    removed
}

/// True when the run is about a part of the app that the object is not in. What is not there cannot be told.
fn is_left_out(object: Option<&Object>, options: &Options) -> bool {
    match &options.pick {
        Pick::All | Pick::NoHooks => false,
        Pick::Part { .. } | Pick::Hooks(_) => !object.is_some_and(|object| options.picks(object)),
    }
}

/// Judges all that is applied.
pub(crate) async fn judge_all(
    cluster: &Cluster,
    targets: Vec<Target>,
    mut live: Live,
    saved: &Saved,
    options: &Options,
) -> Result<Vec<Change>, Error> {
    let asked = targets.into_iter().map(|target| {
        let key = target.key();
        let object = live.remove(&key);
        let applied = saved.inventory.entries.get(&key).map(|entry| entry.applied.clone());
        judge_one(cluster, target, key, object, applied, options)
    });
    // In order, so that the plan reads in the order of application.
    let asked: Vec<_> = asked.collect();
    let answers: Vec<Result<Change, ObjectFailure>> =
        stream::iter(asked).buffered(options.concurrency).collect().await;
    let mut changes = Vec::with_capacity(answers.len());
    let mut failures = Vec::new();
    for answer in answers {
        match answer {
            Ok(change) => changes.push(change),
            Err(failure) if failure.error.status().is_none() => return Err(failure.error.into()),
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() { Ok(changes) } else { Err(Error::Refused(failures)) }
}

async fn judge_one(
    cluster: &Cluster,
    target: Target,
    key: Key,
    object: Option<Object>,
    mut applied: Option<Applied>,
    options: &Options,
) -> Result<Change, ObjectFailure> {
    let mut note = None;
    let (op, after) = match (judge(&target, object.as_ref(), applied.as_ref(), MANAGER), &object) {
        (Judgement::Same, _) => (Op::Same, None),
        (Judgement::Ask, Some(now)) if !now.is_terminating() => {
            let read = |object: &Object| ObjectOptions::read(object, options.rules);
            let (wanted, found) = (read(&target.object), read(now));
            let replaces = wanted.replace || found.replace;
            let absorbed = absorb(now.value(), MANAGER, &target.resource.gvk.api_version());
            let absorbed = absorbed.filter(|_| !replaces);
            match cluster.apply(&target.resource, &target.object, &dry_run()).await {
                Ok(answer) if absorbed.is_some() => {
                    (Op::Update, absorbed.map(|absorption| absorption.predict(answer.object, MANAGER)))
                }
                Ok(answer) if differs(now.value(), &answer.object) => (Op::Update, Some(answer.object)),
                Ok(answer) => {
                    // Only if an apply would not even change who owns what may the next run rely on it.
                    let proven = record(&target, &answer.object, MANAGER).written(&key);
                    if proven == record(&target, now.value(), MANAGER).written(&key) {
                        applied = Some(proven);
                    }
                    (Op::Same, None)
                }
                Err(error)
                    if How::may_recreate(&key, options.recreate || wanted.force || found.force)
                        && error.is_immutable() =>
                {
                    note = Some("deleted and created again: it cannot be changed in place");
                    (Op::Update, None)
                }
                Err(error) => {
                    return Err(ObjectFailure { key, origin: Some(target.origin.clone()), error });
                }
            }
        }
        // What is being deleted is waited for and then created anew.
        _ => (Op::Create, None),
    };
    Ok(Change {
        key,
        resource: target.resource.clone(),
        op,
        phase: Phase::Sync,
        wave: wave(&target.object, options.rules),
        stage: target.stage,
        hook: false,
        live: object,
        after,
        target: Some(target),
        applied: applied.unwrap_or(Applied::NotYet),
        note,
    })
}
