//! Carrying out a plan: the inventory first, then step by step as `plan::sync` says, then the inventory as it came out.
//!
//! ```text
//! namespace of the app ─► inventory (old + new) ─► step ─► act ─► step ─► … ─► done
//!                                                   └ wait: until something is seen
//!    ─► inventory (what there is, with the record of each apply)
//! ```
//!
//! The steps, and how each action is carried out, are those of the [`Engine`](crate::Engine). What differs is who looks
//! (watches that are opened only where something is waited for), where progress is written down (beside the inventory,
//! and only if there are hooks), and that what is as wanted is known already and costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use tokio::time::{Instant, timeout_at};
use towpath_cluster::{Cluster, Error as ClusterError};
use towpath_object::{Key, Object};
use towpath_plan::sync::{
    Action, CompareOptions, How, Outcome as Ended, Phase, Progress as Recorded, Situation, Step, Task,
    TaskId, WaitReason, Waiting, step,
};
use towpath_plan::{Applied, Change, Entry, Inventory, Op, Removal};

use crate::inventory::Saved;
use crate::outcome::{Broken, Outcome};
use crate::overrides::Custom;
use crate::prepare::{is_namespace, namespaces};
use crate::record::{Operation, Record};
use crate::remove::finish_removal;
use crate::sight::Sight;
use crate::{Awaited, Error, ObjectFailure, Prepared, Progress, inventory};

/// Where a run tells what happens.
pub(crate) type Tell<'a> = &'a (dyn Fn(Progress<'_>) + Sync);

/// Carries out a plan. Errors are those of the run as a whole; the failure of an object is in the outcome.
pub async fn execute(cluster: &Cluster, prepared: Prepared, tell: Tell<'_>) -> Result<Outcome, Error> {
    let mut run = Run::new(cluster, &prepared, tell);
    if !prepared.plan.is_empty() {
        if prepared.namespace_missing {
            run.create_namespace().await?;
        }
        run.apply_home().await;
        if !run.outcome.failures.is_empty() {
            // Without a home there is no inventory, so nothing may follow.
            run.give_up();
            return Ok(run.outcome);
        }
        run.keep().await?;
        run.steps().await?;
        run.await_deletions().await;
    }
    run.await_health();
    run.end().await
}

/// A run under way.
pub(crate) struct Run<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) prepared: &'a Prepared,
    pub(crate) tell: Tell<'a>,
    pub(crate) tasks: BTreeMap<&'a TaskId, &'a Task>,
    pub(crate) changes: BTreeMap<TaskId, &'a Change>,
    pub(crate) sight: Sight<'a>,
    pub(crate) progress: Recorded,
    pub(crate) outcome: Outcome,
    /// What is known of each apply of this run.
    pub(crate) applied: BTreeMap<Key, Applied>,
    /// What was deleted and is still there, with its uid.
    pub(crate) going: BTreeMap<Key, String>,
    /// Hooks that were deleted, and not created again.
    pub(crate) dropped: BTreeSet<Key>,
    saved: Saved,
    /// What there was and what there may be.
    union: Inventory,
    ended: Option<Ended>,
    /// Time was up.
    late: bool,
}

impl<'a> Run<'a> {
    fn new(cluster: &'a Cluster, prepared: &'a Prepared, tell: Tell<'a>) -> Self {
        let judge = Custom::default().judge(prepared.options.rules);
        Self {
            cluster,
            prepared,
            tell,
            tasks: prepared.schedule.by_id(),
            changes: prepared.plan.changes.iter().map(|change| (change.task(), change)).collect(),
            sight: Sight::new(cluster, prepared.app.selector(), judge, &prepared.schedule),
            progress: prepared.progress.clone(),
            outcome: Outcome::default(),
            applied: BTreeMap::new(),
            going: BTreeMap::new(),
            dropped: BTreeSet::new(),
            saved: prepared.saved.clone(),
            union: union(prepared),
            ended: None,
            late: false,
        }
    }

    async fn create_namespace(&self) -> Result<(), Error> {
        let name = &self.prepared.app.namespace;
        let value = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let object = Object::new(value).expect("a namespace with a name is an object");
        match self.cluster.create(&namespaces(), &object).await {
            Err(error) if !error.is_conflict() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The namespace in which the inventory will live comes before the inventory. It carries the app's labels, so
    /// a run that dies right after it is taken up by the next.
    async fn apply_home(&mut self) {
        let Prepared { app, plan, schedule, .. } = self.prepared;
        let home = |change: &&Change| change.op == Op::Create && is_namespace(&change.key, &app.namespace);
        let home = plan.changes.iter().find(home).map(Change::task);
        if let Some(task) = home.and_then(|id| self.tasks.get(&id).copied()) {
            let how = How::new(task, &schedule.options, false, schedule.rules);
            self.act(vec![Action::Apply { task: task.id.clone(), how }]).await;
        }
    }

    /// Writes down what may be there from now on, and how far the hooks are. Nothing is sent where nothing has changed.
    async fn keep(&mut self) -> Result<(), Error> {
        let (union, record) = (self.union.clone(), self.record());
        inventory::save(self.cluster, &self.prepared.app, &mut self.saved, union, record).await
    }

    /// What is known of the run now.
    fn record(&self) -> Record {
        let Prepared { record, schedule, .. } = self.prepared;
        let operation = record
            .operation
            .as_ref()
            .map(|operation| Operation { progress: self.progress.of_hooks(schedule), ..operation.clone() });
        Record { delivered: record.delivered.clone(), operation }
    }

    async fn steps(&mut self) -> Result<(), Error> {
        let prepared = self.prepared;
        let (mut until, mut told) = (None, String::new());
        loop {
            let next = {
                let view = |key: &Key| self.sight.see(key);
                // Whoever plans has asked for the consent that deletions need.
                let approved = Some(prepared.schedule.started);
                step(&prepared.schedule, &mut self.progress, &Situation { view: &view, approved, stop: None })
            };
            match next {
                Step::Done(ended) => {
                    self.note_end(ended);
                    return Ok(());
                }
                Step::Act(actions) => {
                    self.keep().await?;
                    self.act(actions).await;
                    until = None;
                }
                Step::Wait(waiting) => {
                    let until = *until.get_or_insert_with(|| Instant::now() + prepared.options.timeout);
                    let what = waiting.to_string();
                    if what != told {
                        (self.tell)(Progress::Waiting { what: &what });
                        told = what;
                    }
                    let keys = waiting.tasks.iter().map(|task| &task.key);
                    if timeout_at(until, self.sight.change(keys)).await.is_err() {
                        self.note_late(&waiting);
                        return Ok(());
                    }
                    self.settle_deletions();
                }
                Step::Confirm(_) => {
                    self.give_up();
                    return Ok(());
                }
            }
        }
    }

    fn note_end(&mut self, ended: Ended) {
        let refused: BTreeSet<&Key> = self.outcome.failures.iter().map(|failure| &failure.key).collect();
        for result in self.progress.results().into_iter().filter(|result| result.is_failure()) {
            let TaskId { key, phase } = &result.task;
            if !refused.contains(key) {
                let task = self.tasks.get(&result.task);
                self.outcome.broken.push(Broken {
                    key: key.clone(),
                    phase: *phase,
                    hook: task.is_some_and(|task| task.is_hook()),
                    origin: task.and_then(|task| task.origin.clone()),
                    message: result.message.clone(),
                });
            }
        }
        self.ended = Some(ended);
        if !(self.outcome.failures.is_empty() && self.outcome.broken.is_empty()) {
            self.give_up();
        }
    }

    /// Notes what was waited for too long. What was begun goes on, and the next run takes it up.
    fn note_late(&mut self, waiting: &Waiting) {
        self.late = true;
        for id in &waiting.tasks {
            let key = &id.key;
            let task = self.tasks.get(id);
            let what = match waiting.reason {
                WaitReason::Hooks => format!("wait until the hook {key} is complete"),
                WaitReason::Health if key.kind == "CustomResourceDefinition" => {
                    format!("wait until {key} is served")
                }
                WaitReason::Health => format!("wait until {key} is ready"),
                // It is reported as still there.
                WaitReason::Deletion if task.is_some_and(|task| task.is_prune()) => continue,
                WaitReason::Deletion => format!("wait until the old {key} is gone"),
            };
            let error = ClusterError::Deadline { what, seconds: self.prepared.options.timeout.as_secs() };
            let origin = task.and_then(|task| task.origin.clone());
            self.outcome.failures.push(ObjectFailure { key: key.clone(), origin, error });
        }
        self.give_up();
    }

    /// Notes everything that the run will no longer come to.
    fn give_up(&mut self) {
        let due = self.prepared.plan.changes.iter().filter(|change| change.is_effective());
        // Hooks for failures are nothing that is missing.
        let due = due.filter(|change| change.phase != Phase::SyncFail);
        let rest = due.filter(|change| self.progress.result(&change.task()).is_none());
        self.outcome.untried.extend(rest.map(|change| change.key.clone()));
    }

    /// Notes what has gone by now.
    fn settle_deletions(&mut self) {
        let there = |key: &Key, uid: &str| self.sight.uid(key) == Some(uid);
        let gone: Vec<Key> =
            self.going.iter().filter(|(key, uid)| !there(key, uid)).map(|(key, _)| key.clone()).collect();
        for key in gone {
            self.going.remove(&key);
            (self.tell)(Progress::Changed { key: &key, op: Op::Delete });
            self.outcome.changed.push((key, Op::Delete));
        }
    }

    /// Sees the last deletions through.
    async fn await_deletions(&mut self) {
        let until = Instant::now() + self.prepared.options.timeout;
        while !self.late && !self.going.is_empty() {
            let keys: Vec<Key> = self.going.keys().cloned().collect();
            self.late = timeout_at(until, self.sight.change(keys.iter())).await.is_err();
            self.settle_deletions();
        }
        self.outcome.leaving.extend(self.going.keys().cloned());
    }

    /// Notes what is not ready yet.
    fn await_health(&mut self) {
        let rules = self.sight.rules();
        let names = self.prepared.options.rules;
        for change in self.prepared.plan.changes.iter().filter(|one| one.target.is_some() && !one.hook) {
            if self.sight.is_ready(&change.key) {
                continue;
            }
            // Where nothing was to be done, nothing was looked at again.
            let Some(object) = self.sight.object(&change.key).or(change.live.as_ref()) else { continue };
            if !CompareOptions::read(object, names).ignore_health {
                let awaited = Awaited::new(&change.key, &change.resource, object, rules);
                self.outcome.awaited.extend(awaited);
            }
        }
    }

    /// Writes down what there is.
    async fn end(mut self) -> Result<Outcome, Error> {
        let Prepared { app, plan, options, .. } = self.prepared;
        let kept = plan.changes.iter().any(|change| change.op == Op::Keep);
        if options.removal == Removal::Everything && self.outcome.is_complete() && !kept {
            return finish_removal(self.cluster, self.prepared, self.outcome, self.tell).await;
        }
        let left = self.remaining();
        // An app that never was and that nothing was done for leaves no inventory behind.
        if self.saved.exists() || !left.entries.is_empty() {
            let record = self.record_at_end();
            inventory::save(self.cluster, app, &mut self.saved, left, record).await?;
        }
        Ok(self.outcome)
    }

    /// After a success it is known what was delivered; a failure, or what was not waited for, stays on record.
    fn record_at_end(&self) -> Record {
        let record = self.record();
        let succeeded =
            self.ended.as_ref().is_some_and(|ended| ended.end == towpath_plan::sync::End::Succeeded);
        match &record.operation {
            Some(_) if succeeded => Record { delivered: self.prepared.delivers.clone(), operation: None },
            _ => record,
        }
    }

    /// What there is after the run.
    fn remaining(&self) -> Inventory {
        let deleted: BTreeSet<&Key> =
            self.outcome.changed.iter().filter(|(_, op)| *op == Op::Delete).map(|(key, _)| key).collect();
        let mut left = self.prepared.aside.clone();
        for change in self.prepared.plan.changes.iter().filter(|change| !deleted.contains(&change.key)) {
            let applied = self.applied.get(&change.key);
            let never = applied.is_none() && change.live.is_none();
            if change.op == Op::Run && (never || self.dropped.contains(&change.key)) {
                continue;
            }
            let version = change.resource.gvk.version.clone();
            let applied = applied.unwrap_or(&change.applied).clone();
            left.entries.insert(change.key.clone(), Entry { version, applied });
        }
        left
    }
}

/// What there was and what there may be: written before anything is applied.
fn union(prepared: &Prepared) -> Inventory {
    let mut inventory = prepared.saved.inventory.clone();
    for change in &prepared.plan.changes {
        if let Some(target) = &change.target {
            let entry = || Entry { version: target.resource.gvk.version.clone(), applied: Applied::NotYet };
            inventory.entries.entry(change.key.clone()).or_insert_with(entry);
        }
    }
    inventory
}
