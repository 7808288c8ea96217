//! Resource actions: what can be done to an object at a click.
//!
//! In: scripts and an object. Out: which actions there are, or what one of them would do, as values. Nothing is
//! done here: whether it may be done, and doing it, is the engine's part.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value};
use towpath_object::Object;

use crate::lua::{Returned, Script, ScriptError};
use crate::overrides::Overrides;

/// An action that an object has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// By this name it is carried out.
    pub name: String,
    /// It exists but cannot be carried out now.
    pub disabled: bool,
    /// The CSS class of its icon; may be empty.
    pub icon: String,
    /// Its name for people; may be empty.
    pub display_name: String,
    /// The names of the parameters it asks for.
    pub parameters: Vec<String>,
}

/// One thing that an action does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Create this object.
    Create(Object),
    /// Change the object, which was given to the script, to this.
    Patch(Object),
}

/// Why an action has no effects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// Nobody has a script for it.
    #[error("there is no action {0}")]
    Missing(String),
    /// The script failed.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

impl Overrides {
    /// The actions that `object` has, by name.
    pub fn actions(&self, object: &Object, now: Timestamp) -> Result<Vec<Action>, ScriptError> {
        let mut actions = Vec::new();
        let mut named = BTreeSet::new();
        for script in self.discovery_of(&object.gvk()) {
            for (name, value) in discovered(script, object, now)? {
                if named.insert(name.clone()) {
                    actions.push(action(name, &value)?);
                }
            }
        }
        actions.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(actions)
    }

    /// What the action of that name would do to `object`.
    pub fn act(
        &self,
        object: &Object,
        name: &str,
        parameters: &BTreeMap<String, String>,
        now: Timestamp,
    ) -> Result<Vec<Effect>, ActionError> {
        let script = self.action_of(&object.gvk(), name);
        let script = script.ok_or_else(|| ActionError::Missing(name.to_owned()))?;
        Ok(effects(script, object, parameters, now)?)
    }
}

fn discovered(script: &Script, object: &Object, now: Timestamp) -> Result<Map<String, Value>, ScriptError> {
    match script.run(object, &BTreeMap::new(), now)? {
        Returned::Table(Value::Object(actions)) => Ok(actions),
        Returned::Table(Value::Array(none)) if none.is_empty() => Ok(Map::new()),
        other => Err(other.is_not("a table of actions by name")),
    }
}

/// A list says nothing: an empty table is one.
fn action(name: String, value: &Value) -> Result<Action, ScriptError> {
    if value.is_array() {
        return Ok(Action { name, ..Action::default() });
    }
    let text = |field: &'static str| text(value, field);
    let named = text("name")?;
    Ok(Action {
        name: if named.is_empty() { name } else { named.to_owned() },
        disabled: match value.get("disabled") {
            None | Some(Value::Null) => false,
            Some(disabled) => disabled.as_bool().ok_or_else(|| wrong("disabled to be true or false"))?,
        },
        icon: text("iconClass")?.to_owned(),
        display_name: text("displayName")?.to_owned(),
        parameters: match value.get("params") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) => list
                .iter()
                .map(|entry| Ok(self::text(entry, "name")?.to_owned()))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(wrong("params to be a list")),
        },
    })
}

fn text<'a>(value: &'a Value, field: &'static str) -> Result<&'a str, ScriptError> {
    match value.as_object().ok_or_else(|| wrong("a table for each action and parameter"))?.get(field) {
        None | Some(Value::Null) => Ok(""),
        Some(value) => value.as_str().ok_or_else(|| wrong("names and classes to be strings")),
    }
}

fn effects(
    script: &Script,
    object: &Object,
    parameters: &BTreeMap<String, String>,
    now: Timestamp,
) -> Result<Vec<Effect>, ScriptError> {
    match script.run(object, parameters, now)? {
        // The older way: the whole object, changed.
        Returned::Table(changed @ Value::Object(_)) => Ok(vec![patch(changed, object)?]),
        Returned::Table(Value::Array(list)) => list.into_iter().map(|entry| effect(entry, object)).collect(),
        other => Err(other.is_not("a table")),
    }
}

fn effect(mut entry: Value, object: &Object) -> Result<Effect, ScriptError> {
    let resource = entry.get_mut("resource").map(Value::take).unwrap_or_default();
    match entry.get("operation").and_then(Value::as_str) {
        Some("create") => Ok(Effect::Create(checked(resource)?)),
        Some("patch") => patch(resource, object),
        Some(other) => {
            Err(ScriptError::Returned { expected: "the operation create or patch", found: other.to_owned() })
        }
        None => Err(wrong("an operation with each resource")),
    }
}

fn patch(mut changed: Value, object: &Object) -> Result<Effect, ScriptError> {
    restore(&mut changed, object.value());
    Ok(Effect::Patch(checked(changed)?))
}

fn checked(mut value: Value) -> Result<Object, ScriptError> {
    for pointer in ["/metadata/annotations", "/metadata/labels"] {
        if let Some(field) = value.pointer_mut(pointer) {
            restore(field, &Value::Object(Map::new()));
        }
    }
    let refuse = |why: towpath_object::Invalid| ScriptError::Returned {
        expected: "objects",
        found: format!("one where {why}"),
    };
    Object::new(value).map_err(refuse)
}

/// In Lua an empty list and an empty mapping are the same. What was a mapping stays one.
fn restore(changed: &mut Value, before: &Value) {
    match (&mut *changed, before) {
        (Value::Object(changed), Value::Object(before)) => {
            for (key, value) in changed {
                if let Some(before) = before.get(key) {
                    restore(value, before);
                }
            }
        }
        (Value::Array(list), Value::Object(_)) if list.is_empty() => *changed = Value::Object(Map::new()),
        (Value::Array(changed), Value::Array(before)) => {
            for (value, before) in changed.iter_mut().zip(before) {
                restore(value, before);
            }
        }
        _ => {}
    }
}

fn wrong(expected: &'static str) -> ScriptError {
    ScriptError::Returned { expected, found: "something else".into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KIND: &str = "example.com/Lamp";

    fn lamp() -> Object {
        Object::new(json!({
            "apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "hall"},
            "spec": {"lit": false, "shade": {}, "bulbs": [{"socket": {}}], "times": []},
        }))
        .unwrap()
    }

    fn actions(scripts: &[&str]) -> Result<Vec<Action>, ScriptError> {
        let mut overrides = Overrides::default();
        for script in scripts {
            overrides.discovery(KIND, script).unwrap();
        }
        overrides.actions(&lamp(), Timestamp::UNIX_EPOCH)
    }

    fn act(script: &str, parameters: &[(&str, &str)]) -> Result<Vec<Effect>, ActionError> {
        let mut overrides = Overrides::default();
        overrides.action(KIND, "light", script).unwrap();
        let parameters = parameters.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        overrides.act(&lamp(), "light", &parameters, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_first_script_that_names_an_action_describes_it() {
        let first = "return {light = {disabled = true, iconClass = 'i', displayName = 'Light it',
            params = {{name = 'colour', default = 'red'}}}}";
        let second = "return {light = {}, douse = {}}";
        let all = actions(&[first, "return {}", second]).unwrap();
        let light = Action {
            name: "light".into(),
            disabled: true,
            icon: "i".into(),
            display_name: "Light it".into(),
            parameters: vec!["colour".into()],
        };
        assert_eq!(all, [Action { name: "douse".into(), ..Action::default() }, light]);
        assert_eq!(actions(&[]), Ok(vec![]));
        for odd in ["return 1", "return {'a'}", "return {a = 1}", "return {a = {disabled = 1}}"] {
            assert!(actions(&[odd]).is_err(), "{odd}");
        }
    }

    #[test]
    fn empty_mappings_stay_mappings() {
        let mut expected = lamp().into_value();
        expected["spec"]["lit"] = json!(true);
        let expected = vec![Effect::Patch(Object::new(expected).unwrap())];
        let script = "obj.spec.lit = true return obj";
        assert_eq!(act(script, &[]).unwrap(), expected);
        let listed = "obj.spec.lit = true return {{operation = 'patch', resource = obj}}";
        assert_eq!(act(listed, &[]).unwrap(), expected);
    }

    #[test]
    fn objects_are_created_with_parameters() {
        let script = "return {{operation = 'create', resource = {apiVersion = 'v1', kind = 'ConfigMap',
            metadata = {name = actionParams.name}}}}";
        let created = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
        let created = vec![Effect::Create(Object::new(created).unwrap())];
        assert_eq!(act(script, &[("name", "x")]).unwrap(), created);
        let empty = "obj.metadata.annotations = {} return obj";
        assert!(act(empty, &[]).is_ok());
        assert!(act(script, &[]).unwrap_err().to_string().contains("metadata"));
    }

    #[test]
    fn what_is_no_effect_is_an_error() {
        let delete = "return {{operation = 'delete', resource = obj}}";
        let expected = "the script must return the operation create or patch, not delete";
        assert_eq!(act(delete, &[]).unwrap_err().to_string(), expected);
        assert_eq!(act("error('no', 0)", &[]).unwrap_err().to_string(), "no");
        assert!(act("return nil", &[]).is_err() && act("return {{}}", &[]).is_err());
        let missing = Overrides::default().act(&lamp(), "douse", &BTreeMap::new(), Timestamp::UNIX_EPOCH);
        assert_eq!(missing, Err(ActionError::Missing("douse".into())));
    }
}
