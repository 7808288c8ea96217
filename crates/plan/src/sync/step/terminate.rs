//! An operation that is stopped: no finalizer and no running hook stays behind.

use super::super::action::Action;
use super::super::progress::{End, Outcome, State};
use super::super::seen::{Observation, Seen};
use super::super::{DeletePolicy, Task};
use super::{Step, Stepper, act};

impl Stepper<'_> {
    /// Lets go of all hooks, deletes those that run, and ends.
    pub(super) fn terminate(&mut self, reason: &str) -> Step {
        self.observe();
        let mut actions = Vec::new();
        for task in self.hooks() {
            actions.extend(self.release_now(task));
        }
        if let Some(step) = act(actions) {
            return step;
        }
        let mut deletions = Vec::new();
        let stopped: Vec<&Task> = self.hooks().filter(|task| self.is_to_be_deleted(task)).collect();
        for task in stopped {
            let uid = self.uid(task);
            match (self.situation.view)(&task.id.key) {
                Seen::There(Observation { terminating: true, .. }) | Seen::Gone => {}
                _ if self.progress.is_deleted(&task.id, &uid) => {}
                _ => deletions.push(Action::DeleteHook { task: task.id.clone(), uid }),
            }
        }
        if let Some(step) = act(deletions) {
            return step;
        }
        self.note_what_was_stopped();
        let troubled = self
            .hooks()
            .any(|task| self.progress.result(&task.id).is_some_and(|result| result.state == State::Error));
        let (end, but) =
            if troubled { (End::Error, "; hooks could not be cleaned up") } else { (End::Failed, "") };
        Step::Done(Outcome { end, message: format!("terminated: {reason}{but}") })
    }

    /// Any hook that is held is let go, and one of ours that is not seen yet to be sure.
    fn release_now(&self, task: &Task) -> Option<Action> {
        let uid = self.uid(task);
        let held = match (self.situation.view)(&task.id.key) {
            Seen::There(seen) => seen.held,
            Seen::Unseen => self.has_begun(task),
            Seen::Gone => false,
        };
        (held && !self.progress.is_released(&task.id, &uid))
            .then(|| Action::ReleaseHook { task: task.id.clone(), uid })
    }

    fn is_to_be_deleted(&self, task: &Task) -> bool {
        let failed =
            self.progress.result(&task.id).is_some_and(super::super::progress::TaskResult::is_failure);
        self.has_begun(task) || (failed && task.has_policy(DeletePolicy::HookFailed))
    }

    /// True when it was started and is not known to have ended.
    fn has_begun(&self, task: &Task) -> bool {
        self.progress.result(&task.id).is_some_and(|result| !result.state.is_completed())
    }

    /// The uid of a hook: as seen, else as the server told when it was created.
    fn uid(&self, task: &Task) -> String {
        if let Seen::There(seen) = (self.situation.view)(&task.id.key) {
            return seen.uid;
        }
        let mark = self.progress.result(&task.id).and_then(|result| result.mark.as_ref());
        mark.map(|mark| mark.uid.clone()).unwrap_or_default()
    }

    fn note_what_was_stopped(&mut self) {
        for task in &self.schedule.tasks {
            if self.has_begun(task) && task.is_hook() {
                self.progress.set(&task.id, State::Failed, None, "terminated while it ran");
            }
        }
    }
}
