//! Finding the object and the script, and trying again when somebody got in between.

use std::collections::BTreeMap;

use serde_json::Value;
use towpath_cluster::{Cluster, Error};
use towpath_health::Action;
use towpath_object::{Gvk, Key, Kinds, Object};

use super::site::{Site, refused};
use super::{ActionError, Done};
use crate::diff::UnitError;
use crate::engine::Engine;
use crate::events::Event;
use crate::unit::UnitId;

/// How often somebody else may get in between.
const ATTEMPTS: usize = 5;
/// How far below a unit's object something may hang.
const DEEPEST: usize = 8;

impl Engine {
    /// The actions that an object of a unit has now, by name.
    pub async fn actions(&self, unit: &UnitId, key: &Key) -> Result<Vec<Action>, ActionError> {
        let site = self.site(unit, key).await?;
        let live = site.live().await?;
        self.belongs(&site, &live).await?;
        site.actions(self, live).await
    }

    /// Carries out an action on an object of a unit. Somebody else's write in between means asking the script again.
    pub async fn run_action(
        &self,
        unit: &UnitId,
        key: &Key,
        name: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<Vec<Done>, ActionError> {
        let site = self.site(unit, key).await?;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let live = site.live().await?;
            self.belongs(&site, &live).await?;
            let actions = site.actions(self, live.clone()).await?;
            if actions.iter().any(|action| action.name == name && action.disabled) {
                return Err(ActionError::Disabled { key: key.clone(), name: name.into() });
            }
            let effects = site.effects(self, live.clone(), name, parameters).await?;
            match site.carry_out(&live, name, effects).await {
                Err(ActionError::Refused { done, source })
                    if done.is_empty() && source.is_conflict() && attempts < ATTEMPTS => {}
                result => {
                    let message = format!("{name} of {key}");
                    self.shared.hub.tell(Event::Unit { unit: unit.clone(), reason: "ActionRun", message });
                    return result;
                }
            }
        }
    }

    async fn site(&self, id: &UnitId, key: &Key) -> Result<Site, ActionError> {
        let unit = self.unit(id).await?;
        let unusable = |message: String| UnitError::Unusable { id: id.clone(), message };
        let custom = self.custom(&unit).map_err(|error| unusable(error.to_string()))?;
        let member = self.shared.member(&unit.destination.cluster).await;
        let member = member.map_err(|error| unusable(error.to_string()))?;
        self.definitions(&member).await;
        let kinds = member.cache.kinds();
        let resource = kinds.versions(&key.group, &key.kind).first().cloned();
        let resource = resource.ok_or_else(|| ActionError::NoObject(key.clone()))?;
        let manager = format!("{}-action", self.shared.settings().manager);
        Ok(Site { unit, member, custom, kinds, resource, key: key.clone(), manager })
    }

    /// Refuses what is neither an object of the unit nor below one. Owners are followed upwards.
    async fn belongs(&self, site: &Site, live: &Object) -> Result<(), ActionError> {
        let settings = self.shared.settings();
        let records = self.records(&site.unit);
        let mut here = live.clone();
        for _ in 0..DEEPEST {
            let named = settings.owner(&here).as_ref() == Some(&site.unit.id.0);
            if named && records.contains_key(&here.key()) {
                return Ok(());
            }
            match owner(&site.member.cluster, &site.kinds, &here).await.map_err(refused)? {
                Some(above) => here = above,
                None => break,
            }
        }
        Err(ActionError::NotOfUnit { key: site.key.clone(), unit: site.unit.id.clone() })
    }
}

/// The object that controls another, if it is still there.
async fn owner(cluster: &Cluster, kinds: &Kinds, object: &Object) -> Result<Option<Object>, Error> {
    let owners = object.value().pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let text =
        |owner: &Value, field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default().to_string();
    let controls = |owner: &&Value| owner.get("controller") == Some(&Value::Bool(true));
    let Some(owner) = owners.and_then(|owners| owners.iter().find(controls).or(owners.first())) else {
        return Ok(None);
    };
    let Some(resource) = kinds.get(&Gvk::new(&text(owner, "apiVersion"), &text(owner, "kind"))) else {
        return Ok(None);
    };
    let namespace = if resource.namespaced { object.namespace() } else { "" };
    let found = cluster.get(resource, namespace, &text(owner, "name")).await?;
    let found = found.and_then(|value| Object::new(value).ok());
    Ok(found.filter(|found| found.uid() == text(owner, "uid")))
}
