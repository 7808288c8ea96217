//! The end of a unit: everything it has goes, in the reverse of the order in which it came, then the unit itself.
//!
//! ```text
//! deleting ─► a sync under way stops ─► dependants that go as well are gone ─► the deletion, again until it succeeds
//!          ─► the unit is taken out of its store
//! ```

use std::sync::Arc;
use std::time::Duration;

use towpath_plan::sync::policy::heal_remaining;
use towpath_plan::sync::{Request, Schedule, Stop, deletion};

use crate::decide::Due;
use crate::engine::Engine;
use crate::events::Event;
use crate::member::{Member, MemberError};
use crate::resolved::resolve;
use crate::source::{GenerateRequest, Rendered};
use crate::store::StoreError;
use crate::sync::{Known, no_unreadable};
use crate::unit::{Operation, OperationState, Phase, Unit};

/// How long until a cluster that cannot be reached is tried again.
const PATIENCE: Duration = Duration::from_secs(10);

impl Engine {
    /// Brings a unit that is to go nearer to its end. Gives back the deletion that is due, if one is.
    pub(crate) async fn leave(&self, unit: Unit, idle: bool) -> Result<Option<Due>, StoreError> {
        if let Some(running) = self.shared.remember(&unit.id, |memory| memory.running.clone()) {
            let approved = unit.policy.deletions_approved;
            running.orders.send_if_modified(|orders| {
                let before = orders.clone();
                orders.approved = approved;
                if !running.deletion {
                    orders.stop = Some(Stop::Now("the unit is to be deleted".into()));
                }
                *orders != before
            });
            return Ok(None);
        }
        // Whatever was under way when the unit was read has it looked at again at its end.
        if !idle {
            return Ok(None);
        }
        if let Some(dependant) = self.dependant_on_its_way(&unit).await? {
            self.say(&unit, format!("{dependant} depends on it and goes first")).await?;
            return Ok(None);
        }
        match self.shared.member(&unit.destination.cluster).await {
            Ok(_) => {}
            // What is on a cluster that nobody knows cannot be reached by anybody, now or later.
            Err(error @ MemberError::Unknown(_)) => {
                let message = format!("nothing was deleted: {error}");
                self.shared.hub.tell(Event::Unit { unit: unit.id.clone(), reason: "Abandoned", message });
                return self.forget(&unit).await;
            }
            Err(error) => {
                self.say(&unit, error.to_string()).await?;
                self.shared.push_later(unit.id, PATIENCE);
                return Ok(None);
            }
        }
        let last = unit.status.operation.clone().filter(|state| state.deletion);
        let (resume, failed) = match last {
            Some(state) if state.phase == Phase::Succeeded => return self.forget(&unit).await,
            Some(state) if state.phase.is_over() => (None, Some(state)),
            interrupted => (interrupted, None),
        };
        let repairs = failed.as_ref().map_or(0, |state| state.repairs.saturating_add(1));
        let finished = failed.and_then(|state| state.finished);
        let pause = heal_remaining(repairs, finished, self.shared.clock.now());
        if !pause.is_zero() {
            self.shared.push_later(unit.id, pause.unsigned_abs());
            return Ok(None);
        }
        let operation = Operation { initiator: "engine".into(), ..Operation::default() };
        let operation = resume.as_ref().map_or(operation, |state: &OperationState| state.operation.clone());
        Ok(Some(self.begin(unit, operation, resume.map(Box::new), repairs)))
    }

    async fn forget(&self, unit: &Unit) -> Result<Option<Due>, StoreError> {
        match self.shared.units.delete(&unit.id).await {
            Ok(()) | Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Says why a unit is as it is.
    async fn say(&self, unit: &Unit, message: String) -> Result<(), StoreError> {
        self.change_status(&unit.id, |status| {
            status.observed_generation = unit.generation;
            status.message.clone_from(&message);
        })
        .await
        .map(|_| ())
    }

    /// The schedule of a unit's deletion. Manifests are needed for its hooks only: where there are none any more it
    /// goes without.
    pub(crate) async fn prepare_deletion(
        &self,
        unit: &Unit,
        state: &mut OperationState,
    ) -> Result<(Arc<Member>, Schedule), String> {
        let member =
            self.shared.member(&unit.destination.cluster).await.map_err(|error| error.to_string())?;
        let request = GenerateRequest { unit: Arc::new(unit.clone()), revision: None, anew: false };
        let rendered = match self.shared.manifests.generate(request).await {
            Ok(rendered) => rendered,
            Err(error) if error.transient => return Err(error.to_string()),
            Err(_) => Rendered { objects: Arc::new([]), revision: String::new() },
        };
        state.revision.clone_from(&rendered.revision);
        self.definitions(&member).await;
        let settings = self.shared.settings();
        let kinds = member.cache.kinds();
        let manifests = resolve(unit, &rendered, &kinds, &settings, |_| true);
        self.see(unit, &manifests.resolved, &member).await?;
        let live = self.own(unit, &manifests.resolved, &member);
        let request = Request {
            rules: unit.policy.rules,
            options: unit.policy.options.clone(),
            namespace: unit.destination.namespace.clone(),
            namespace_metadata: None,
            wanted: manifests.wanted,
            live,
            selection: towpath_plan::sync::Selection::All,
            revision: state.revision.clone(),
            started: state.started,
            kinds: &kinds,
            unreadable: no_unreadable(),
            caller: &Known { unit: &unit.id, settings: &settings, looked: None },
        };
        let schedule = deletion(request).map_err(|problems| crate::sync::tell(&problems))?;
        Ok((member, schedule))
    }
}
