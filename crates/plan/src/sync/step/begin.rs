//! Before the first wave: the unit's namespace, then a check of everything.

use super::super::action::{Action, How};
use super::super::progress::{Code, End, Outcome, State};
use super::super::{Consent, Task};
use super::{Step, Stepper, act};

impl Stepper<'_> {
    /// What has to be done before the first wave, if anything has.
    pub(super) fn begin(&mut self) -> Option<Step> {
        if self.progress.checked {
            return None;
        }
        if let Some(step) = self.create_namespace() {
            return Some(step);
        }
        if !self.progress.failures().is_empty() {
            // The namespace, or a check of it: nothing else was written.
            return Some(self.refused());
        }
        let unchecked: Vec<Action> = self
            .to_check()
            .filter(|task| !self.progress.has_passed(&task.id))
            .map(|task| Action::Check { task: task.id.clone(), how: self.how(task) })
            .collect();
        if let Some(step) = act(unchecked) {
            return Some(step);
        }
        self.progress.checked = true;
        self.schedule.options.dry_run.then(|| self.end_dry_run())
    }

    /// Objects are checked by the server, which refuses those in a namespace that does not exist.
    fn create_namespace(&mut self) -> Option<Step> {
        if self.schedule.options.dry_run {
            return None;
        }
        let task = self.pending().find(|task| task.creates_namespace)?;
        Some(Step::Act(vec![Action::Apply { task: task.id.clone(), how: self.how(task) }]))
    }

    fn to_check(&self) -> impl Iterator<Item = &Task> {
        self.tasks_pending().filter(|task| task.target.is_some() && !task.skip_check)
    }

    pub(super) fn how(&self, task: &Task) -> How {
        How::new(task, &self.schedule.options, self.there(task).is_some(), self.schedule.rules)
    }

    /// All that was refused, together.
    fn refused(&mut self) -> Step {
        let reasons: Vec<String> = self
            .progress
            .failures()
            .iter()
            .map(|result| format!("{}: {}", result.task.key, result.message))
            .collect();
        let wrote = self.progress.has_begun() && !self.schedule.options.dry_run;
        let but = if wrote { " but its namespace" } else { "" };
        let message = format!("nothing{but} was applied: {}", reasons.join("; "));
        Step::Done(Outcome { end: End::Failed, message })
    }

    /// A dry run ends here; what would have been done is recorded.
    fn end_dry_run(&mut self) -> Step {
        for task in self.schedule.tasks.iter().filter(|task| !task.unchanged) {
            if !task.is_prune() {
                self.progress.set(&task.id, State::Succeeded, Some(Code::Synced), "dry run");
                continue;
            }
            match self.consent(task) {
                Ok(Consent::Yes) => {
                    self.progress.set(&task.id, State::Succeeded, Some(Code::Pruned), "dry run");
                }
                Ok(_) => {
                    let message = "needs consent to be pruned (dry run)";
                    self.progress.set(&task.id, State::Succeeded, Some(Code::PruneSkipped), message);
                }
                Err(why) => self.progress.set(&task.id, State::Succeeded, Some(Code::PruneSkipped), why),
            }
        }
        Step::Done(Outcome { end: End::Succeeded, message: "dry run".into() })
    }
}
