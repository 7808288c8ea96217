//! From manifests to a plan: read what is there, judge, ask the server only where needed, put everything in order.

use std::collections::BTreeSet;

use towpath_clock::{Clock as _, SystemClock};
use towpath_cluster::Cluster;
use towpath_object::{Gvk, Key, Kinds, Object, Resource};
use towpath_plan::sync::{Progress, Schedule};
use towpath_plan::{
    APP_LABEL, APP_NAMESPACE_LABEL, App, Inventory, Manifest, Plan, Removal, Stage, Target, rank, resolve,
};

use crate::arrange::{Arranged, Arranging, arrange, arrange_removal};
use crate::changes::{Removed, judge_all, removed, served};
use crate::conform::conform;
use crate::error::Foreign;
use crate::inventory::{self, Saved};
use crate::live::{self, Live};
use crate::parts::Parts;
use crate::record::Record;
use crate::{Error, Options};

/// A plan, and all that is needed to carry it out.
#[derive(Debug)]
pub struct Prepared {
    /// The app.
    pub app: App,
    /// What would be done.
    pub plan: Plan,
    /// What people should know before it is done.
    pub warnings: Vec<String>,
    /// The plan in steps.
    pub(crate) schedule: Schedule,
    /// How far it is: at its beginning, or where an earlier run was interrupted.
    pub(crate) progress: Progress,
    pub(crate) saved: Saved,
    /// What is written down while it runs.
    pub(crate) record: Record,
    /// What is written down as delivered when it has succeeded.
    pub(crate) delivers: String,
    /// What the app has and the run is not about.
    pub(crate) aside: Inventory,
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
    let mut parts = Parts::new(targets, &options)?;
    let namespace_missing = namespace_missing(cluster, &app, &saved, &parts.plain, &options).await?;
    let wanted: Vec<&Target> = parts.plain.iter().chain(parts.named_hooks()).collect();
    let live = read_live(cluster, &kinds, &wanted, &saved).await?;
    if !options.adopt {
        refuse_foreign(&app, &wanted, &live)?;
    }
    let Removed { mut changes, earlier, forgotten } =
        removed(&app, &kinds, Some(&parts), &saved, &live, &options);
    let hooks_live = parts.named_hooks().filter_map(|hook| live.get(&hook.key()).cloned()).collect();
    let judged = judge_all(cluster, std::mem::take(&mut parts.plain), live, &saved, &options).await?;
    changes.splice(0..0, judged);
    let arranging = Arranging {
        app: &app,
        kinds: &kinds,
        options: &options,
        saved: &saved,
        now: SystemClock::default().now(),
    };
    let Arranged { plan, schedule, progress, record, delivers, mut warnings } =
        arrange(&arranging, &parts, changes, earlier, hooks_live)?;
    conform(cluster, &plan.changes, &options).await?;
    warnings.splice(0..0, parts.warnings);
    let aside = aside(&saved, &plan, &forgotten);
    Ok(Prepared {
        app,
        plan,
        warnings,
        schedule,
        progress,
        saved,
        record,
        delivers,
        aside,
        options,
        namespace_missing,
    })
}

/// Plans the removal of all of `app`. Nothing is written.
pub async fn prepare_removal(cluster: &Cluster, app: App, options: Options) -> Result<Prepared, Error> {
    let saved = inventory::load(cluster, &app).await?;
    if !saved.exists() {
        return Err(Error::NoApp { app });
    }
    let kinds = cluster.kinds().await?;
    let live = read_live(cluster, &kinds, &[], &saved).await?;
    let options = Options { removal: Removal::Everything, ..options };
    let Removed { changes, .. } = removed(&app, &kinds, None, &saved, &live, &options);
    let now = SystemClock::default().now();
    let arranging = Arranging { app: &app, kinds: &kinds, options: &options, saved: &saved, now };
    let Arranged { plan, schedule, progress, record, delivers, warnings } =
        arrange_removal(&arranging, changes)?;
    Ok(Prepared {
        app,
        plan,
        warnings,
        schedule,
        progress,
        saved,
        record,
        delivers,
        aside: Inventory::default(),
        options,
        namespace_missing: false,
    })
}

/// What the app has, is not in the plan and stays in the inventory.
fn aside(saved: &Saved, plan: &Plan, forgotten: &BTreeSet<Key>) -> Inventory {
    let planned: BTreeSet<&Key> = plan.changes.iter().map(|change| &change.key).collect();
    let entries = saved.inventory.entries.iter();
    let aside = entries.filter(|(key, _)| !planned.contains(key) && !forgotten.contains(*key));
    Inventory { entries: aside.map(|(key, entry)| (key.clone(), entry.clone())).collect() }
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
    targets: &[&Target],
    saved: &Saved,
) -> Result<Live, Error> {
    let ours = saved
        .inventory
        .entries
        .iter()
        .filter_map(|(key, entry)| served(kinds, key, entry).map(|resource| (resource, key.clone())));
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
        .map(|target| target.key())
        .filter(|key| is_namespace(key, &key.name) && live.get(key).is_none_or(Object::is_terminating))
        .map(|key| key.name)
        .collect();
    let rest = rest.into_iter().filter(|(_, key)| !empty.contains(&key.namespace)).collect();
    live.extend(live::read(cluster, rest).await?);
    Ok(live)
}

fn refuse_foreign(app: &App, targets: &[&Target], live: &Live) -> Result<(), Error> {
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
