//! The end of an operation: hooks let go and deleted, failure hooks run, the outcome told.

use super::super::action::Action;
use super::super::progress::{Code, End, Outcome, State};
use super::super::{DeletePolicy, Phase, Task};
use super::{Step, Stepper, act};

impl<'a> Stepper<'a> {
    /// Takes the finalizers off hooks whose result is known.
    pub(super) fn release_done_hooks(&self) -> Option<Step> {
        let held = self.hooks().filter(|task| self.is_completed(task)).filter_map(|task| {
            let seen = self.there(task)?;
            let release = seen.held && !self.progress.is_released(&task.id, &seen.uid);
            release.then(|| Action::ReleaseHook { task: task.id.clone(), uid: seen.uid })
        });
        act(held.collect())
    }

    /// Ends well: hooks that are to go after a success go.
    pub(super) fn succeed(&mut self) -> Step {
        let deleting = self.is_deletion();
        // With the unit gone there is no later creation before which a hook could be deleted.
        let goes = |task: &Task| {
            task.has_policy(DeletePolicy::HookSucceeded)
                || (deleting && task.has_policy(DeletePolicy::BeforeHookCreation))
        };
        if let Some(step) = self.delete_hooks(goes) {
            return step;
        }
        let message = if deleting { "deleted" } else { "synced" };
        Step::Done(Outcome { end: End::Succeeded, message: with_remarks(message, &self.remarks()) })
    }

    /// Ends badly: hooks that are to go after a failure go, and those run that are meant for it.
    pub(super) fn fail(&mut self) -> Step {
        let deleting = self.is_deletion();
        let failed = |stepper: &Self, task: &Task| {
            stepper.progress.result(&task.id).is_some_and(super::super::progress::TaskResult::is_failure)
        };
        // A failed hook of a deletion would keep the unit from ever going: the next attempt creates it anew.
        let goes =
            |task: &Task| task.has_policy(DeletePolicy::HookFailed) || (deleting && failed(self, task));
        if let Some(step) = self.delete_hooks(goes) {
            return step;
        }
        let pending: Vec<&Task> =
            self.tasks_pending().filter(|task| task.id.phase == Phase::SyncFail).collect();
        if !pending.is_empty() {
            return self.run(pending);
        }
        Step::Done(Outcome { end: End::Failed, message: with_remarks(&self.reasons(), &self.remarks()) })
    }

    /// What was left undone on purpose, object by object, and what else people should know.
    fn remarks(&self) -> Vec<String> {
        let kept = self.progress.results().into_iter();
        let kept = kept.filter(|result| result.code == Some(Code::PruneSkipped));
        let kept = kept.map(|result| format!("{}: {}", result.task.key, result.message));
        kept.chain(self.schedule.warnings.iter().map(ToString::to_string)).collect()
    }

    fn delete_hooks(&self, goes: impl Fn(&Task) -> bool) -> Option<Step> {
        let hooks = self.hooks().filter(|task| self.is_completed(task) && goes(task)).filter_map(|task| {
            let seen = self.there(task)?;
            let delete = !seen.terminating && !self.progress.is_deleted(&task.id, &seen.uid);
            delete.then(|| Action::DeleteHook { task: task.id.clone(), uid: seen.uid })
        });
        act(hooks.collect())
    }

    fn is_completed(&self, task: &'a Task) -> bool {
        self.progress.result(&task.id).is_some_and(|result| result.state.is_completed())
    }

    fn is_deletion(&self) -> bool {
        self.schedule.tasks.iter().any(|task| task.id.phase >= Phase::PreDelete)
    }

    /// Why it failed: every object and its reason, then the failure hooks that failed as well.
    fn reasons(&self) -> String {
        let tasks = self.schedule.by_id();
        let place = |id: &super::super::TaskId| {
            let origin = tasks.get(id).and_then(|task| task.origin.as_ref());
            origin.map(|origin| format!("{origin}: ")).unwrap_or_default()
        };
        let tell = |results: Vec<&super::super::progress::TaskResult>| -> String {
            let told = |result: &&super::super::progress::TaskResult| {
                format!("{}{}: {}", place(&result.task), result.task, result.message)
            };
            results.iter().map(told).collect::<Vec<String>>().join("; ")
        };
        let mut text = tell(self.progress.failures());
        let hooks: Vec<_> = self
            .progress
            .results()
            .into_iter()
            .filter(|result| result.task.phase == Phase::SyncFail && result.state != State::Succeeded)
            .collect();
        if !hooks.is_empty() {
            text = format!("{text}; hooks for failures failed as well: {}", tell(hooks));
        }
        text
    }
}

/// How many remarks a message has: each object has its own in the results.
const REMARKS: usize = 10;

fn with_remarks(message: &str, remarks: &[String]) -> String {
    let mut parts = vec![message.to_owned()];
    parts.extend(remarks.iter().take(REMARKS).cloned());
    if let Some(more @ 1..) = remarks.len().checked_sub(REMARKS) {
        parts.push(format!("and {more} more"));
    }
    parts.join("; ")
}
