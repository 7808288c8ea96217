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
use towpath_health::Judge;
use towpath_object::{Key, Object, digest};
use towpath_plan::sync::{
    Action, Answer, Outcome, Progress, Schedule, Seen, Situation, Step, Task, TaskId, step,
};
use towpath_plan::{Applied, Origin, Target, rank, record};

use crate::act::{Acted, Acting, act};
use crate::engine::Shared;
use crate::member::Member;
use crate::memory::Orders;
use crate::observe::observe;
use crate::settings::Settings;
use crate::store::StoreError;
use crate::unit::UnitId;

/// How long to wait at most before looking again, whatever the watches say.
const TICK: Duration = Duration::from_secs(30);

/// How long to wait at most for a turn at writing.
const TURN: Duration = Duration::from_secs(2);

/// Where an operation writes down how far it is.
pub(crate) trait Ledger {
    /// Keeps the progress; nothing else happens until it is kept.
    fn keep(&self, progress: &Progress) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Everything that an operation needs.
pub(crate) struct Operating<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) unit: &'a UnitId,
    pub(crate) member: &'a Member,
    /// How actions are carried out.
    pub(crate) acting: Acting<'a>,
    /// Say which unit an object belongs to.
    pub(crate) settings: &'a Settings,
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

/// What the server has said of objects during an operation.
#[derive(Default)]
struct Told {
    /// They are not there.
    gone: BTreeSet<Key>,
    /// How they are, where no watch tells.
    objects: BTreeMap<Key, Object>,
}

/// Carries out a schedule.
pub(crate) async fn operate(
    operating: &Operating<'_>,
    schedule: &Schedule,
    progress: &mut Progress,
    ledger: &impl Ledger,
) -> Result<Operated, StoreError> {
    let tasks = schedule.by_id();
    let done = Mutex::new(BTreeMap::new());
    let told = Mutex::new(Told::default());
    let mut orders = operating.orders.clone();
    // Hooks must never run twice, so their start is written down first. Plain objects can be applied again.
    let careful = schedule.tasks.iter().any(Task::is_hook);
    loop {
        let changed = operating.signal.notified();
        let next = {
            let view = |key: &Key| operating.see(key, &told);
            let Orders { stop, approved } = orders.borrow_and_update().clone();
            step(schedule, progress, &Situation { view: &view, approved, stop })
        };
        match next {
            Step::Done(outcome) => {
                let applied = done.into_inner().unwrap_or_else(PoisonError::into_inner);
                return Ok(Operated { outcome, applied });
            }
            Step::Act(actions) => {
                if careful {
                    ledger.keep(progress).await?;
                }
                for (action, answer) in operating.carry_out(actions, &tasks, &done, &told).await {
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
        done: &Mutex<BTreeMap<Key, Applied>>,
        told: &Mutex<Told>,
    ) -> Vec<(Action, Answer)> {
        let doing = actions.into_iter().map(|action| async move {
            let Some(task) = tasks.get(action.task()) else {
                return (action, Answer::Refused("the task is not in the schedule any more".into()));
            };
            // Nobody's turn is waited for longer than that: some writes wait for a finalizer.
            let turn = timeout(TURN, self.member.turns.acquire()).await;
            let acted = act(&self.acting, &action, task).await;
            drop(turn);
            self.note(task, &action, &acted, done);
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            let key = &task.id.key;
            if acted.answer == Answer::NotFound {
                told.gone.insert(key.clone());
            } else {
                told.gone.remove(key);
            }
            if let (false, Some(object)) = (self.is_watched(task), acted.returned.map(Object::new)) {
                told.objects.extend(object.ok().map(|object| (key.clone(), object)));
            }
            drop(told);
            (action, acted.answer)
        });
        stream::iter(doing).buffer_unordered(self.concurrency).collect().await
    }

    /// Remembers what a write left behind, at once: whoever compares meanwhile needs not ask the server.
    fn note(&self, task: &Task, action: &Action, acted: &Acted, done: &Mutex<BTreeMap<Key, Applied>>) {
        let key = task.id.key.clone();
        match (action, &acted.answer, &acted.returned) {
            (Action::Apply { .. }, Answer::Applied(mark), Some(returned)) => {
                let Some(target) = as_target(task) else { return };
                let wanted = target.digest;
                // What ignore rules made of it proves nothing once they are gone.
                let sent = Target { digest: acted.sent.unwrap_or(wanted), ..target };
                let applied = record(&sent, returned, self.acting.manager);
                self.shared.remember(self.unit, |memory| {
                    memory.written.applied(key.clone(), mark.resource_version.clone(), wanted);
                    memory.records.insert(key.clone(), applied.clone());
                });
                done.lock().unwrap_or_else(PoisonError::into_inner).insert(key, applied);
            }
            (Action::Prune { uid, .. }, Answer::Done, _) => {
                self.shared.remember(self.unit, |memory| memory.written.removed(key, uid.clone()));
            }
            _ => {}
        }
    }

    /// What is no unit's is not watched: that is the unit's namespace.
    fn is_watched(&self, task: &Task) -> bool {
        let object = task.target.as_ref().or(task.live.as_ref());
        object.is_some_and(|object| self.settings.owner(object).is_some())
    }

    /// What the cache knows of an object, or what the server has said of it meanwhile.
    fn see(&self, key: &Key, told: &Mutex<Told>) -> Seen {
        let object = self.member.cache.get(key).and_then(|row| row.managed.map(|managed| managed.object()));
        let told = told.lock().unwrap_or_else(PoisonError::into_inner);
        match object.as_ref().or_else(|| told.objects.get(key)) {
            Some(object) => Seen::There(observe(self.judge, object, self.now)),
            None if told.gone.contains(key) => Seen::Gone,
            None => Seen::Unseen,
        }
    }
}

/// A task as a target, for the record of its apply.
pub(crate) fn as_target(task: &Task) -> Option<Target> {
    let (object, resource) = (task.target.clone()?, task.resource.clone()?);
    let origin = task.origin.clone().unwrap_or_else(|| Origin { file: "rendered".into(), line: 1 });
    let (stage, _) = rank(&task.id.key.group, &task.id.key.kind);
    Some(Target { digest: digest(object.value()), object, resource, origin, stage })
}
