//! Units that have to be in sync and ready before another is synced, and go only after it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Engine;
use crate::queue::Queue;
use crate::source::GenerateRequest;
use crate::store::StoreError;
use crate::unit::{SyncState, Unit, UnitHealth, UnitId};

/// Who waits for whom, so that a change of one wakes the other at once.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// By the unit that is waited for.
    units: Mutex<BTreeMap<UnitId, BTreeSet<UnitId>>>,
}

impl Waiting {
    /// Notes that `unit` waits for `other`. To be called before looking at `other`, so that no change is missed.
    fn note(&self, unit: &UnitId, other: &UnitId) {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        units.entry(other.clone()).or_default().insert(unit.clone());
    }

    /// Looks again at whoever waits for `changed`.
    pub(crate) fn wake(&self, changed: &UnitId, queue: &Queue<UnitId>) {
        let waiting = self.units.lock().unwrap_or_else(PoisonError::into_inner).remove(changed);
        waiting.into_iter().flatten().for_each(|unit| queue.push(unit));
    }
}

impl Engine {
    /// Why the unit may not be synced yet, if there is a reason.
    pub(crate) async fn blocked(&self, unit: &Unit) -> Result<Option<String>, StoreError> {
        if unit.depends_on.is_empty() {
            return Ok(None);
        }
        if let Some(cycle) = self.cycle(unit).await? {
            let path: Vec<String> = cycle.iter().map(ToString::to_string).collect();
            return Ok(Some(format!("its dependencies go round in a circle: {}", path.join(" → "))));
        }
        for id in &unit.depends_on {
            self.shared.waiting.note(&unit.id, id);
            let Some(stored) = self.shared.units.get(id).await? else {
                return Ok(Some(format!("it depends on {id}, which does not exist")));
            };
            if let Some(reason) = self.unready(stored.unit).await {
                return Ok(Some(format!("it waits for {id}, which {reason}")));
            }
        }
        Ok(None)
    }

    /// What a unit lacks so that others may build on it.
    async fn unready(&self, unit: Unit) -> Option<String> {
        let status = &unit.status;
        let busy = status.operation.as_ref().is_some_and(|state| !state.phase.is_over());
        if unit.deleting {
            return Some("is being deleted".into());
        }
        if unit.operation.is_some() || busy {
            return Some("is being synced".into());
        }
        if status.observed_generation != unit.generation {
            return Some("was changed and has not been compared since".into());
        }
        if status.sync != SyncState::Synced || status.health != UnitHealth::Healthy {
            return Some(format!("is {:?} and {:?}", status.sync, status.health));
        }
        let known = status.revision.clone();
        let request = GenerateRequest { unit: Arc::new(unit), revision: None, anew: false };
        match self.shared.manifests.generate(request).await {
            Ok(rendered) if rendered.revision == known => None,
            Ok(rendered) => Some(format!("has a newer revision, {}", rendered.revision)),
            Err(error) => Some(format!("has no manifests: {error}")),
        }
    }

    /// A way from the unit along its dependencies back to a unit on that way.
    async fn cycle(&self, unit: &Unit) -> Result<Option<Vec<UnitId>>, StoreError> {
        let mut path: Vec<(UnitId, Vec<UnitId>)> = vec![(unit.id.clone(), unit.depends_on.clone())];
        let mut seen = BTreeSet::new();
        while let Some((_, open)) = path.last_mut() {
            let Some(next) = open.pop() else {
                path.pop();
                continue;
            };
            if let Some(from) = path.iter().position(|(on_the_way, _)| *on_the_way == next) {
                let circle = path.iter().skip(from).map(|(id, _)| id.clone());
                return Ok(Some(circle.chain([next.clone()]).collect()));
            }
            if seen.insert(next.clone())
                && let Some(stored) = self.shared.units.get(&next).await?
            {
                path.push((next, stored.unit.depends_on));
            }
        }
        Ok(None)
    }

    /// A unit that depends on this one and is going as well: it goes first.
    pub(crate) async fn dependant_on_its_way(&self, unit: &Unit) -> Result<Option<UnitId>, StoreError> {
        if self.cycle(unit).await?.is_some() {
            return Ok(None);
        }
        let units = self.shared.units.list().await?.into_iter().map(|stored| stored.unit);
        let depends =
            |other: &Unit| other.id != unit.id && other.deleting && other.depends_on.contains(&unit.id);
        let Some(first) = units.into_iter().find(depends) else { return Ok(None) };
        self.shared.waiting.note(&unit.id, &first.id);
        // It may have gone before the note was made.
        Ok(self.shared.units.get(&first.id).await?.map(|stored| stored.unit.id))
    }
}
