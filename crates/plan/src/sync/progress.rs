//! What is recorded of an operation: enough to go on after a crash.
//!
//! The executor keeps to one rule: what [`step`](super::step) has noted here is written down before its actions are
//! carried out, and their answers before the next step. So a hook that may have been started is always known.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::action::{Action, Answer};
use super::seen::Mark;
use super::{Phase, Schedule, TaskId};

/// The state of a task that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// A hook that is about to be created. After a crash it may be there or not.
    Starting,
    /// Applied; how it turns out is not known yet.
    Running,
    /// Done.
    Succeeded,
    /// The cluster said no, or the hook failed.
    Failed,
    /// We could not do our part.
    Error,
}

impl State {
    /// True when nothing more will change.
    pub fn is_completed(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Error)
    }
}

/// What was done to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// Applied.
    Synced,
    /// Not applied, or not deleted.
    SyncFailed,
    /// Deleted.
    Pruned,
    /// No longer wanted, and kept.
    PruneSkipped,
}

/// What is recorded of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResult {
    /// The task.
    pub task: TaskId,
    /// Its state.
    pub state: State,
    /// What was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What the server returned for our write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The version of the object that a starting hook is applied over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// It was awaited once and not seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
    /// Its place among the results.
    pub order: usize,
}

impl TaskResult {
    /// True when the operation fails because of it.
    pub fn is_failure(&self) -> bool {
        matches!(self.state, State::Failed | State::Error)
    }
}

/// What was done to hooks that were there before, or are done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Touched {
    task: Option<TaskId>,
    released: Option<String>,
    deleted: Option<String>,
    gone: bool,
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether it succeeded.
    pub end: End,
    /// Why, for people.
    pub message: String,
}

/// The end of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// Everything was done.
    Succeeded,
    /// The cluster or a hook said no, or somebody stopped it.
    Failed,
    /// We could not do our part.
    Error,
    /// A newer revision took its place.
    Superseded,
}

/// Everything that is recorded of an operation. A plain value that can be stored anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Progress {
    /// Apart from their keys: many progresses are kept, most of them of a few tasks.
    results: BTreeMap<TaskId, Box<TaskResult>>,
    touched: BTreeMap<TaskId, Touched>,
    passed: BTreeSet<TaskId>,
    /// Everything was checked, so that writing may begin.
    pub(super) checked: bool,
    /// How it ended.
    pub outcome: Option<Outcome>,
}

impl Progress {
    /// Of an operation that has not begun, but of which everything has been checked by whoever planned it.
    pub fn checked() -> Self {
        Self { checked: true, ..Self::default() }
    }

    /// What of it has to be written down so that no hook is started twice, for those who look at everything else anew:
    /// plain objects can be applied again.
    #[must_use]
    pub fn of_hooks(&self, schedule: &Schedule) -> Self {
        let hooks = schedule.tasks.iter().filter(|task| task.is_hook()).map(|task| &task.id);
        let results = hooks.filter_map(|id| Some((id.clone(), self.results.get(id)?.clone())));
        let (checked, outcome) = (self.checked, self.outcome.clone());
        Self { results: results.collect(), checked, outcome, ..Self::default() }
    }

    /// The results in the order in which they came.
    pub fn results(&self) -> Vec<&TaskResult> {
        let mut results: Vec<&TaskResult> = self.results.values().map(Box::as_ref).collect();
        results.sort_by_key(|result| result.order);
        results
    }

    /// What is recorded of a task.
    pub fn result(&self, task: &TaskId) -> Option<&TaskResult> {
        self.results.get(task).map(Box::as_ref)
    }

    /// True once anything was written to the cluster, or may have been.
    pub fn has_begun(&self) -> bool {
        self.results.values().any(|result| result.code != Some(Code::SyncFailed))
    }

    /// Records what came of an action.
    pub fn record(&mut self, action: &Action, answer: Answer) {
        let task = action.task();
        match (action, answer) {
            (Action::Check { .. } | Action::Apply { .. } | Action::Prune { .. }, Answer::Refused(why)) => {
                self.set(task, State::Failed, Some(Code::SyncFailed), &why);
            }
            (Action::Check { .. }, _) => {
                self.passed.insert(task.clone());
            }
            (Action::Apply { .. }, answer) => {
                self.set(task, State::Running, Some(Code::Synced), "");
                if let (Some(result), Answer::Applied(mark)) = (self.results.get_mut(task), answer) {
                    result.mark = Some(mark);
                }
            }
            (Action::Prune { .. }, Answer::Kept(why)) => {
                self.set(task, State::Succeeded, Some(Code::PruneSkipped), &why);
            }
            (Action::Prune { .. }, _) => self.set(task, State::Succeeded, Some(Code::Pruned), "pruned"),
            (Action::ReleaseHook { uid, .. }, answer) => {
                self.touched(task).released = Some(uid.clone());
                if let Answer::Refused(why) = answer {
                    self.set(
                        task,
                        State::Error,
                        None,
                        &format!("the hook's finalizer could not be removed: {why}"),
                    );
                }
            }
            (Action::DeleteHook { uid, .. }, answer) => {
                let touched = self.touched(task);
                touched.deleted = Some(uid.clone());
                touched.gone = answer == Answer::NotFound;
                if let Answer::Refused(why) = answer {
                    self.could_not_delete(task, &why);
                }
            }
            (Action::Look { .. }, answer) => self.looked(task, &answer),
        }
    }

    /// A hook that is to be created cannot be while the old one stays; one that is done has its result already.
    fn could_not_delete(&mut self, task: &TaskId, why: &str) {
        let why = format!("the hook could not be deleted: {why}");
        match self.results.get_mut(task) {
            Some(result) if result.state.is_completed() => result.message = why,
            _ => self.set(task, State::Error, None, &why),
        }
    }

    fn looked(&mut self, task: &TaskId, answer: &Answer) {
        let Some(result) = self.results.get_mut(task) else { return };
        match (answer, result.state) {
            // It was never created: as if it had not begun.
            (Answer::NotFound, State::Starting) => {
                self.results.remove(task);
            }
            (Answer::NotFound, _) => {
                let message = "it is missing; it may have been deleted";
                self.set(task, State::Error, Some(Code::SyncFailed), message);
            }
            (Answer::Done | Answer::Applied(_), State::Starting) => result.state = State::Running,
            _ => result.missed = false,
        }
    }

    pub(super) fn set(&mut self, task: &TaskId, state: State, code: Option<Code>, message: &str) {
        let order = self.results.len() + 1;
        let result = self.results.entry(task.clone()).or_insert_with(|| {
            Box::new(TaskResult {
                task: task.clone(),
                state,
                code: None,
                message: String::new(),
                mark: None,
                over: None,
                missed: false,
                order,
            })
        });
        result.state = state;
        result.code = code.or(result.code);
        if !message.is_empty() {
            result.message = message.into();
        }
    }

    pub(super) fn result_mut(&mut self, task: &TaskId) -> Option<&mut TaskResult> {
        self.results.get_mut(task).map(Box::as_mut)
    }

    /// Notes how it ended. What had passed a check does not matter any more.
    pub(super) fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        self.passed = BTreeSet::new();
    }

    pub(super) fn forget(&mut self, task: &TaskId) {
        self.results.remove(task);
    }

    pub(super) fn has_passed(&self, task: &TaskId) -> bool {
        self.passed.contains(task)
    }

    pub(super) fn is_released(&self, task: &TaskId, uid: &str) -> bool {
        self.touched.get(task).is_some_and(|touched| touched.released.as_deref() == Some(uid))
    }

    pub(super) fn is_deleted(&self, task: &TaskId, uid: &str) -> bool {
        self.touched.get(task).is_some_and(|touched| touched.deleted.as_deref() == Some(uid))
    }

    /// True when the server has said that the object of that uid is no more, whatever a cache says.
    pub(super) fn is_gone(&self, task: &TaskId, uid: &str) -> bool {
        self.is_deleted(task, uid) && self.touched.get(task).is_some_and(|touched| touched.gone)
    }

    /// What failed, but for the hooks that run because of it.
    pub(super) fn failures(&self) -> Vec<&TaskResult> {
        let mut failures: Vec<&TaskResult> = self
            .results
            .values()
            .map(Box::as_ref)
            .filter(|result| result.is_failure() && result.task.phase != Phase::SyncFail)
            .collect();
        failures.sort_by_key(|result| result.order);
        failures
    }

    fn touched(&mut self, task: &TaskId) -> &mut Touched {
        self.touched
            .entry(task.clone())
            .or_insert_with(|| Touched { task: Some(task.clone()), ..Touched::default() })
    }
}

/// The stored form: lists, because the key of a mapping is a text in JSON.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    results: Vec<TaskResult>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    touched: Vec<Touched>,
    checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
}

/// What had passed a check is not kept: checking again is harmless.
impl From<Progress> for Stored {
    fn from(progress: Progress) -> Self {
        Self {
            results: progress.results().into_iter().cloned().collect(),
            touched: progress.touched.into_values().collect(),
            checked: progress.checked,
            outcome: progress.outcome,
        }
    }
}

impl From<Stored> for Progress {
    fn from(stored: Stored) -> Self {
        let touched = stored.touched.into_iter().filter_map(|one| Some((one.task.clone()?, one)));
        Self {
            results: stored.results.into_iter().map(|result| (result.task.clone(), result.into())).collect(),
            touched: touched.collect(),
            passed: BTreeSet::new(),
            checked: stored.checked,
            outcome: stored.outcome,
        }
    }
}
