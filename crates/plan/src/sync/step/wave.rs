//! One wave: what is in the way goes first, then everything is applied.

use std::collections::BTreeSet;

use towpath_object::Key;

use super::super::action::Action;
use super::super::progress::{Code, State};
use super::super::{Consent, DeletePolicy, Phase, Propagation, Rules, Slot, Task, TaskId};
use super::{Step, Stepper, WaitReason, act, wait};

impl<'a> Stepper<'a> {
    /// Runs the tasks of a wave as far as it goes in one step.
    pub(super) fn run(&mut self, tasks: Vec<&'a Task>) -> Step {
        if let Some(step) = self.confirm(&tasks).or_else(|| self.release_old_hooks(&tasks)) {
            return step;
        }
        let (prunes, applies): (Vec<&Task>, Vec<&Task>) = tasks.into_iter().partition(|task| task.is_prune());
        if let Some(step) = self.prune(&prunes).or_else(|| self.delete_old_hooks(&applies)) {
            return step;
        }
        // Where nothing is left to apply, everything of the wave was kept: it is over.
        self.apply(&applies).unwrap_or_else(|| self.decide())
    }

    /// Nothing of the wave is touched while a consent is missing.
    fn confirm(&self, tasks: &[&Task]) -> Option<Step> {
        // A consent counts if it was given during this operation.
        let approved = self.situation.approved.is_some_and(|approved| approved >= self.schedule.started);
        let open = |task: &&&Task| task.is_prune() && self.consent(task) == Ok(Consent::Confirm) && !approved;
        let keys: Vec<Key> = tasks.iter().filter(open).map(|task| task.id.key.clone()).collect();
        (!keys.is_empty()).then_some(Step::Confirm(keys))
    }

    /// A hook of an earlier operation that still has its finalizer could never be deleted.
    fn release_old_hooks(&self, tasks: &[&Task]) -> Option<Step> {
        let held = tasks.iter().filter(|task| task.is_hook()).filter_map(|task| {
            let seen = self.there(task)?;
            let release = seen.held && !self.progress.is_released(&task.id, &seen.uid);
            release.then(|| Action::ReleaseHook { task: task.id.clone(), uid: seen.uid })
        });
        act(held.collect())
    }

    /// Deletes what may be deleted, all at once.
    fn prune(&mut self, tasks: &[&Task]) -> Option<Step> {
        let mut actions = Vec::new();
        for task in tasks {
            if let Err(why) = self.consent(task) {
                self.progress.set(&task.id, State::Succeeded, Some(Code::PruneSkipped), why);
            } else if self.there(task).is_some_and(|seen| seen.terminating) {
                let message = "it is being deleted already";
                self.progress.set(&task.id, State::Succeeded, Some(Code::Pruned), message);
            } else {
                actions.push(Action::Prune {
                    task: task.id.clone(),
                    uid: task.live.as_ref().map(|live| live.uid().to_string()).unwrap_or_default(),
                    propagation: self.propagation(),
                });
            }
        }
        act(actions)
    }

    fn propagation(&self) -> Propagation {
        let asked = self.schedule.options.propagation;
        asked.unwrap_or_else(|| Propagation::usual(self.schedule.rules))
    }

    /// Whether a live object may be deleted, or why not.
    pub(super) fn consent(&self, task: &Task) -> Result<Consent, &'static str> {
        let (options, found) = (&self.schedule.options, &task.found);
        if task.id.phase == Phase::Delete {
            if found.keep {
                return Err("kept: helm.sh/resource-policy is keep");
            }
            let definition = task.id.key.kind == "CustomResourceDefinition";
            if definition && self.schedule.rules == Rules::Argo {
                return Err("kept: definitions outlive the unit, with all objects of their kinds");
            }
            return match found.delete.unwrap_or(options.may_delete) {
                Consent::No => Err("kept: the option Delete is false"),
                consent => Ok(consent),
            };
        }
        options.prunes(found)
    }

    /// Old hooks that have to go before they are created again.
    fn delete_old_hooks(&self, tasks: &[&Task]) -> Option<Step> {
        let (mut actions, mut going) = (Vec::new(), Vec::new());
        for task in tasks.iter().filter(|task| task.has_policy(DeletePolicy::BeforeHookCreation)) {
            match self.there(task) {
                Some(seen) if seen.terminating || self.progress.is_deleted(&task.id, &seen.uid) => {
                    going.push(task.id.clone());
                }
                Some(seen) => actions.push(Action::DeleteHook { task: task.id.clone(), uid: seen.uid }),
                None => {}
            }
        }
        act(actions).or_else(|| wait(WaitReason::Deletion, going))
    }

    /// The next tasks that are applied together: under Argo CD's rules those of one kind, under Flux's all.
    fn apply(&mut self, tasks: &[&Task]) -> Option<Step> {
        let first = tasks.first()?;
        let one_kind = self.schedule.rules == Rules::Argo;
        let group: Vec<&Task> = tasks
            .iter()
            .copied()
            .take_while(|task| !one_kind || task.id.key.kind == first.id.key.kind)
            .collect();
        let mut actions = Vec::with_capacity(group.len());
        for task in group {
            let how = self.how(task);
            if task.is_hook() {
                let over = self.there(task).map(|seen| seen.resource_version);
                self.progress.set(&task.id, State::Starting, None, "");
                if let Some(result) = self.progress.result_mut(&task.id) {
                    result.over = over;
                }
            }
            actions.push(Action::Apply { task: task.id.clone(), how });
        }
        act(actions)
    }

    /// Goes on with a wave of which something was applied: later kinds are applied even if earlier ones failed.
    /// Definitions have to be established before what they define follows.
    pub(super) fn continue_wave(&mut self) -> Option<Step> {
        let slot = self.open_slot()?;
        let rest: Vec<&Task> =
            self.tasks_pending().filter(|task| task.slot() == slot && !task.is_prune()).collect();
        let definition = |task: &Task| task.slot() == slot && task.id.key.kind == "CustomResourceDefinition";
        self.observe_those(definition);
        let definitions = self.schedule.tasks.iter().filter(|task| definition(task)).map(|task| &task.id);
        let running: Vec<TaskId> = definitions.filter(|task| self.is_running(task)).cloned().collect();
        self.wait_or_look(WaitReason::Health, running).or_else(|| self.apply(&rest))
    }

    /// The wave in which something was applied and something is still to be.
    fn open_slot(&self) -> Option<Slot> {
        let begun = |task: &&Task| {
            let code = self.progress.result(&task.id).and_then(|result| result.code);
            let applied = matches!(code, Some(Code::Synced | Code::SyncFailed));
            applied && !task.is_prune() && !task.creates_namespace
        };
        let open: BTreeSet<Slot> = self.schedule.tasks.iter().filter(begun).map(Task::slot).collect();
        self.tasks_pending().filter(|task| !task.is_prune()).map(Task::slot).find(|slot| open.contains(slot))
    }
}
