//! A unit's objects one by one: whether each is as wanted and, field by field, why not.

use std::fmt;

use futures::future::{BoxFuture, FutureExt as _};
use futures::{StreamExt as _, stream};
use towpath_cluster::cache::Managed;
use towpath_merge::explain::{Explanation, explain, explain_removal};
use towpath_merge::predict::Options;
use towpath_object::Key;
use towpath_plan::Target;

use crate::ask::exact;
use crate::engine::Engine;
use crate::exact::Trouble;
use crate::member::Member;
use crate::overrides::Custom;
use crate::store::StoreError;
use crate::unit::{Unit, UnitId};

/// One object of a unit beside its manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectDiff {
    /// The object.
    pub key: Key,
    /// Whether it is as wanted.
    pub state: ObjectState,
    /// What differs, and why. There is a change in it exactly when the state says so: both are one result. Of a Secret no
    /// value gets in.
    pub explanation: Explanation,
}

/// Whether an object is as wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectState {
    /// It is.
    Synced,
    /// An apply would change it.
    OutOfSync,
    /// It is not there.
    Missing,
    /// It is there and no longer wanted.
    Extra,
    /// The server does not say, and why not.
    Unknown(String),
}

impl fmt::Display for ObjectState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Synced => f.write_str("Synced"),
            Self::OutOfSync => f.write_str("OutOfSync"),
            Self::Missing => f.write_str("Missing"),
            Self::Extra => f.write_str("Extra"),
            Self::Unknown(why) => write!(f, "Unknown: {why}"),
        }
    }
}

/// Why nothing can be said or done about a unit.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// There is no such unit.
    #[error("there is no unit {0}")]
    Missing(UnitId),
    /// It cannot be read.
    #[error(transparent)]
    Store(StoreError),
    /// Its manifests, rules or cluster cannot be had.
    #[error("the unit {id}: {message}")]
    Unusable {
        /// The unit.
        id: UnitId,
        /// Why not.
        message: String,
    },
}

impl Engine {
    /// Compares all objects of a unit anew, by the server's own word. One that the server refuses to judge is unknown; the
    /// others are judged.
    pub async fn diff(&self, id: &UnitId) -> Result<Vec<ObjectDiff>, UnitError> {
        let unit = self.unit(id).await?;
        let unusable = |message: String| UnitError::Unusable { id: id.clone(), message };
        let looked = self.compare(&unit, None).await.map_err(unusable)?;
        let custom = self.custom(&unit).map_err(|error| unusable(error.to_string()))?;
        let member = self.shared.member(&unit.destination.cluster).await;
        let member = member.map_err(|error| unusable(error.to_string()))?;
        let settings = self.shared.settings();
        let manifests = self.manifests(&unit, &looked.rendered, &member);
        let each = manifests
            .targets
            .iter()
            .map(|target| diff(&unit, target, &member, &custom, &settings.manager).boxed());
        let each: Vec<BoxFuture<'_, ObjectDiff>> = each.collect();
        let mut found: Vec<ObjectDiff> = stream::iter(each).buffered(settings.concurrency).collect().await;
        for row in &looked.comparison.extra {
            let object = row.managed.as_ref().map(Managed::object);
            let explanation = object.map(|object| explain_removal(object.value())).unwrap_or_default();
            found.push(ObjectDiff { key: row.key.clone(), state: ObjectState::Extra, explanation });
        }
        Ok(found)
    }

    /// The unit of that name.
    pub(crate) async fn unit(&self, id: &UnitId) -> Result<Unit, UnitError> {
        match self.shared.units.get(id).await {
            Ok(Some(stored)) => Ok(stored.unit),
            Ok(None) => Err(UnitError::Missing(id.clone())),
            Err(error) => Err(UnitError::Store(error)),
        }
    }
}

async fn diff(unit: &Unit, target: &Target, member: &Member, custom: &Custom, manager: &str) -> ObjectDiff {
    let key = target.key();
    let judged = judge(unit, target, &key, member, custom, manager).await;
    let (state, explanation) =
        judged.unwrap_or_else(|trouble| (ObjectState::Unknown(trouble.to_string()), Explanation::default()));
    ObjectDiff { key, state, explanation }
}

async fn judge(
    unit: &Unit,
    target: &Target,
    key: &Key,
    member: &Member,
    custom: &Custom,
    manager: &str,
) -> Result<(ObjectState, Explanation), Trouble> {
    let served = member.cache.kinds().get(&target.resource.gvk).is_some();
    let live =
        if served { member.cluster.get(&target.resource, &key.namespace, &key.name).await? } else { None };
    let Some(live) = live else {
        let options = Options::of(manager);
        let explanation = explain(target.object.value(), None, &custom.ignore, &options)?;
        return Ok((ObjectState::Missing, explanation));
    };
    let exact = exact(unit, &unit.policy.options, target, member, custom, manager);
    let explanation = exact.explain(target, &live).await?;
    let state = if explanation.is_modified() { ObjectState::OutOfSync } else { ObjectState::Synced };
    Ok((state, explanation))
}
