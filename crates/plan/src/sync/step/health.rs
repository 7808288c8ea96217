//! How what was applied turns out, and what is waited for.

use super::super::action::Action;
use super::super::progress::{Code, State};
use super::super::seen::{Observation, Seen, Verdict};
use super::super::{Phase, Slot, Task, TaskId};
use super::{Step, Stepper, Stop, WaitReason, act, wait};

impl Stepper<'_> {
    pub(super) fn is_running(&self, task: &TaskId) -> bool {
        self.progress.result(task).is_some_and(|result| result.state == State::Running)
    }

    /// Hooks that a crash left between the note and the write: was it created?
    pub(super) fn resume_hooks(&mut self) -> Option<Step> {
        let starting: Vec<&Task> = self
            .hooks()
            .filter(|task| {
                self.progress.result(&task.id).is_some_and(|result| result.state == State::Starting)
            })
            .collect();
        let mut looks = Vec::new();
        for task in starting {
            let over = self.progress.result(&task.id).and_then(|result| result.over.clone());
            match (self.situation.view)(&task.id.key) {
                Seen::There(seen) if over.as_deref() != Some(&seen.resource_version) => {
                    self.progress.set(&task.id, State::Running, Some(Code::Synced), "");
                }
                Seen::There(_) | Seen::Gone => self.progress.forget(&task.id),
                Seen::Unseen => looks.push(Action::Look { task: task.id.clone() }),
            }
        }
        act(looks)
    }

    /// Takes over what is seen of running tasks.
    pub(super) fn observe(&mut self) {
        self.observe_those(|_| true);
    }

    pub(super) fn observe_those(&mut self, which: impl Fn(&Task) -> bool) {
        for task in self.schedule.tasks.iter().filter(|task| which(task)) {
            if !self.is_running(&task.id) {
                continue;
            }
            match (self.situation.view)(&task.id.key) {
                Seen::Unseen => {}
                Seen::Gone => {
                    let message = "it is missing; it may have been deleted";
                    self.progress.set(&task.id, State::Error, Some(Code::SyncFailed), message);
                }
                Seen::There(seen) => self.observed(task, &seen),
            }
        }
    }

    fn observed(&mut self, task: &Task, seen: &Observation) {
        let Some(result) = self.progress.result_mut(&task.id) else { return };
        if !result.mark.as_ref().is_none_or(|mark| mark.is_seen_in(seen)) {
            return;
        }
        result.missed = false;
        let (state, message) = judge(task, seen);
        self.progress.set(&task.id, state, None, message);
    }

    /// Waits for running hooks, and in an operation of several waves for the health of all that was applied. Once
    /// something has failed, or when a newer revision waits, only for hooks.
    pub(super) fn wait_for_running(&mut self) -> Option<Step> {
        let (hooks, plain): (Vec<&Task>, Vec<&Task>) = self
            .schedule
            .tasks
            .iter()
            .filter(|task| self.is_running(&task.id))
            .partition(|task| task.is_hook());
        let ids = |tasks: Vec<&Task>| tasks.into_iter().map(|task| task.id.clone()).collect();
        if !hooks.is_empty() {
            return self.wait_or_look(WaitReason::Hooks, ids(hooks));
        }
        if self.is_ending() {
            return None;
        }
        let more = self.pending().next().is_some();
        let all = self.schedule.is_multi_step() || (self.schedule.options.wait && !more);
        let definitions = self.schedule.rules.have_stages() && more;
        let is_awaited =
            |task: &&Task| all || (definitions && task.id.key.kind == "CustomResourceDefinition");
        self.wait_or_look(WaitReason::Health, ids(plain.into_iter().filter(is_awaited).collect()))
    }

    /// True when no further wave will be begun.
    fn is_ending(&self) -> bool {
        matches!(self.situation.stop, Some(Stop::AfterWave(_))) || !self.progress.failures().is_empty()
    }

    /// Waits for running tasks. What is not seen a second time is asked for, because it may have been deleted.
    pub(super) fn wait_or_look(&mut self, reason: WaitReason, ids: Vec<TaskId>) -> Option<Step> {
        let mut looks = Vec::new();
        for id in &ids {
            if (self.situation.view)(&id.key) != Seen::Unseen {
                continue;
            }
            let Some(result) = self.progress.result_mut(id) else { continue };
            if result.missed {
                looks.push(Action::Look { task: id.clone() });
            } else {
                result.missed = true;
            }
        }
        act(looks).or_else(|| wait(reason, ids))
    }

    /// Waits for pruned objects that are still there.
    pub(super) fn wait_for_deletions(&mut self) -> Option<Step> {
        if self.is_ending() {
            return None;
        }
        let going = self.schedule.tasks.iter().filter(|task| task.is_prune()).filter(|task| {
            let pruned =
                self.progress.result(&task.id).is_some_and(|result| result.code == Some(Code::Pruned));
            let uid = task.live.as_ref().map(towpath_object::Object::uid);
            pruned && self.there(task).is_some_and(|seen| uid.is_none_or(|uid| uid == seen.uid))
        });
        wait(WaitReason::Deletion, going.map(|task| task.id.clone()).collect())
    }

    /// True when the last wave was started and has no hooks: then the operation has succeeded whatever becomes of
    /// its objects, unless somebody wants to wait. Deletions of a unit are always awaited.
    pub(super) fn is_done_without_waiting(&self) -> bool {
        let last: Option<Slot> = self
            .schedule
            .tasks
            .iter()
            .filter(|task| task.id.phase != Phase::SyncFail && !task.unchanged)
            .map(Task::slot)
            .max();
        let Some(last) = last else { return false };
        last.phase < Phase::PreDelete
            && !self.schedule.options.wait
            && self.pending().next().is_none()
            && self.progress.failures().is_empty()
            && !self.hooks().any(|task| task.slot() == last)
            && !self.hooks().any(|task| self.is_running(&task.id))
    }
}

/// What an observation means for a task.
fn judge<'a>(task: &Task, seen: &'a Observation) -> (State, &'a str) {
    let state = match (task.is_hook(), seen.verdict) {
        (_, Verdict::Ready | Verdict::None) => State::Succeeded,
        (_, Verdict::Failed) | (true, Verdict::Unknown) => State::Failed,
        // The finalizer keeps a deleted hook in sight: it will not complete any more.
        (true, Verdict::Progressing | Verdict::Suspended) if seen.terminating => {
            return (State::Failed, "the hook was deleted while it ran");
        }
        (_, Verdict::Progressing | Verdict::Suspended) | (false, Verdict::Unknown) => State::Running,
    };
    (state, &seen.message)
}
