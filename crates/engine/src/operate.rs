//! One operation: a schedule carried out step by step. Deciding is `plan::sync`'s; here is only the order of writing
//! down, doing and waiting.
//!
//! ```text
//! step ─► Act: write down what is about to happen ─► do it ─► record the answers ─► step
//!      ─► Wait / Confirm: until something of the unit changes ─► step
//!      ─► Done
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use towpath_health::{Judge, Verdict as Judged};
use towpath_object::{Key, Object, digest};
use towpath_plan::sync::{
    Action, Answer, Observation, Outcome, Progress, Schedule, Seen, Situation, Step, Task, TaskId, Verdict,
    step,
};
use towpath_plan::{Applied, Origin, Target, rank, record};

use crate::act::act;
use crate::engine::Orders;
use crate::member::Member;
use crate::store::StoreError;

/// How long to wait at most before looking again, whatever the watches say.
const TICK: Duration = Duration::from_secs(30);

/// Where an operation writes down how far it is.
pub(crate) trait Ledger {
    /// Keeps the progress; nothing else happens until it is kept.
    fn keep(&self, progress: &Progress) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Everything that an operation needs.
pub(crate) struct Operating<'a> {
    pub(crate) member: &'a Member,
    pub(crate) manager: &'a str,
    pub(crate) judge: &'a Judge,
    pub(crate) concurrency: usize,
    /// Rings when something of the unit changes.
    pub(crate) signal: &'a Notify,
    /// Says when to stop, and when deletions were consented to.
    pub(crate) orders: watch::Receiver<Orders>,
    pub(crate) now: Timestamp,
}

/// What came of an operation.
pub(crate) struct Operated {
    pub(crate) outcome: Outcome,
    /// What is known of each apply.
    pub(crate) applied: BTreeMap<Key, Applied>,
}

/// Carries out a schedule.
pub(crate) async fn operate(
    operating: &Operating<'_>,
    schedule: &Schedule,
    progress: &mut Progress,
    ledger: &impl Ledger,
) -> Result<Operated, StoreError> {
    let tasks = schedule.by_id();
    let applied = Mutex::new(BTreeMap::new());
    let gone = Mutex::new(BTreeSet::new());
    let mut orders = operating.orders.clone();
    // Hooks must never run twice, so their start is written down first. Plain objects can be applied again.
    let careful = schedule.tasks.iter().any(Task::is_hook);
    loop {
        let changed = operating.signal.notified();
        let next = {
            let view = |key: &Key| operating.see(key, &gone);
            let Orders { stop, approved } = orders.borrow_and_update().clone();
            step(schedule, progress, &Situation { view: &view, approved, stop })
        };
        match next {
            Step::Done(outcome) => {
                let applied = applied.into_inner().unwrap_or_else(PoisonError::into_inner);
                return Ok(Operated { outcome, applied });
            }
            Step::Act(actions) => {
                if careful {
                    ledger.keep(progress).await?;
                }
                for (action, answer) in operating.carry_out(actions, &tasks, &applied, &gone).await {
                    progress.record(&action, answer);
                }
                if careful {
                    ledger.keep(progress).await?;
                }
            }
            Step::Wait(_) | Step::Confirm(_) => {
                tokio::select! {
                    _ = timeout(TICK, changed) => {}
                    _ = orders.changed() => {}
                }
            }
        }
    }
}

impl Operating<'_> {
    async fn carry_out(
        &self,
        actions: Vec<Action>,
        tasks: &BTreeMap<&TaskId, &Task>,
        applied: &Mutex<BTreeMap<Key, Applied>>,
        gone: &Mutex<BTreeSet<Key>>,
    ) -> Vec<(Action, Answer)> {
        let doing = actions.into_iter().map(|action| async move {
            let Some(task) = tasks.get(action.task()) else {
                return (action, Answer::Refused("the task is not in the schedule any more".into()));
            };
            let acted = act(&self.member.cluster, self.manager, &action, task).await;
            if let Some(returned) = &acted.returned {
                self.note(task, returned, applied);
            }
            let mut gone = gone.lock().unwrap_or_else(PoisonError::into_inner);
            if acted.answer == Answer::NotFound {
                gone.insert(task.id.key.clone());
            } else {
                gone.remove(&task.id.key);
            }
            drop(gone);
            (action, acted.answer)
        });
        stream::iter(doing).buffer_unordered(self.concurrency).collect().await
    }

    /// Remembers what an apply left behind.
    fn note(&self, task: &Task, returned: &serde_json::Value, applied: &Mutex<BTreeMap<Key, Applied>>) {
        let Some(target) = as_target(task) else { return };
        let known = record(&target, returned, self.manager);
        applied.lock().unwrap_or_else(PoisonError::into_inner).insert(task.id.key.clone(), known);
    }

    /// What the cache knows of an object, or what the server has said of it meanwhile.
    fn see(&self, key: &Key, gone: &Mutex<BTreeSet<Key>>) -> Seen {
        let object = self.member.cache.get(key).and_then(|row| row.managed.map(|managed| managed.object()));
        match object {
            Some(object) => Seen::There(self.observe(&object)),
            None if gone.lock().unwrap_or_else(PoisonError::into_inner).contains(key) => Seen::Gone,
            None => Seen::Unseen,
        }
    }

    fn observe(&self, object: &Object) -> Observation {
        let assessment = self.judge.assess(object, self.now);
        let verdict = match assessment.verdict {
            Judged::None => Verdict::None,
            Judged::Ready => Verdict::Ready,
            Judged::Suspended => Verdict::Suspended,
            Judged::Progressing => Verdict::Progressing,
            Judged::Failed => Verdict::Failed,
            Judged::Missing | Judged::Unknown => Verdict::Unknown,
        };
        Observation::new(object, verdict, &assessment.message)
    }
}

/// A task as a target, for the record of its apply.
fn as_target(task: &Task) -> Option<Target> {
    let (object, resource) = (task.target.clone()?, task.resource.clone()?);
    let origin = task.origin.clone().unwrap_or_else(|| Origin { file: "rendered".into(), line: 1 });
    let (stage, _) = rank(&task.id.key.group, &task.id.key.kind);
    Some(Target { digest: digest(object.value()), object, resource, origin, stage })
}
