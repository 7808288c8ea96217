//! From manifests to a plan: read what is there, judge, ask the server only where needed.

use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};
use towpath_cluster::Cluster;
use towpath_object::{Gvk, Key, Kinds, Object, Resource};
use towpath_plan::sync::Phase;
use towpath_plan::{
    APP_LABEL, APP_NAMESPACE_LABEL, App, Applied, Approval, Change, Fate, Judgement, Manifest, Op, Plan,
    Removal, Stage, Target, absorb, differs, fate, judge, rank, record, resolve,
};

use crate::conform::conform;
use crate::error::Foreign;
use crate::inventory::{self, Saved};
use crate::live::{self, Live};
use crate::options::{MANAGER, dry_run};
use crate::{Error, ObjectFailure, Options};

/// A plan, and all that is needed to carry it out.
#[derive(Debug)]
pub struct Prepared {
    /// The app.
    pub app: App,
    /// What would be done.
    pub plan: Plan,
    pub(crate) saved: Saved,
    pub(crate) options: Options,
    /// The app's namespace is missing and has to be created before the inventory can be written.
    pub(crate) namespace_missing: bool,
}

/// Plans the deployment of `manifests` as the whole of `app`. Nothing is written.
pub async fn prepare(
    cluster: &Cluster,
    app: App,
    manifests: Vec<Manifest>,
    options: Options,
) -> Result<Prepared, Error> {
    let (kinds, saved) = tokio::try_join!(
        async { cluster.kinds().await.map_err(Error::from) },
        inventory::load(cluster, &app)
    )?;
    let targets = resolve(manifests, &kinds, &app).map_err(Error::Problems)?;
    let namespace_missing = namespace_missing(cluster, &app, &saved, &targets, &options).await?;
    let live = read_live(cluster, &kinds, &targets, &saved).await?;
    if !options.adopt {
        refuse_foreign(&app, &targets, &live)?;
    }
    let removed = removed_changes(&app, &kinds, &targets, &saved, &live, options.removal);
    let mut changes = judge_all(cluster, targets, live, &saved, &options).await?;
    conform(cluster, &changes, &options).await?;
    changes.extend(removed);
    Ok(Prepared { app, plan: Plan { changes }, saved, options, namespace_missing })
}

/// Plans the removal of all of `app`. Nothing is written.
pub async fn prepare_removal(cluster: &Cluster, app: App, options: Options) -> Result<Prepared, Error> {
    let saved = inventory::load(cluster, &app).await?;
    if !saved.exists() {
        return Err(Error::NoApp { app });
    }
    let kinds = cluster.kinds().await?;
    let live = read_live(cluster, &kinds, &[], &saved).await?;
    let changes = removed_changes(&app, &kinds, &[], &saved, &live, Removal::Everything);
    let options = Options { removal: Removal::Everything, ..options };
    Ok(Prepared { app, plan: Plan { changes }, saved, options, namespace_missing: false })
}

/// True when the inventory has nowhere to live yet.
async fn namespace_missing(
    cluster: &Cluster,
    app: &App,
    saved: &Saved,
    targets: &[Target],
    options: &Options,
) -> Result<bool, Error> {
    let planned = targets.iter().any(|target| is_namespace(&target.key(), &app.namespace));
    if saved.exists() || planned {
        return Ok(false);
    }
    match cluster.get(&namespaces(), "", &app.namespace).await {
        Ok(Some(_)) => Ok(false),
        Ok(None) if options.create_namespace => Ok(true),
        Ok(None) => Err(Error::NoNamespace { namespace: app.namespace.clone() }),
        // Without the right to look we assume that it is there; the server will say otherwise.
        Err(error) if error.is_forbidden() => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn namespaces() -> Resource {
    Resource { gvk: Gvk::new("v1", "Namespace"), plural: "namespaces".into(), namespaced: false }
}

pub(crate) fn is_namespace(key: &Key, name: &str) -> bool {
    key.group.is_empty() && key.kind == "Namespace" && key.name == name
}

/// Reads every object that is wanted or was ours. Definitions come first: in a namespace that does not exist yet,
/// or is being deleted, and of a kind that is not served yet, there is nothing to read.
async fn read_live(
    cluster: &Cluster,
    kinds: &Kinds,
    targets: &[Target],
    saved: &Saved,
) -> Result<Live, Error> {
    let ours = saved.inventory.entries.iter().filter_map(|(key, entry)| {
        let gvk = Gvk { group: key.group.clone(), version: entry.version.clone(), kind: key.kind.clone() };
        served(kinds, &gvk).map(|resource| (resource, key.clone()))
    });
    let wanted = targets.iter().filter(|target| kinds.get(&target.resource.gvk).is_some());
    let wanted = wanted.map(|target| (target.resource.clone(), target.key()));
    // A wanted object is read in the version that is wanted, not in the one it was applied in before.
    let mut keys = BTreeSet::new();
    let all: Vec<(Resource, Key)> = wanted.chain(ours).filter(|(_, key)| keys.insert(key.clone())).collect();
    let (first, rest): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, key)| rank(&key.group, &key.kind).0 == Stage::Definitions);
    let mut live = live::read(cluster, first).await?;
    let empty: BTreeSet<String> = targets
        .iter()
        .map(Target::key)
        .filter(|key| is_namespace(key, &key.name) && live.get(key).is_none_or(Object::is_terminating))
        .map(|key| key.name)
        .collect();
    let rest = rest.into_iter().filter(|(_, key)| !empty.contains(&key.namespace)).collect();
    live.extend(live::read(cluster, rest).await?);
    Ok(live)
}

/// The version in which it was applied, or the preferred one if that is no longer served.
fn served(kinds: &Kinds, gvk: &Gvk) -> Option<Resource> {
    kinds.get(gvk).or_else(|| kinds.versions(&gvk.group, &gvk.kind).first()).cloned()
}

fn refuse_foreign(app: &App, targets: &[Target], live: &Live) -> Result<(), Error> {
    let mut foreign = Vec::new();
    for target in targets {
        let Some(object) = live.get(&target.key()) else {
            continue;
        };
        let Some(name) = object.label(APP_LABEL) else {
            continue;
        };
        let namespace = object.label(APP_NAMESPACE_LABEL).unwrap_or_default();
        if name != app.name.as_str() || namespace != app.namespace {
            let owner = format!("{name} in {namespace}");
            foreign.push(Foreign { key: target.key(), origin: target.origin.clone(), owner });
        }
    }
    if foreign.is_empty() { Ok(()) } else { Err(Error::Foreign(foreign)) }
}

/// What becomes of objects that we have and that are no longer wanted, in the order of deletion.
fn removed_changes(
    app: &App,
    kinds: &Kinds,
    targets: &[Target],
    saved: &Saved,
    live: &Live,
    removal: Removal,
) -> Vec<Change> {
    let wanted: BTreeSet<Key> = targets.iter().map(Target::key).collect();
    let mut changes = Vec::new();
    for (key, entry) in saved.inventory.entries.iter().filter(|(key, _)| !wanted.contains(key)) {
        let gvk = Gvk { group: key.group.clone(), version: entry.version.clone(), kind: key.kind.clone() };
        let Some(resource) = served(kinds, &gvk) else {
            continue;
        };
        let object = live.get(key);
        let (op, note) = match fate(app, object, &entry.applied, removal, Approval::Missing) {
            Fate::Delete => (Op::Delete, None),
            Fate::Keep(why) => (Op::Keep, Some(why)),
            Fate::Forget => continue,
        };
        let (stage, _) = rank(&key.group, &key.kind);
        changes.push(Change {
            key: key.clone(),
            resource,
            op,
            phase: Phase::Sync,
            wave: 0,
            stage,
            hook: false,
            live: object.cloned(),
            after: None,
            target: None,
            applied: entry.applied.clone(),
            note,
        });
    }
    // The reverse of the order of application; the namespace that holds the inventory goes last of all.
    changes.sort_by_cached_key(|change| {
        let last = is_namespace(&change.key, &app.namespace);
        (last, std::cmp::Reverse(rank(&change.key.group, &change.key.kind)), change.key.clone())
    });
    changes
}

async fn judge_all(
    cluster: &Cluster,
    targets: Vec<Target>,
    mut live: Live,
    saved: &Saved,
    options: &Options,
) -> Result<Vec<Change>, Error> {
    let dry_run = dry_run();
    let judged = targets.into_iter().map(|target| {
        let key = target.key();
        let object = live.remove(&key);
        let applied = saved.inventory.entries.get(&key).map(|entry| entry.applied.clone());
        (target, key, object, applied)
    });
    let asked = judged.map(|(target, key, object, mut applied)| {
        let dry_run = &dry_run;
        async move {
            let (op, after) = match (judge(&target, object.as_ref(), applied.as_ref(), MANAGER), &object) {
                (Judgement::Same, _) => (Op::Same, None),
                (Judgement::Ask, Some(now)) if !now.is_terminating() => {
                    let version = target.resource.gvk.api_version();
                    let absorbed = absorb(now.value(), MANAGER, &version);
                    match cluster.apply(&target.resource, &target.object, dry_run).await {
                        Ok(answer) if absorbed.is_some() => (
                            Op::Update,
                            absorbed.map(|absorption| absorption.predict(answer.object, MANAGER)),
                        ),
                        Ok(answer) if differs(now.value(), &answer.object) => {
                            (Op::Update, Some(answer.object))
                        }
                        Ok(answer) => {
                            // Only if an apply would not even change who owns what may the next run rely on it.
                            let proven = record(&target, &answer.object, MANAGER).written(&key);
                            if proven == record(&target, now.value(), MANAGER).written(&key) {
                                applied = Some(proven);
                            }
                            (Op::Same, None)
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
                wave: 0,
                stage: target.stage,
                hook: false,
                live: object,
                after,
                target: Some(target),
                applied: applied.unwrap_or(Applied::NotYet),
                note: None,
            })
        }
    });
    // In order, so that the plan reads in the order of application.
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
