//! Whether a sync is due: somebody asked, one was interrupted, or the unit's policy says so.

use std::time::Duration;

use tokio::sync::watch;
use towpath_object::digest;
use towpath_plan::sync::policy::{Attempt, AutoSync, Automation, Circumstances, ObjectState, auto_sync};
use towpath_plan::sync::{End, Selection, Stop, SyncOptions};

use crate::compare::Standing;
use crate::engine::Engine;
use crate::events::Event;
use crate::memory::{Orders, Running};
use crate::reconcile::Looked;
use crate::unit::{Operation, OperationState, Phase, SyncState, Unit};

/// A sync that is due.
pub(crate) struct Due {
    pub(crate) unit: Unit,
    pub(crate) operation: Operation,
    /// An operation that was under way when somebody was killed.
    pub(crate) resume: Option<Box<OperationState>>,
    /// How many repairs in a row it is.
    pub(crate) repairs: u32,
    pub(crate) orders: watch::Receiver<Orders>,
}

/// How much may be decided of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum May {
    /// An operation was under way when the unit was read: what was read is too old to begin another.
    GiveOrders,
    /// It waits for others: only what was interrupted goes on.
    GoOn,
    /// Everything.
    Begin,
}

/// What is due.
enum Wish {
    Nothing,
    Later(Duration),
    Sync { operation: Operation, resume: Option<Box<OperationState>>, repairs: u32 },
}

/// What somebody asked for. They are told of it even where nothing can be told of the unit; what was interrupted waits.
fn asked(unit: &Unit) -> Wish {
    let interrupted = unit.status.operation.as_ref().is_some_and(|state| !state.phase.is_over());
    match &unit.operation {
        Some(operation) if !interrupted => {
            Wish::Sync { operation: operation.clone(), resume: None, repairs: 0 }
        }
        _ => Wish::Nothing,
    }
}

fn terminated() -> Stop {
    Stop::Now("it was terminated".into())
}

/// The options of a sync that nobody asked for.
pub(crate) fn automatic_options(unit: &Unit) -> SyncOptions {
    let mut options = unit.policy.options.clone();
    if let Some(automated) = unit.policy.automated {
        options.prune = automated.prune;
        options.allow_empty = automated.allow_empty;
    }
    options
}

/// The digest of a unit's source: whether an attempt was made from the same one.
pub(crate) fn source_digest(unit: &Unit) -> String {
    digest(&unit.source).short()
}

impl Engine {
    /// The sync that is due, if one is. One unit has one at a time; a newer revision asks the one under way to stop.
    pub(crate) fn decide(&self, unit: Unit, looked: Option<&Looked>, may: May) -> Option<Due> {
        let terminate = unit.operation.as_ref().is_some_and(|operation| operation.terminate);
        if let Some(running) = self.shared.remember(&unit.id, |memory| memory.running.clone()) {
            let newer =
                looked.filter(|_| !running.revision.is_empty()).map(|looked| &looked.resolved.revision);
            let preempted = newer.and_then(|newest| unit.policy.preemption.stop(&running.revision, newest));
            let stop = if terminate { Some(terminated()) } else { preempted };
            running.orders.send_if_modified(|orders| {
                let before = orders.clone();
                orders.approved = unit.policy.deletions_approved;
                orders.stop = stop.or(orders.stop.take());
                *orders != before
            });
            return None;
        }
        if may == May::GiveOrders {
            return None;
        }
        let interrupted = unit.status.operation.as_ref().is_some_and(|state| !state.phase.is_over());
        if terminate && !interrupted {
            self.drop_request(&unit);
            return None;
        }
        if may == May::GoOn && !interrupted {
            return None;
        }
        let wish = match looked {
            Some(looked) => self.wish(&unit, looked),
            None => asked(&unit),
        };
        match wish {
            Wish::Nothing => None,
            Wish::Later(pause) => {
                self.shared.push_later(unit.id, pause);
                None
            }
            Wish::Sync { operation, resume, repairs } => Some(self.begin(unit, operation, resume, repairs)),
        }
    }

    /// From now on the unit has an operation under way.
    pub(crate) fn begin(
        &self,
        unit: Unit,
        operation: Operation,
        resume: Option<Box<OperationState>>,
        repairs: u32,
    ) -> Due {
        // What was interrupted may have been terminated since.
        let terminate = unit.operation.as_ref().is_some_and(|operation| operation.terminate);
        let stop = terminate.then(terminated);
        let (sender, orders) = watch::channel(Orders { stop, approved: unit.policy.deletions_approved });
        let running = Running { orders: sender, revision: String::new(), deletion: unit.deleting };
        self.shared.remember(&unit.id, |memory| memory.running = Some(running));
        Due { unit, operation, resume, repairs, orders }
    }

    /// There is nothing to terminate.
    fn drop_request(&self, unit: &Unit) {
        let (engine, id) = (self.clone(), unit.id.clone());
        self.shared.spawn(async move {
            if let Err(error) = engine.take_request(&id, &Operation::default()).await {
                tracing::warn!(unit = %id, %error, "the request cannot be taken away");
            }
        });
    }

    fn wish(&self, unit: &Unit, looked: &Looked) -> Wish {
        if let Some(state) = unit.status.operation.as_ref().filter(|state| !state.phase.is_over()) {
            let (operation, repairs) = (state.operation.clone(), state.repairs);
            return Wish::Sync { operation, resume: Some(Box::new(state.clone())), repairs };
        }
        if let asked @ Wish::Sync { .. } = asked(unit) {
            return asked;
        }
        let (selection, repairs) = match self.automatic(unit, looked) {
            AutoSync::Sync => (Selection::All, 0),
            AutoSync::Heal { selection, repairs } => (selection, repairs),
            AutoSync::Later(pause) => return Wish::Later(pause.unsigned_abs()),
            AutoSync::Skip(skip) => {
                if skip.is_trouble() && unit.status.message != skip.to_string() {
                    let (unit, message) = (unit.id.clone(), skip.to_string());
                    self.shared.hub.tell(Event::Unit { unit, reason: "NotSynced", message });
                }
                return Wish::Nothing;
            }
        };
        let mut options = automatic_options(unit);
        options.out_of_sync_only = true;
        let revision = Some(looked.resolved.revision.clone());
        let initiator = "engine".to_string();
        let operation =
            Operation { revision, options: Some(options), initiator, selection, ..Operation::default() };
        Wish::Sync { operation, resume: None, repairs }
    }

    /// What the unit's own policy says.
    pub(crate) fn automatic(&self, unit: &Unit, looked: &Looked) -> AutoSync {
        let comparison = &looked.comparison;
        let wanted = comparison.standing.iter().map(|(key, standing)| ObjectState {
            key: key.clone(),
            synced: *standing == Standing::Same,
            to_prune: false,
        });
        let extra = comparison.extra.iter().map(|row| ObjectState {
            key: row.key.clone(),
            synced: false,
            to_prune: true,
        });
        let objects: Vec<ObjectState> = wanted.chain(extra).collect();
        let revisions = [looked.resolved.revision.clone()];
        let last = unit.status.operation.as_ref();
        let tried = last.map(|state| [state.revision.clone()]);
        let attempt = last.zip(tried.as_ref()).map(|(state, tried)| Attempt {
            revisions: tried,
            source: &state.source,
            end: match state.phase {
                Phase::Succeeded => End::Succeeded,
                Phase::Error => End::Error,
                Phase::Running | Phase::Terminating | Phase::Failed => End::Failed,
            },
            message: &state.message,
            finished: state.finished,
            repairs: state.repairs,
        });
        auto_sync(&Circumstances {
            automation: unit.policy.automated.map(|automated| Automation {
                prune: automated.prune,
                self_heal: automated.self_heal,
                allow_empty: automated.allow_empty,
            }),
            window_open: true,
            busy: false,
            deleting: unit.deleting,
            // What cannot be judged is tried, too: the sync says what is wrong.
            out_of_sync: comparison.state() != SyncState::Synced,
            objects: &objects,
            revisions: &revisions,
            touched: true,
            source: &source_digest(unit),
            last: attempt,
            now: self.shared.clock.now(),
        })
    }
}
