//! Actions on the objects of units: what can be done to an object at a click, by scripts of the settings or of the unit.
//!
//! In: a unit, one of its objects or something below one, the name of an action. Out: what was created and changed. What
//! an action would do a script says; it is done with the rights of the unit's destination, and nowhere outside of what
//! the engine may manage there.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use towpath_cluster::cache::Blind;
use towpath_cluster::{Cluster, Error};
use towpath_health::{Action, ActionError as ScriptsError, Effect, ScriptError};
use towpath_object::{Gvk, Key, Kinds, Object, Resource};

use crate::diff::UnitError;
use crate::engine::Engine;
use crate::events::Event;
use crate::member::Member;
use crate::overrides::Custom;
use crate::unit::{Unit, UnitId};

/// How often somebody else may get in between.
const ATTEMPTS: usize = 5;
/// How far below a unit's object something may hang.
const DEEPEST: usize = 8;

/// What an action has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It created this object.
    Created(Key),
    /// It changed this object.
    Changed(Key),
    /// It had nothing to change in this object.
    Unchanged(Key),
}

/// Why an action was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The unit.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The object is not there.
    #[error("there is no {0}")]
    NoObject(Key),
    /// The object is somebody else's.
    #[error("{key} is not an object of the unit {unit}")]
    NotOfUnit {
        /// The object.
        key: Key,
        /// The unit.
        unit: UnitId,
    },
    /// No script has it.
    #[error("{key} has no action {name}")]
    NoAction {
        /// The object.
        key: Key,
        /// What was asked for.
        name: String,
    },
    /// It has the action, but not now.
    #[error("the action {name} of {key} cannot be carried out now")]
    Disabled {
        /// The object.
        key: Key,
        /// The action.
        name: String,
    },
    /// The script failed.
    #[error("the action {name} of {key}: {source}")]
    Script {
        /// The object.
        key: Key,
        /// The action; empty for the script that names them.
        name: String,
        /// What happened.
        source: ScriptError,
    },
    /// The script returned something that may not be written.
    #[error("the action {name} must not write {key}: {why}")]
    Outside {
        /// What it returned.
        key: Key,
        /// The action.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// The server refused, after this was done already.
    #[error("{source}{}", told(.done))]
    Refused {
        /// What was done before.
        done: Vec<Done>,
        /// What the server said.
        source: Error,
    },
}

fn told(done: &[Done]) -> String {
    if done.is_empty() { String::new() } else { format!(" (after {} other writes)", done.len()) }
}

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

fn refused(source: Error) -> ActionError {
    ActionError::Refused { done: Vec::new(), source }
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

/// Where an action takes place.
struct Site {
    unit: Unit,
    member: Arc<Member>,
    custom: Arc<Custom>,
    kinds: Arc<Kinds>,
    resource: Resource,
    key: Key,
    /// What an action changes is not the unit's: the next apply leaves it, unless the manifests say otherwise.
    manager: String,
}

/// One write of an action.
enum Write {
    Create(Resource, Object),
    Change(Value),
}

impl Site {
    /// The object as it is now, without the server's bookkeeping.
    async fn live(&self) -> Result<Object, ActionError> {
        let Key { namespace, name, .. } = &self.key;
        let found = self.member.cluster.get(&self.resource, namespace, name).await.map_err(refused)?;
        let mut found = found.ok_or_else(|| ActionError::NoObject(self.key.clone()))?;
        if let Some(metadata) = found.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        Object::new(found).map_err(|_| ActionError::NoObject(self.key.clone()))
    }

    async fn actions(&self, engine: &Engine, live: Object) -> Result<Vec<Action>, ActionError> {
        let (custom, now) = (self.custom.clone(), engine.shared.clock.now());
        let found = in_pool(move || custom.scripts.actions(&live, now)).await;
        found.map_err(|source| self.failed("", source))
    }

    async fn effects(
        &self,
        engine: &Engine,
        live: Object,
        name: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<Vec<Effect>, ActionError> {
        let (custom, now) = (self.custom.clone(), engine.shared.clock.now());
        let (action, parameters) = (name.to_string(), parameters.clone());
        let effects = in_pool(move || custom.scripts.act(&live, &action, &parameters, now)).await;
        effects.map_err(|error| match error {
            ScriptsError::Missing(name) => ActionError::NoAction { key: self.key.clone(), name },
            ScriptsError::Script(source) => self.failed(name, source),
        })
    }

    fn failed(&self, name: &str, source: ScriptError) -> ActionError {
        ActionError::Script { key: self.key.clone(), name: name.into(), source }
    }

    /// All or as little as possible: what may not be written is refused first, then what the server would not create.
    async fn carry_out(
        &self,
        live: &Object,
        name: &str,
        effects: Vec<Effect>,
    ) -> Result<Vec<Done>, ActionError> {
        let writes: Vec<Write> =
            effects.into_iter().map(|effect| self.write(live, name, effect)).collect::<Result<_, _>>()?;
        for write in &writes {
            if let Write::Create(resource, object) = write {
                self.member.cluster.check_create(resource, object).await.map_err(refused)?;
            }
        }
        let mut done = Vec::new();
        for write in writes {
            let result = match write {
                Write::Create(resource, object) => {
                    let created = self.member.cluster.create(&resource, &object).await;
                    created.map(|_| Done::Created(object.key()))
                }
                Write::Change(changed) => self.change(live, &changed).await,
            };
            match result {
                Ok(one) => done.push(one),
                Err(source) => return Err(ActionError::Refused { done, source }),
            }
        }
        Ok(done)
    }

    fn write(&self, live: &Object, name: &str, effect: Effect) -> Result<Write, ActionError> {
        let outside =
            |object: &Object, why| ActionError::Outside { key: object.key(), name: name.into(), why };
        match effect {
            Effect::Patch(changed) if changed.key() != live.key() => {
                Err(outside(&changed, "it is another object"))
            }
            Effect::Patch(changed) => Ok(Write::Change(changed.into_value())),
            Effect::Create(mut object) => {
                let resource = self.kinds.get(&object.gvk()).cloned();
                let resource = resource.ok_or_else(|| outside(&object, "the cluster has no such kind"))?;
                if !resource.namespaced {
                    object.set_namespace("");
                } else if object.namespace().is_empty() {
                    object.set_namespace(live.namespace());
                }
                match self.member.cache.look(&object.key()) {
                    Err(Blind::OutOfScope { .. }) => {
                        Err(outside(&object, "it is outside the namespaces that are managed"))
                    }
                    _ => Ok(Write::Create(resource, object)),
                }
            }
        }
    }

    /// Changes the object as the script did. The status has a door of its own, where the kind has one.
    async fn change(&self, live: &Object, changed: &Value) -> Result<Done, Error> {
        let Some(Value::Object(mut patch)) = merge_patch(live.value(), changed) else {
            return Ok(Done::Unchanged(self.key.clone()));
        };
        let (cluster, manager) = (&self.member.cluster, self.manager.as_str());
        let mut version = live.resource_version().to_string();
        if let Some(status) = patch.remove("status") {
            let body = json!({"metadata": {"resourceVersion": version}, "status": status});
            match cluster.merge(&self.resource, &self.key, Some("status"), &body, manager).await {
                Ok(now) => {
                    let now = now.pointer("/metadata/resourceVersion").and_then(Value::as_str);
                    version = now.unwrap_or_default().into();
                }
                Err(error) if error.is_not_found() => {
                    patch.insert("status".into(), status);
                }
                Err(error) => return Err(error),
            }
        }
        if !patch.is_empty() {
            let metadata = patch.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
            if let Some(metadata) = metadata.as_object_mut() {
                metadata.insert("resourceVersion".into(), version.into());
            }
            cluster.merge(&self.resource, &self.key, None, &Value::Object(patch), manager).await?;
        }
        Ok(Done::Changed(self.key.clone()))
    }
}

/// Scripts take their time, and nobody else's.
async fn in_pool<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(ended) => std::panic::resume_unwind(ended.into_panic()),
    }
}

/// What turns one value into another as a JSON merge patch (RFC 7386); nothing where they are the same.
fn merge_patch(from: &Value, to: &Value) -> Option<Value> {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => {
            let gone = from.keys().filter(|name| !to.contains_key(*name));
            let mut patch: Map<String, Value> = gone.map(|name| (name.clone(), Value::Null)).collect();
            for (name, value) in to {
                let changed = match from.get(name) {
                    Some(before) => merge_patch(before, value),
                    None => Some(value.clone()),
                };
                patch.extend(changed.map(|value| (name.clone(), value)));
            }
            (!patch.is_empty()).then_some(Value::Object(patch))
        }
        (from, to) => (from != to).then(|| to.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_patch_holds_what_differs() {
        let patch = |from: Value, to: Value| merge_patch(&from, &to);
        let from = json!({"a": 1, "b": {"c": 1, "d": [1, 2]}, "e": 1});
        let to = json!({"a": 1, "b": {"c": 2, "d": [1]}, "f": {"g": 1}});
        let expected = json!({"b": {"c": 2, "d": [1]}, "e": null, "f": {"g": 1}});
        assert_eq!(patch(from.clone(), to), Some(expected));
        assert_eq!(patch(from.clone(), from), None);
        assert_eq!(patch(json!({"a": {}}), json!({"a": {}})), None);
    }
}
