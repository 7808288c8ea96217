//! Carrying out a plan: inventory first, then stage by stage, then what is no longer wanted, then the inventory
//! as it came out.
//!
//! ```text
//! namespace of the app ─► inventory (old + new) ─► definitions ─► settings ─► workloads ─► admission
//!                                                      └ awaited until served
//!    ─► deletions, in reverse ─► inventory (what there is, with the record of each apply)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, stream};
use serde_json::json;
use towpath_cluster::{Cluster, Deletion};
use towpath_health::{Status, assess};
use towpath_object::{Key, Object};
use towpath_plan::{App, Applied, Change, Entry, Inventory, Op, Plan, Removal, Stage, Target, record};

use crate::options::{self, MANAGER};
use crate::prepare::{is_namespace, namespaces};
use crate::remove::remove;
use crate::{Awaited, Error, ObjectFailure, Options, Prepared, Progress, apply, inventory};

/// Where a run tells what happens.
pub(crate) type Tell<'a> = &'a (dyn Fn(Progress<'_>) + Sync);

/// What came of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was changed, in the order in which it happened.
    pub changed: Vec<(Key, Op)>,
    /// What the server did not take.
    pub failures: Vec<ObjectFailure>,
    /// What was not tried because something before it failed.
    pub untried: Vec<Key>,
    /// What the server was asked to delete and still holds.
    pub leaving: Vec<Key>,
    /// What is not ready yet.
    pub awaited: Vec<Awaited>,
}

impl Outcome {
    /// True when everything that was planned has been done.
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty() && self.untried.is_empty() && self.leaving.is_empty()
    }

    /// True for an object that the run has not come to.
    pub(crate) fn not_reached(&self, key: &Key) -> bool {
        !self.changed.iter().any(|(done, _)| done == key)
            && !self.failures.iter().any(|failure| failure.key == *key)
            && !self.leaving.contains(key)
    }
}

/// Carries out a plan. Errors are those of the run as a whole; the failure of an object is in the outcome.
pub async fn execute(cluster: &Cluster, prepared: Prepared, tell: Tell<'_>) -> Result<Outcome, Error> {
    let Prepared { app, plan, mut saved, options, namespace_missing } = prepared;
    let mut run =
        Run { cluster, options: &options, tell, outcome: Outcome::default(), applied: BTreeMap::new() };
    run.look_at_what_is_the_same(&plan);
    if !plan.is_empty() {
        if namespace_missing {
            run.create_namespace(&app).await?;
        }
        run.apply_home(&app, &plan).await;
        if !run.outcome.failures.is_empty() {
            // Without a home there is no inventory, so nothing may follow.
            run.give_up(&plan);
            return Ok(run.outcome);
        }
        let all = union(&saved.inventory, &plan);
        inventory::save(cluster, &app, &mut saved, all).await?;
        run.apply_stages(&plan).await;
        if run.outcome.failures.is_empty() {
            run.delete_unwanted(&app, &plan).await;
        }
    }
    let Run { outcome, applied, .. } = run;
    let removed = options.removal == Removal::Everything && outcome.is_complete();
    if removed {
        finish_removal(cluster, &app, &plan, &options, outcome, tell).await
    } else {
        let left = remaining(&plan, &applied, &outcome);
        // An app that never was and that nothing was done for leaves no inventory behind.
        if saved.exists() || !left.entries.is_empty() {
            inventory::save(cluster, &app, &mut saved, left).await?;
        }
        Ok(outcome)
    }
}

/// A run under way.
struct Run<'a> {
    cluster: &'a Cluster,
    options: &'a Options,
    tell: Tell<'a>,
    outcome: Outcome,
    /// What is known of each apply of this run.
    applied: BTreeMap<Key, Applied>,
}

impl Run<'_> {
    fn look_at_what_is_the_same(&mut self, plan: &Plan) {
        for change in plan.changes.iter().filter(|change| change.op == Op::Same) {
            if let Some(live) = &change.live {
                self.await_health(change, live);
            }
        }
    }

    fn await_health(&mut self, change: &Change, object: &Object) {
        let health = assess(object);
        if health.status != Status::Current {
            self.outcome.awaited.push(Awaited {
                key: change.key.clone(),
                resource: change.resource.clone(),
                health,
            });
        }
    }

    async fn create_namespace(&self, app: &App) -> Result<(), Error> {
        let value = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": app.namespace}});
        let object = Object::new(value).expect("a namespace with a name is an object");
        match self.cluster.create(&namespaces(), &object).await {
            Err(error) if !error.is_conflict() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The namespace in which the inventory will live comes before the inventory. It carries the app's labels, so
    /// a run that dies right after it is taken up by the next.
    async fn apply_home(&mut self, app: &App, plan: &Plan) {
        let home = |change: &&Change| change.op == Op::Create && is_namespace(&change.key, &app.namespace);
        let home: Vec<&Change> = plan.changes.iter().filter(home).collect();
        self.apply_all(&home, &BTreeSet::new()).await;
    }

    async fn apply_stages(&mut self, plan: &Plan) {
        let new_kinds = new_kinds(plan);
        for stage in Stage::ALL {
            let due = |change: &&Change| {
                change.stage == stage
                    && matches!(change.op, Op::Create | Op::Update)
                    && !self.applied.contains_key(&change.key)
            };
            let changes: Vec<&Change> = plan.changes.iter().filter(due).collect();
            if changes.is_empty() {
                continue;
            }
            (self.tell)(Progress::Stage { stage, changes: changes.len() });
            self.apply_all(&changes, &new_kinds).await;
            if stage == Stage::Definitions {
                self.await_definitions(&changes).await;
            }
            if !self.outcome.failures.is_empty() {
                return self.give_up(plan);
            }
        }
    }

    /// Notes everything that the run will no longer come to.
    fn give_up(&mut self, plan: &Plan) {
        let due =
            plan.changes.iter().filter(|change| matches!(change.op, Op::Create | Op::Update | Op::Delete));
        let rest: Vec<Key> = due
            .filter(|change| self.outcome.not_reached(&change.key))
            .map(|change| change.key.clone())
            .collect();
        self.outcome.untried = rest;
    }

    async fn apply_all(&mut self, changes: &[&Change], new_kinds: &BTreeSet<(String, String)>) {
        let (cluster, options, tell) = (self.cluster, self.options, self.tell);
        let how = options::apply();
        let requests = changes.iter().filter_map(|change| Some((*change, change.target.as_ref()?))).map(
            |(change, target)| {
                let how = &how;
                let new_kind = new_kinds.contains(&(change.key.group.clone(), change.key.kind.clone()));
                async move {
                    let result = apply::apply(cluster, change, target, how, new_kind, options.timeout).await;
                    match &result {
                        Ok(_) => tell(Progress::Changed { key: &change.key, op: change.op }),
                        Err(error) => {
                            tell(Progress::Failed { key: &change.key, message: &error.to_string() });
                        }
                    }
                    (change, target, result)
                }
            },
        );
        let mut results = stream::iter(requests).buffer_unordered(options.concurrency);
        while let Some((change, target, result)) = results.next().await {
            match result {
                Ok(answer) => {
                    for message in &answer.warnings {
                        tell(Progress::Warning { key: &change.key, message });
                    }
                    self.applied.insert(
                        change.key.clone(),
                        record(target, &answer.object, MANAGER).written(&change.key),
                    );
                    self.outcome.changed.push((change.key.clone(), change.op));
                    if let Ok(object) = Object::new(answer.object) {
                        self.await_health(change, &object);
                    }
                }
                Err(error) => {
                    self.applied.insert(change.key.clone(), change.applied.clone());
                    let origin = change.origin().cloned();
                    self.outcome.failures.push(ObjectFailure { key: change.key.clone(), origin, error });
                }
            }
        }
    }

    async fn await_definitions(&mut self, changes: &[&Change]) {
        let (cluster, patience) = (self.cluster, self.options.timeout);
        let definitions = changes.iter().filter(|change| change.key.kind == "CustomResourceDefinition");
        let checks = definitions.map(|change| async move {
            (*change, apply::established(cluster, &change.resource, &change.key, patience).await)
        });
        let results: Vec<_> = stream::iter(checks).buffer_unordered(self.options.concurrency).collect().await;
        for (change, result) in results {
            let error = match result {
                Ok(true) => continue,
                Ok(false) => towpath_cluster::Error::Deadline {
                    what: format!("wait until {} is served", change.key),
                    seconds: patience.as_secs(),
                },
                Err(error) => error,
            };
            let origin = change.origin().cloned();
            self.outcome.failures.push(ObjectFailure { key: change.key.clone(), origin, error });
        }
    }

    async fn delete_unwanted(&mut self, app: &App, plan: &Plan) {
        let deletions = plan.changes.iter().filter(|change| change.op == Op::Delete);
        // The namespace that holds the inventory is the very last step of a removal: see `finish_removal`.
        let deletions: Vec<&Change> =
            deletions.filter(|change| !is_namespace(&change.key, &app.namespace)).collect();
        remove(self.cluster, &deletions, self.options, self.tell, &mut self.outcome).await;
    }
}

/// The last steps of a removal. If the app's own namespace goes, the inventory goes with it: the namespace is
/// deleted while the inventory still names it, so that a run killed here is taken up by the next.
async fn finish_removal(
    cluster: &Cluster,
    app: &App,
    plan: &Plan,
    options: &Options,
    mut outcome: Outcome,
    tell: Tell<'_>,
) -> Result<Outcome, Error> {
    let home = plan
        .changes
        .iter()
        .find(|change| change.op == Op::Delete && is_namespace(&change.key, &app.namespace));
    let Some(home) = home else {
        inventory::forget(cluster, app).await?;
        return Ok(outcome);
    };
    let uid = home.live.as_ref().map_or("", Object::uid);
    let mut gone = cluster.delete(&home.resource, &home.key, uid).await? == Deletion::Gone;
    if !gone {
        tell(Progress::Leaving { key: &home.key });
        gone = apply::gone(cluster, &home.resource, &home.key, options.timeout).await?;
    }
    if gone {
        tell(Progress::Changed { key: &home.key, op: Op::Delete });
        outcome.changed.push((home.key.clone(), Op::Delete));
    } else {
        outcome.leaving.push(home.key.clone());
    }
    Ok(outcome)
}

/// The kinds that the plan's own definitions define.
fn new_kinds(plan: &Plan) -> BTreeSet<(String, String)> {
    let definitions = plan.changes.iter().filter(|change| change.key.kind == "CustomResourceDefinition");
    let text = |change: &Change, pointer: &str| {
        let value = change.target.as_ref().and_then(|target| target.object.value().pointer(pointer));
        value.and_then(serde_json::Value::as_str).unwrap_or_default().to_string()
    };
    definitions.map(|change| (text(change, "/spec/group"), text(change, "/spec/names/kind"))).collect()
}

/// What there was and what there may be: written before anything is applied.
fn union(old: &Inventory, plan: &Plan) -> Inventory {
    let mut inventory = old.clone();
    for change in &plan.changes {
        if let Some(target) = &change.target {
            let entry = || Entry { version: target.resource.gvk.version.clone(), applied: Applied::NotYet };
            inventory.entries.entry(change.key.clone()).or_insert_with(entry);
        }
    }
    inventory
}

/// What there is after the run.
fn remaining(plan: &Plan, applied: &BTreeMap<Key, Applied>, outcome: &Outcome) -> Inventory {
    let deleted: BTreeSet<&Key> =
        outcome.changed.iter().filter(|(_, op)| *op == Op::Delete).map(|(key, _)| key).collect();
    let left = plan.changes.iter().filter(|change| !deleted.contains(&change.key));
    let entries = left.map(|change| {
        let version = change
            .target
            .as_ref()
            .map_or(&change.resource, |target: &Target| &target.resource)
            .gvk
            .version
            .clone();
        let applied = applied.get(&change.key).unwrap_or(&change.applied).clone();
        (change.key.clone(), Entry { version, applied })
    });
    Inventory { entries: entries.collect() }
}
