//! What an action does, done: checked first, then written in the order of the script.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use towpath_cluster::Error;
use towpath_cluster::cache::Blind;
use towpath_health::{Action, ActionError as ScriptsError, Effect, ScriptError};
use towpath_object::{Key, Kinds, Object, Resource};

use super::{ActionError, Done};
use crate::engine::Engine;
use crate::member::Member;
use crate::overrides::Custom;
use crate::unit::Unit;

pub(super) fn refused(source: Error) -> ActionError {
    ActionError::Refused { done: Vec::new(), source }
}

/// Where an action takes place.
pub(super) struct Site {
    pub(super) unit: Unit,
    pub(super) member: Arc<Member>,
    pub(super) custom: Arc<Custom>,
    pub(super) kinds: Arc<Kinds>,
    pub(super) resource: Resource,
    pub(super) key: Key,
    /// What an action changes is not the unit's: the next apply leaves it, unless the manifests say otherwise.
    pub(super) manager: String,
}

/// One write of an action.
enum Write {
    Create(Resource, Object),
    Change(Value),
}

impl Site {
    /// The object as it is now, without the server's bookkeeping.
    pub(super) async fn live(&self) -> Result<Object, ActionError> {
        let Key { namespace, name, .. } = &self.key;
        let found = self.member.cluster.get(&self.resource, namespace, name).await.map_err(refused)?;
        let mut found = found.ok_or_else(|| ActionError::NoObject(self.key.clone()))?;
        if let Some(metadata) = found.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        Object::new(found).map_err(|_| ActionError::NoObject(self.key.clone()))
    }

    pub(super) async fn actions(&self, engine: &Engine, live: Object) -> Result<Vec<Action>, ActionError> {
        let (custom, now) = (self.custom.clone(), engine.shared.clock.now());
        let found = in_pool(move || custom.scripts.actions(&live, now)).await;
        found.map_err(|source| self.failed("", source))
    }

    pub(super) async fn effects(
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
        ActionError::Script { key: Box::new(self.key.clone()), name: name.into(), source }
    }

    /// All or as little as possible: what may not be written is refused first, then what the server would not create.
    pub(super) async fn carry_out(
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
        let outside = |object: &Object, why| ActionError::Outside {
            key: Box::new(object.key()),
            name: name.into(),
            why,
        };
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
