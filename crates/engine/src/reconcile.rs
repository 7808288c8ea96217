//! Looking at a unit: compare, say how it is, and decide whether a sync is due.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use towpath_cluster::cache::{GroupKind, KindState, Wanted};
use towpath_object::{Key, Object};
use towpath_plan::{Applied, Inventory};

use crate::compare::{Comparison, compare};
use crate::decide::{Due, May};
use crate::engine::Engine;
use crate::events::Event;
use crate::member::Member;
use crate::resolved::{Manifests, Resolved, resolve};
use crate::source::{GenerateRequest, Rendered};
use crate::store::{StoreError, Stored};
use crate::unit::{Status, SyncState, Unit, UnitId};

/// How long until a unit of which nothing could be told is looked at again.
const AGAIN: Duration = Duration::from_secs(10);

/// How long until a unit is looked at again of which something was written and has not been heard of.
const LATE: Duration = Duration::from_secs(1);

/// A unit beside its cluster.
pub(crate) struct Looked {
    pub(crate) resolved: Arc<Resolved>,
    /// What it was made from.
    pub(crate) rendered: Rendered,
    pub(crate) comparison: Comparison,
}

impl Engine {
    /// Compares a unit and says how it is. Gives back the sync that is due, if one is.
    pub(crate) async fn look_at(&self, id: &UnitId) -> Option<Due> {
        // Before the unit is read: what is read of an operation under way may be old by the time it is looked at.
        let idle = self.shared.remember(id, |memory| memory.running.is_none());
        let stored = match self.shared.units.get(id).await {
            Ok(stored) => stored?,
            Err(error) => {
                tracing::warn!(unit = %id, %error, "the unit cannot be read");
                return None;
            }
        };
        if stored.unit.deleting {
            return self.leave(stored.unit, idle).await.unwrap_or_else(|error| {
                tracing::warn!(unit = %id, %error, "the unit cannot be deleted now");
                self.shared.push_later(id.clone(), AGAIN);
                None
            });
        }
        let looked = self.compare(&stored.unit, None).await;
        let mut status = status(&stored.unit, &looked);
        let unsettled = looked.is_ok() && status.sync != SyncState::Synced;
        let wants = stored.unit.operation.is_some() || unsettled;
        let blocked = if wants { self.blocked(&stored.unit).await } else { Ok(None) };
        let blocked = blocked.unwrap_or_else(|error| Some(error.to_string()));
        if let Some(reason) = &blocked {
            status.message.clone_from(reason);
        } else if let (true, Ok(looked)) = (status.message.is_empty(), &looked) {
            status.message = self.remark(&stored.unit, looked).unwrap_or_default();
        }
        if let (true, Ok(looked)) = (idle, &looked) {
            self.tidy(&stored.unit, looked, &mut status).await;
        }
        self.tell(&stored.unit, &status);
        let unit = Unit { status: status.clone(), ..stored.unit.clone() };
        if status != stored.unit.status {
            match self.shared.units.set_status(id, &stored.version, status).await {
                Ok(_) => {}
                // Whoever changed it has put it into the queue again.
                Err(StoreError::Conflict { .. } | StoreError::Missing { .. }) => return None,
                Err(error) => tracing::warn!(unit = %id, %error, "the status cannot be written"),
            }
        }
        if looked.as_ref().map_or(true, |looked| looked.comparison.again) {
            self.shared.push_later(id.clone(), AGAIN);
        }
        let may = match (idle, blocked) {
            (false, _) => May::GiveOrders,
            (true, Some(_)) => May::GoOn,
            (true, None) => May::Begin,
        };
        self.decide(unit, looked.ok().as_ref(), may)
    }

    /// The unit's manifests beside what is on its cluster; or why that cannot be told, in a sentence.
    pub(crate) async fn compare(&self, unit: &Unit, revision: Option<String>) -> Result<Looked, String> {
        let member =
            self.shared.member(&unit.destination.cluster).await.map_err(|error| error.to_string())?;
        let request = GenerateRequest { unit: Arc::new(unit.clone()), revision, anew: false };
        let rendered = self.shared.manifests.generate(request).await.map_err(|error| error.to_string())?;
        self.definitions(&member).await;
        let resolved = self.resolved(unit, &rendered, &member);
        for other in member.claims.hold(&unit.id, &resolved) {
            self.shared.queue.push(other);
        }
        self.see(unit, &resolved, &member).await?;
        // Before the cache is read: what it hears of meanwhile it may not have known then.
        let written = self.shared.remember(&unit.id, |memory| {
            memory.written.settle(&member.cache).then(|| memory.written.clone())
        });
        let records = self.records(unit);
        let now = self.shared.clock.now();
        let custom = self.custom(unit).map_err(|error| error.to_string())?;
        let judge = custom.judge(unit.policy.rules);
        let mut comparison = compare(unit, &judge, now, &resolved, &records, &member.cache);
        if let Some(written) = written {
            written.correct(&resolved, &mut comparison);
            // If it has gone again meanwhile no change may be told.
            self.shared.push_later(unit.id.clone(), LATE);
        }
        self.ask(unit, &rendered, &member, &custom, &mut comparison).await;
        if let Some((key, other)) = member.claims.shared(&unit.id, &resolved) {
            comparison.message = format!("{key} belongs to the unit {other} as well");
        }
        Ok(Looked { resolved, rendered, comparison })
    }

    /// Definitions are always watched, so the kinds are known once they have been read.
    pub(crate) async fn definitions(&self, member: &Member) {
        member.cache.ready([GroupKind::new("apiextensions.k8s.io", "CustomResourceDefinition")]).await;
    }

    /// From memory while revision and spec are the same.
    fn resolved(&self, unit: &Unit, rendered: &Rendered, member: &Member) -> Arc<Resolved> {
        let known = self.shared.remember(&unit.id, |memory| memory.resolved.clone());
        if let Some(known) = known
            && known.revision == rendered.revision
            && known.generation == unit.generation
            && known.unknown.is_empty()
        {
            return known;
        }
        let resolved = Arc::new(self.manifests(unit, rendered, member).resolved);
        self.shared.remember(&unit.id, |memory| memory.resolved = Some(resolved.clone()));
        resolved
    }

    /// The manifests themselves, placed.
    pub(crate) fn manifests(&self, unit: &Unit, rendered: &Rendered, member: &Member) -> Manifests {
        let settings = self.shared.settings();
        resolve(unit, rendered, &member.cache.kinds(), &settings, |key| member.cache.covers(key))
    }

    /// Makes sure that everything the unit uses is watched and known.
    pub(crate) async fn see(&self, unit: &Unit, resolved: &Resolved, member: &Member) -> Result<(), String> {
        if let Some(outside) = &resolved.outside {
            return Err(outside.clone());
        }
        let settings = self.shared.settings();
        let wanted = resolved.keys.iter().cloned();
        let had = self.records(unit).into_keys();
        let kinds: BTreeSet<GroupKind> =
            wanted.chain(had).map(|key: Key| GroupKind::new(&key.group, &key.kind)).collect();
        let wishes = kinds.iter().filter(|kind| member.cache.kind_state(kind).is_none());
        let label = settings.selector().unwrap_or_default();
        member.cache.want(wishes.map(|kind| Wanted::all(kind.clone()).labelled(label)));
        let states = member.cache.ready(kinds.iter().cloned()).await;
        let blind = kinds.iter().zip(&states).find_map(|(kind, state)| match state {
            KindState::Stale { error, .. } | KindState::Forbidden { error } => {
                Some(format!("{kind}: {error}"))
            }
            KindState::Listing | KindState::Live | KindState::Gone => None,
        });
        blind.map_or(Ok(()), Err)
    }

    /// What is known of each apply: from memory, and at first from what was written down.
    pub(crate) fn records(&self, unit: &Unit) -> BTreeMap<Key, Applied> {
        self.shared.remember(&unit.id, |memory| {
            if memory.records.is_empty() {
                let written = Inventory::parse(&unit.status.inventory).unwrap_or_default();
                memory.records =
                    written.entries.into_iter().map(|(key, entry)| (key, entry.applied)).collect();
            }
            memory.records.clone()
        })
    }

    fn tell(&self, unit: &Unit, status: &Status) {
        if status.message != unit.status.message && !status.message.is_empty() {
            let event =
                Event::Unit { unit: unit.id.clone(), reason: "Compared", message: status.message.clone() };
            self.shared.hub.tell(event);
        }
    }

    /// Takes out of the inventory what is neither wanted nor there any more. Only between operations. A cache may lag, so
    /// the server has the last word.
    async fn tidy(&self, unit: &Unit, looked: &Looked, status: &mut Status) {
        let Comparison { standing, other, .. } = &looked.comparison;
        let there: BTreeSet<&Key> = standing.keys().chain(other.iter().map(|row| &row.key)).collect();
        let unseen = self.shared.remember(&unit.id, |memory| {
            let unseen = memory.records.keys().filter(|key| !there.contains(key));
            unseen.cloned().collect::<Vec<Key>>()
        });
        if unseen.is_empty() {
            return;
        }
        let Ok(member) = self.shared.member(&unit.destination.cluster).await else { return };
        let kinds = member.cache.kinds();
        let mut inventory = Inventory::parse(&status.inventory).unwrap_or_default();
        for key in unseen {
            let resource = kinds.versions(&key.group, &key.kind).first().cloned();
            let is_gone = match resource {
                // It went with its kind.
                None => true,
                Some(resource) => {
                    let found = member.cluster.get(&resource, &key.namespace, &key.name).await;
                    let owner = |found| self.shared.settings().owner(&Object::new(found).ok()?);
                    found.is_ok_and(|found| found.and_then(owner).as_ref() != Some(&unit.id.0))
                }
            };
            if is_gone {
                inventory.entries.remove(&key);
                self.shared.remember(&unit.id, |memory| {
                    memory.records.remove(&key);
                    memory.asked.remove(&key);
                });
            }
        }
        status.inventory = inventory.to_text();
    }

    /// Changes a unit's status, whoever else changes the unit meanwhile.
    pub(crate) async fn change_status(
        &self,
        id: &UnitId,
        change: impl Fn(&mut Status) + Send + Sync,
    ) -> Result<Stored, StoreError> {
        loop {
            let Some(mut stored) = self.shared.units.get(id).await? else {
                return Err(StoreError::Missing { id: id.clone() });
            };
            let before = stored.unit.status.clone();
            change(&mut stored.unit.status);
            if stored.unit.status == before {
                return Ok(stored);
            }
            match self.shared.units.set_status(id, &stored.version, stored.unit.status.clone()).await {
                Ok(version) => return Ok(Stored { version, ..stored }),
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What is to be said of a unit now.
fn status(unit: &Unit, looked: &Result<Looked, String>) -> Status {
    let mut status = unit.status.clone();
    status.observed_generation = unit.generation;
    match looked {
        Ok(Looked { resolved, comparison, .. }) => {
            status.revision.clone_from(&resolved.revision);
            status.sync = comparison.state();
            status.health = comparison.health;
            status.message.clone_from(&comparison.message);
        }
        Err(message) => {
            status.sync = SyncState::Unknown;
            status.message.clone_from(message);
        }
    }
    status
}
