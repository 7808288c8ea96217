//! One decision of an operation.
//!
//! ```text
//! namespace ─► checks ─► ┌ wave: release ─ confirm ─ prune ─ delete old hooks ─ apply, kind by kind ┐
//!                        │ wait for hooks, health and deletions ─ release done hooks               │─► next wave
//!                        └──────────── a failure ─► SyncFail hooks ─► failed ──────────────────────┘
//! ```
//!
//! Nothing is remembered but [`Progress`]: the step after a crash is the step before it.

mod begin;
mod finish;
mod health;
mod terminate;
mod wave;

use jiff::Timestamp;
use towpath_object::Key;

use super::action::Action;
use super::progress::{End, Outcome, Progress};
use super::seen::{Observation, Seen};
use super::{Phase, Schedule, Task, TaskId};

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Carry these out, side by side if you like, record their answers, and step again.
    Act(Vec<Action>),
    /// Step again when one of these has changed, or after a while.
    Wait(Waiting),
    /// A person has to consent to the deletion of these first.
    Confirm(Vec<Key>),
    /// The operation has ended.
    Done(Outcome),
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Why.
    pub reason: WaitReason,
    /// The tasks.
    pub tasks: Vec<TaskId>,
}

/// Why something is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// Hooks have to complete.
    Hooks,
    /// Objects have to become ready.
    Health,
    /// Objects have to go.
    Deletion,
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.reason {
            WaitReason::Hooks => "completion of hook",
            WaitReason::Health => "healthy state of",
            WaitReason::Deletion => "deletion of",
        };
        write!(f, "waiting for {what}")?;
        if let Some(first) = self.tasks.first() {
            write!(f, " {}", first.key)?;
        }
        match self.tasks.len() {
            0 | 1 => Ok(()),
            many => write!(f, " and {} more", many - 1),
        }
    }
}

/// What the step has to know besides the schedule and the progress.
pub struct Situation<'a> {
    /// What is known of a live object. It has to answer for every object of the schedule.
    pub view: &'a dyn Fn(&Key) -> Seen,
    /// When deletions were consented to.
    pub approved: Option<Timestamp>,
    /// Whether to stop, and when.
    pub stop: Option<Stop>,
}

/// A wish to stop, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At once: running hooks are deleted.
    Now(String),
    /// When the wave under way is applied and its hooks are done; the health of its objects is not awaited.
    AfterWave(String),
}

/// Decides what comes next. What it notes in `progress` has to be stored before the actions are carried out.
pub fn step(schedule: &Schedule, progress: &mut Progress, situation: &Situation<'_>) -> Step {
    if let Some(outcome) = &progress.outcome {
        return Step::Done(outcome.clone());
    }
    let mut stepper = Stepper { schedule, progress, situation };
    let step = stepper.decide();
    if let Step::Done(outcome) = &step {
        stepper.progress.end(outcome.clone());
    }
    step
}

struct Stepper<'a> {
    schedule: &'a Schedule,
    progress: &'a mut Progress,
    situation: &'a Situation<'a>,
}

impl<'a> Stepper<'a> {
    fn decide(&mut self) -> Step {
        if let Some(Stop::Now(reason)) = &self.situation.stop {
            return self.terminate(reason);
        }
        if let (Some(Stop::AfterWave(reason)), false) = (&self.situation.stop, self.progress.has_begun()) {
            return superseded(reason);
        }
        if let Some(step) = self.begin() {
            return step;
        }
        if let Some(step) = self.resume_hooks().or_else(|| self.continue_wave()) {
            return step;
        }
        if self.is_done_without_waiting() {
            return self.succeed();
        }
        self.observe();
        if let Some(step) = self.wait_for_running().or_else(|| self.wait_for_deletions()) {
            return step;
        }
        if let Some(step) = self.release_done_hooks() {
            return step;
        }
        if !self.progress.failures().is_empty() {
            return self.fail();
        }
        let Some(slot) = self.pending().next().map(Task::slot) else {
            return self.succeed();
        };
        if let Some(Stop::AfterWave(reason)) = &self.situation.stop {
            return superseded(reason);
        }
        let tasks = self.pending().filter(|task| task.slot() == slot).collect();
        self.run(tasks)
    }

    /// Tasks that have not begun and are to be done, but for those of the phase SyncFail.
    fn pending(&self) -> impl Iterator<Item = &'a Task> {
        self.tasks_pending().filter(|task| task.id.phase != Phase::SyncFail)
    }

    fn tasks_pending(&self) -> impl Iterator<Item = &'a Task> {
        let progress = &*self.progress;
        self.schedule.tasks.iter().filter(move |task| !task.unchanged && progress.result(&task.id).is_none())
    }

    fn hooks(&self) -> impl Iterator<Item = &'a Task> {
        self.schedule.tasks.iter().filter(|task| task.is_hook())
    }

    /// The live object of a task, unless the server has said that it is gone since.
    fn there(&self, task: &Task) -> Option<Observation> {
        match (self.situation.view)(&task.id.key) {
            Seen::There(seen) if !self.progress.is_gone(&task.id, &seen.uid) => Some(seen),
            _ => None,
        }
    }
}

/// The end because a newer revision waits.
fn superseded(reason: &str) -> Step {
    Step::Done(Outcome { end: End::Superseded, message: format!("stopped after a wave: {reason}") })
}

/// The step for actions, if there are any.
fn act(actions: Vec<Action>) -> Option<Step> {
    (!actions.is_empty()).then_some(Step::Act(actions))
}

/// The step for waiting, if there is anything to wait for.
fn wait(reason: WaitReason, tasks: Vec<TaskId>) -> Option<Step> {
    (!tasks.is_empty()).then_some(Step::Wait(Waiting { reason, tasks }))
}
