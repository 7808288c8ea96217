//! A sync of a unit from its beginning to its end: pinned to a revision, recorded before it begins, remembered when it
//! succeeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use towpath_object::{Gvk, Key, Object};
use towpath_plan::sync::{End, Outcome, Progress, Request, Schedule, Selection, deletion, schedule};
use towpath_plan::{Applied, Entry, Inventory};

use crate::engine::Engine;
use crate::events::Event;
use crate::member::Member;
use crate::operate::{Ledger, Operated, Operating, operate};
use crate::reconcile::{Due, Looked};
use crate::store::StoreError;
use crate::unit::{Delivery, OperationState, Phase, Status, Unit, UnitId};

impl Engine {
    /// Carries out a sync that is due, and says how it ended.
    pub(crate) async fn sync(&self, due: Due) {
        let id = due.unit.id.clone();
        if let Err(error) = self.try_sync(due).await {
            tracing::warn!(unit = %id, %error, "the sync could not be recorded");
        }
        self.shared.remember(&id, |memory| memory.stop = None);
        self.shared.queue.push(id);
    }

    async fn try_sync(&self, due: Due) -> Result<(), StoreError> {
        let Due { unit, operation, resume, stop } = due;
        let started = self.shared.clock.now();
        let mut state = resume.unwrap_or_else(|| OperationState {
            revision: operation.revision.clone().unwrap_or_default(),
            operation,
            phase: Phase::Running,
            message: String::new(),
            started,
            finished: None,
            retries: 0,
            progress: Progress::default(),
        });
        // The request is taken only when the operation is on record.
        self.change_status(&unit.id, |status| status.operation = Some(state.clone())).await?;
        self.take_request(&unit.id).await?;
        let pinned = Some(state.revision.clone()).filter(|revision| !revision.is_empty());
        let prepared = self.prepare_sync(&unit, &mut state, pinned).await;
        let (member, mut plan, looked) = match prepared {
            Ok(prepared) => prepared,
            Err(message) => {
                return self.end(&unit, state, Phase::Error, message, &BTreeMap::new(), None).await;
            }
        };
        plan.tasks = match self.shared.gates.before_sync(&unit, std::mem::take(&mut plan.tasks)).await {
            Ok(tasks) => tasks,
            Err(veto) => {
                return self.end(&unit, state, Phase::Error, veto.message, &BTreeMap::new(), None).await;
            }
        };
        // What is about to be created is written down before anything is.
        let inventory = union(&unit, &plan);
        self.change_status(&unit.id, |status| {
            status.operation = Some(state.clone());
            status.inventory.clone_from(&inventory);
        })
        .await?;
        self.shared.hub.tell(Event::SyncStarted { unit: unit.id.clone(), revision: state.revision.clone() });
        let settings = self.shared.settings();
        let signal = self.shared.remember(&unit.id, |memory| memory.signal.clone());
        let judge = self.judge(unit.policy.rules);
        let operating = Operating {
            member: &member,
            manager: &settings.manager,
            judge: &judge,
            concurrency: settings.concurrency,
            signal: &signal,
            stop,
            approved: None,
            now: started,
        };
        let ledger = StatusLedger { engine: self, unit: &unit.id };
        let Operated { outcome, applied } = operate(&operating, &plan, &mut state.progress, &ledger).await?;
        let Outcome { end, message } = outcome;
        let phase = match end {
            End::Succeeded => Phase::Succeeded,
            End::Failed | End::Superseded => Phase::Failed,
            End::Error => Phase::Error,
        };
        self.end(&unit, state, phase, message, &applied, Some((&plan, &looked))).await
    }

    async fn prepare_sync(
        &self,
        unit: &Unit,
        state: &mut OperationState,
        pinned: Option<String>,
    ) -> Result<(Arc<Member>, Schedule, Looked), String> {
        let looked = self.compare(unit, pinned).await?;
        state.revision.clone_from(&looked.resolved.revision);
        let member =
            self.shared.member(&unit.destination.cluster).await.map_err(|error| error.to_string())?;
        let options = state.operation.options.clone().unwrap_or_else(|| unit.policy.options.clone());
        let kinds = member.cache.kinds();
        let rows = member.cache.unit(&unit.id.0).into_iter();
        let live: Vec<Object> = rows.filter_map(|row| row.managed.map(|managed| managed.object())).collect();
        let caller = Known { looked: &looked };
        let request = Request {
            rules: unit.policy.rules,
            options,
            namespace: unit.destination.namespace.clone(),
            namespace_metadata: None,
            wanted: looked.resolved.wanted.to_vec(),
            live,
            selection: Selection::All,
            revision: state.revision.clone(),
            started: state.started,
            kinds: &kinds,
            unreadable: &BTreeMap::new(),
            caller: &caller,
        };
        let made = if unit.deleting { deletion(request) } else { schedule(request) };
        let plan = made.map_err(|problems| {
            let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
            texts.join("; ")
        })?;
        Ok((member, plan, looked))
    }

    /// A request that is being carried out is no longer a request.
    async fn take_request(&self, id: &UnitId) -> Result<(), StoreError> {
        loop {
            let Some(stored) = self.shared.units.get(id).await? else { return Ok(()) };
            if stored.unit.operation.is_none() {
                return Ok(());
            }
            match self.shared.units.set_operation(id, &stored.version, None).await {
                Err(StoreError::Conflict { .. }) => {}
                other => return other.map(|_| ()),
            }
        }
    }

    /// Writes down how it ended, and tells.
    async fn end(
        &self,
        unit: &Unit,
        mut state: OperationState,
        phase: Phase,
        message: String,
        applied: &BTreeMap<Key, Applied>,
        done: Option<(&Schedule, &Looked)>,
    ) -> Result<(), StoreError> {
        let finished = self.shared.clock.now();
        (state.phase, state.message, state.finished) = (phase, message, Some(finished));
        let member = self.shared.member(&unit.destination.cluster).await.ok();
        self.shared.remember(&unit.id, |memory| memory.records.extend(applied.clone()));
        let history = self.shared.settings().history;
        self.change_status(&unit.id, |status| {
            status.operation = Some(state.clone());
            if let (Some((plan, _)), Some(member)) = (done, &member) {
                status.inventory = settle(&status.inventory, plan, applied, member, phase);
            }
            if phase == Phase::Succeeded && done.is_some() {
                remember_delivery(status, unit, &state, history);
            }
        })
        .await?;
        self.shared.gates.after_sync(unit, &state).await;
        self.shared.hub.tell(Event::SyncCompleted { unit: unit.id.clone(), state: Box::new(state) });
        Ok(())
    }
}

/// The inventory with everything that the sync may create.
fn union(unit: &Unit, plan: &Schedule) -> String {
    let mut inventory = Inventory::parse(&unit.status.inventory).unwrap_or_default();
    for task in &plan.tasks {
        if let Some(target) = &task.target {
            let Gvk { version, .. } = target.gvk();
            let entry = || Entry { version, applied: Applied::NotYet };
            inventory.entries.entry(task.id.key.clone()).or_insert_with(entry);
        }
    }
    inventory.to_text()
}

/// The inventory after a sync: with the records of its applies, and after a success without what has gone.
fn settle(
    text: &str,
    plan: &Schedule,
    applied: &BTreeMap<Key, Applied>,
    member: &Member,
    phase: Phase,
) -> String {
    let mut inventory = Inventory::parse(text).unwrap_or_default();
    for (key, known) in applied {
        if let Some(entry) = inventory.entries.get_mut(key) {
            entry.applied = known.clone().written(key);
        }
    }
    if phase == Phase::Succeeded {
        let gone =
            plan.tasks.iter().filter(|task| task.is_prune() && member.cache.get(&task.id.key).is_none());
        for task in gone {
            inventory.entries.remove(&task.id.key);
        }
    }
    inventory.to_text()
}

fn remember_delivery(status: &mut Status, unit: &Unit, state: &OperationState, most: usize) {
    let id = status.history.last().map_or(1, |last| last.id + 1);
    status.history.push(Delivery {
        id,
        revision: state.revision.clone(),
        source: unit.source.clone(),
        started: state.started,
        finished: state.finished.unwrap_or(state.started),
        initiator: state.operation.initiator.clone(),
    });
    let excess = status.history.len().saturating_sub(most);
    status.history.drain(..excess);
}

/// What the comparison knows, for the schedule.
struct Known<'a> {
    looked: &'a Looked,
}

impl towpath_plan::sync::Caller for Known<'_> {
    fn modified(&self, key: &Key) -> Option<bool> {
        let standing = self.looked.comparison.standing.get(key)?;
        Some(*standing != crate::compare::Standing::Same)
    }
}

/// Keeps the progress in the unit's status.
struct StatusLedger<'a> {
    engine: &'a Engine,
    unit: &'a UnitId,
}

impl Ledger for StatusLedger<'_> {
    async fn keep(&self, progress: &Progress) -> Result<(), StoreError> {
        let keep = |status: &mut Status| {
            if let Some(operation) = &mut status.operation {
                operation.progress = progress.clone();
            }
        };
        self.engine.change_status(self.unit, keep).await.map(|_| ())
    }
}
