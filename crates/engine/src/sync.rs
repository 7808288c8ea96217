//! A sync of a unit from its beginning to its end: pinned to a revision, recorded before it begins, remembered when it
//! succeeds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::watch;
use towpath_object::{Gvk, Key, Object};
use towpath_plan::sync::policy::{RetryPolicy, is_delivery, remember};
use towpath_plan::sync::{End, Outcome, Problem, Progress, Request, Schedule, schedule};
use towpath_plan::{Applied, Entry, Inventory};

use crate::act::Acting;
use crate::conform::schemas_of;
use crate::decide::{Due, source_digest};
use crate::engine::Engine;
use crate::events::Event;
use crate::member::Member;
use crate::memory::Orders;
use crate::operate::{Ledger, Operated, Operating, operate};
use crate::reconcile::Looked;
use crate::resolved::Resolved;
use crate::settings::Settings;
use crate::store::StoreError;
use crate::unit::{Delivery, Operation, OperationState, Phase, Status, Unit, UnitId};

impl Engine {
    /// Carries out a sync that is due, and says how it ended.
    pub(crate) async fn sync(&self, due: Due) {
        let id = due.unit.id.clone();
        if let Err(error) = self.try_sync(due).await {
            tracing::warn!(unit = %id, %error, "the sync could not be recorded");
        }
        self.shared.remember(&id, |memory| memory.running = None);
        self.shared.queue.push(id);
    }

    async fn try_sync(&self, due: Due) -> Result<(), StoreError> {
        let Due { unit, operation, resume, repairs, mut orders } = due;
        let retry = retry(&unit, &operation);
        let mut state = resume.map_or_else(
            || OperationState {
                revision: operation.revision.clone().unwrap_or_default(),
                source: source_digest(&unit),
                operation,
                phase: Phase::Running,
                message: String::new(),
                started: self.shared.clock.now(),
                finished: None,
                retries: 0,
                repairs,
                deletion: unit.deleting,
                progress: Progress::default(),
            },
            |interrupted| *interrupted,
        );
        // The request is taken only when the operation is on record.
        self.change_status(&unit.id, |status| status.operation = Some(state.clone())).await?;
        self.take_request(&unit.id, &state.operation).await?;
        loop {
            let attempt = self.attempt(&unit, &mut state, &orders).await?;
            let terminated = orders.borrow_and_update().stop.is_some();
            let now = self.shared.clock.now();
            match retry.next(attempt.outcome.end, terminated, state.retries, now) {
                Err(_) => return self.end(&unit, state, attempt).await,
                Ok(at) => {
                    state.retries += 1;
                    state.message = format!("{}; tried again at {at}", attempt.outcome.message);
                    state.progress = Progress::default();
                    if retry.refresh {
                        state.revision.clear();
                    }
                    self.change_status(&unit.id, |status| status.operation = Some(state.clone())).await?;
                    let pause = at.duration_since(now).unsigned_abs();
                    // Somebody who wants it to stop does not have to wait for the next attempt.
                    let _ = tokio::time::timeout(pause, stopped(&mut orders)).await;
                }
            }
        }
    }

    /// One attempt: from the plan to its outcome.
    async fn attempt(
        &self,
        unit: &Unit,
        state: &mut OperationState,
        orders: &watch::Receiver<Orders>,
    ) -> Result<Attempted, StoreError> {
        let pinned = Some(state.revision.clone()).filter(|revision| !revision.is_empty());
        let custom = match self.custom(unit) {
            Ok(custom) => custom,
            Err(error) => return Ok(Attempted::error(error.to_string())),
        };
        let prepared = if state.deletion {
            self.prepare_deletion(unit, state).await
        } else {
            self.prepare_sync(unit, state, pinned).await
        };
        let (member, mut plan) = match prepared {
            Ok(prepared) => prepared,
            Err(message) => return Ok(Attempted::error(message)),
        };
        self.shared.remember(&unit.id, |memory| {
            if let Some(running) = &mut memory.running {
                // Whoever asks for a revision gets it, even if there is a newer one.
                let chosen = state.operation.initiator != "engine" && state.operation.revision.is_some();
                running.revision = if chosen { String::new() } else { state.revision.clone() };
            }
        });
        plan.tasks = match self.shared.gates.before_sync(unit, std::mem::take(&mut plan.tasks)).await {
            Ok(tasks) => tasks,
            Err(veto) => return Ok(Attempted::error(veto.message)),
        };
        // What is about to be created is written down before anything is.
        self.expect(unit, &plan);
        self.change_status(&unit.id, |status| {
            status.operation = Some(state.clone());
            status.inventory = union(&status.inventory, &plan);
        })
        .await?;
        self.shared.hub.tell(Event::SyncStarted { unit: unit.id.clone(), revision: state.revision.clone() });
        let settings = self.shared.settings();
        let signal = self.shared.remember(&unit.id, |memory| memory.signal.clone());
        let judge = custom.judge(unit.policy.rules);
        let schemas = schemas_of(&member, &plan).await;
        let acting = Acting {
            cluster: &member.cluster,
            manager: &settings.manager,
            ignore: &custom.ignore,
            respects: unit.policy.respects_ignored(&plan.options),
            schemas: &schemas,
            owner: &|object| settings.owner(object),
        };
        let operating = Operating {
            shared: &self.shared,
            unit: &unit.id,
            member: &member,
            acting,
            settings: &settings,
            judge: &judge,
            concurrency: settings.concurrency,
            signal: &signal,
            orders: orders.clone(),
            now: state.started,
        };
        let ledger = StatusLedger { engine: self, unit: &unit.id };
        let Operated { outcome, applied } = operate(&operating, &plan, &mut state.progress, &ledger).await?;
        Ok(Attempted { outcome, applied, planned: true })
    }

    async fn prepare_sync(
        &self,
        unit: &Unit,
        state: &mut OperationState,
        pinned: Option<String>,
    ) -> Result<(Arc<Member>, Schedule), String> {
        let looked = self.compare(unit, pinned).await?;
        state.revision.clone_from(&looked.resolved.revision);
        let member =
            self.shared.member(&unit.destination.cluster).await.map_err(|error| error.to_string())?;
        let options = state.operation.options.clone().unwrap_or_else(|| unit.policy.options.clone());
        let kinds = member.cache.kinds();
        let mut live = self.own(unit, &looked.resolved, &member);
        // What another unit has under a wanted name counts too: it is not ours alone.
        let wanted = looked.resolved.targets.iter().filter_map(|goal| member.cache.get(&goal.key));
        let foreign = wanted.filter(|row| row.unit.as_deref().is_some_and(|owner| owner != unit.id.0));
        live.extend(foreign.filter_map(|row| row.managed.map(|managed| managed.object())));
        if options.create_namespace {
            live.extend(self.namespace(unit, &member).await?);
        }
        let settings = self.shared.settings();
        let caller = Known { unit: &unit.id, settings: &settings, looked: Some(&looked) };
        let request = Request {
            rules: unit.policy.rules,
            options,
            namespace: unit.destination.namespace.clone(),
            namespace_metadata: unit.policy.namespace_metadata.clone(),
            wanted: self.manifests(unit, &looked.rendered, &member).wanted,
            live,
            selection: state.operation.selection.clone(),
            revision: state.revision.clone(),
            started: state.started,
            kinds: &kinds,
            unreadable: no_unreadable(),
            caller: &caller,
        };
        let plan = schedule(request).map_err(|problems| tell(&problems))?;
        Ok((member, plan))
    }

    /// What the unit has on its cluster. A label may have been copied: what is neither wanted nor in the inventory is
    /// somebody else's.
    pub(crate) fn own(&self, unit: &Unit, resolved: &Resolved, member: &Member) -> Vec<Object> {
        let records = self.records(unit);
        let wanted: BTreeSet<&Key> = resolved.keys.iter().collect();
        let rows = member.cache.unit(&unit.id.0).into_iter();
        let own = rows.filter(|row| records.contains_key(&row.key) || wanted.contains(&row.key));
        own.filter_map(|row| row.managed.map(|managed| managed.object())).collect()
    }

    /// The unit's namespace, if it exists. It carries no label of ours, so no watch tells.
    async fn namespace(&self, unit: &Unit, member: &Member) -> Result<Option<Object>, String> {
        let name = &unit.destination.namespace;
        let known = member.cache.kinds().get(&Gvk::new("v1", "Namespace")).cloned();
        let Some(resource) = known.filter(|_| !name.is_empty()) else { return Ok(None) };
        let found = member.cluster.get(&resource, "", name).await.map_err(|error| error.to_string())?;
        let object = found.and_then(|value| Object::new(value).ok());
        // If it is the unit's it is among the live objects already.
        let settings = self.shared.settings();
        Ok(object.filter(|object| settings.owner(object).as_ref() != Some(&unit.id.0)))
    }

    /// Remembers what is about to be applied: it is the unit's even if it is never heard of again.
    fn expect(&self, unit: &Unit, plan: &Schedule) {
        self.records(unit);
        self.shared.remember(&unit.id, |memory| {
            for task in plan.tasks.iter().filter(|task| task.target.is_some()) {
                memory.records.entry(task.id.key.clone()).or_insert(Applied::NotYet);
            }
        });
    }

    /// A request that is being carried out, or has nothing to stop, is no longer a request. Another that came meanwhile
    /// stays.
    pub(crate) async fn take_request(&self, id: &UnitId, taken: &Operation) -> Result<(), StoreError> {
        loop {
            let Some(stored) = self.shared.units.get(id).await? else { return Ok(()) };
            if !stored.unit.operation.is_some_and(|asked| asked.terminate || asked == *taken) {
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
        attempt: Attempted,
    ) -> Result<(), StoreError> {
        let Attempted { outcome, applied, planned } = attempt;
        state.phase = match outcome.end {
            End::Succeeded => Phase::Succeeded,
            End::Failed | End::Superseded => Phase::Failed,
            End::Error => Phase::Error,
        };
        (state.message, state.finished) = (outcome.message.clone(), Some(self.shared.clock.now()));
        let history = self.shared.settings().history;
        let options = state.operation.options.clone().unwrap_or_else(|| unit.policy.options.clone());
        let delivered =
            planned && !state.deletion && is_delivery(&outcome, &options, &state.operation.selection);
        self.change_status(&unit.id, |status| {
            status.operation = Some(state.clone());
            status.inventory = settle(&status.inventory, &applied);
            if delivered {
                let delivery = delivery(status.history.last(), unit, &state);
                remember(&mut status.history, delivery, history);
            }
        })
        .await?;
        self.shared.gates.after_sync(unit, &state).await;
        self.shared.hub.tell(Event::SyncCompleted { unit: unit.id.clone(), state: Box::new(state) });
        Ok(())
    }
}

/// What came of one attempt.
struct Attempted {
    outcome: Outcome,
    applied: BTreeMap<Key, Applied>,
    /// It came to a plan.
    planned: bool,
}

impl Attempted {
    /// It did not even begin.
    fn error(message: String) -> Self {
        Self { outcome: Outcome { end: End::Error, message }, applied: BTreeMap::new(), planned: false }
    }
}

/// How a unit's operation is tried again. A deletion is: the unit stays until one succeeds.
fn retry(unit: &Unit, operation: &Operation) -> RetryPolicy {
    if unit.deleting || operation.initiator != "engine" && unit.policy.retry.is_none() {
        return RetryPolicy::default();
    }
    unit.policy.retry.clone().unwrap_or_else(RetryPolicy::automatic)
}

/// Waits until somebody wants it to stop.
async fn stopped(orders: &mut watch::Receiver<Orders>) {
    // The sender lives as long as the operation.
    let _ = orders.wait_for(|orders| orders.stop.is_some()).await;
}

/// The problems, in a sentence.
pub(crate) fn tell(problems: &[Problem]) -> String {
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// Groups that could not be discovered are an error of the comparison already.
pub(crate) fn no_unreadable() -> &'static BTreeMap<String, String> {
    static NONE: BTreeMap<String, String> = BTreeMap::new();
    &NONE
}

/// The inventory with everything that the sync may create.
fn union(text: &str, plan: &Schedule) -> String {
    let mut inventory = Inventory::parse(text).unwrap_or_default();
    for task in &plan.tasks {
        if let Some(target) = &task.target {
            let Gvk { version, .. } = target.gvk();
            let entry = || Entry { version, applied: Applied::NotYet };
            inventory.entries.entry(task.id.key.clone()).or_insert_with(entry);
        }
    }
    inventory.to_text()
}

/// The inventory after a sync: with the records of its applies. What has gone leaves it when that has been seen.
fn settle(text: &str, applied: &BTreeMap<Key, Applied>) -> String {
    let mut inventory = Inventory::parse(text).unwrap_or_default();
    for (key, known) in applied {
        if let Some(entry) = inventory.entries.get_mut(key) {
            entry.applied = known.clone().written(key);
        }
    }
    inventory.to_text()
}

/// A successful sync, for the history.
fn delivery(last: Option<&Delivery>, unit: &Unit, state: &OperationState) -> Delivery {
    Delivery {
        id: last.map_or(1, |last| last.id + 1),
        revision: state.revision.clone(),
        source: unit.source.clone(),
        started: state.started,
        finished: state.finished.unwrap_or(state.started),
        initiator: state.operation.initiator.clone(),
    }
}

/// What the comparison knows, for the schedule.
pub(crate) struct Known<'a> {
    pub(crate) unit: &'a UnitId,
    pub(crate) settings: &'a Settings,
    pub(crate) looked: Option<&'a Looked>,
}

impl towpath_plan::sync::Caller for Known<'_> {
    fn modified(&self, key: &Key) -> Option<bool> {
        let standing = self.looked?.comparison.standing.get(key)?;
        Some(*standing != crate::compare::Standing::Same)
    }

    fn other_owner(&self, live: &Object) -> Option<String> {
        self.settings.owner(live).filter(|owner| *owner != self.unit.0)
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
