//! The object itself: a JSON mapping whose identity has been checked.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{Gvk, Key, mask};

/// A JSON mapping that has an `apiVersion`, a `kind` and a `metadata.name`.
#[derive(Clone, PartialEq)]
pub struct Object {
    /// Shared by clones: a plan, its steps and what is compared name the same object many times.
    value: Arc<Value>,
}

/// What a Secret holds is not shown.
impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Value::clone(&self.value);
        mask(&mut shown);
        f.debug_struct("Object").field("value", &shown).finish()
    }
}

/// Why a value is not an object that a server could take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The document is a scalar or a list.
    #[error("expected a mapping with apiVersion, kind and metadata, found {found}")]
    NotAMapping {
        /// What it is instead.
        found: &'static str,
    },
    /// A field that identifies the object is missing or empty.
    #[error("{field} is missing")]
    Missing {
        /// The field's path.
        field: &'static str,
    },
    /// A field that identifies the object is of another type.
    #[error("{field} must be {expected}, found {found}")]
    WrongType {
        /// The field's path.
        field: &'static str,
        /// What it has to be.
        expected: &'static str,
        /// What it is instead.
        found: &'static str,
    },
}

impl Invalid {
    /// The path of the field that is wrong; empty for the whole document.
    pub fn field(&self) -> &'static str {
        match self {
            Self::NotAMapping { .. } => "",
            Self::Missing { field } | Self::WrongType { field, .. } => field,
        }
    }
}

impl Object {
    /// Checks the identity of `value` and takes it.
    pub fn new(value: Value) -> Result<Self, Invalid> {
        let Value::Object(root) = &value else {
            return Err(Invalid::NotAMapping { found: type_name(&value) });
        };
        text(root.get("apiVersion"), "apiVersion")?;
        text(root.get("kind"), "kind")?;
        let metadata = match root.get("metadata") {
            None | Some(Value::Null) => return Err(Invalid::Missing { field: "metadata" }),
            Some(Value::Object(metadata)) => metadata,
            Some(other) => return Err(wrong("metadata", "a mapping", other)),
        };
        text(metadata.get("name"), "metadata.name")?;
        if let Some(namespace) = metadata.get("namespace")
            && !namespace.is_string()
            && !namespace.is_null()
        {
            return Err(wrong("metadata.namespace", "a string", namespace));
        }
        string_map(metadata, "labels", "metadata.labels")?;
        string_map(metadata, "annotations", "metadata.annotations")?;
        Ok(Self { value: Arc::new(value) })
    }

    /// The whole object.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Gives the JSON value away.
    pub fn into_value(self) -> Value {
        Arc::unwrap_or_clone(self.value)
    }

    /// Group, version and kind.
    pub fn gvk(&self) -> Gvk {
        Gvk::new(self.str_at("/apiVersion"), self.kind())
    }

    /// The identity: group, kind, namespace and name.
    pub fn key(&self) -> Key {
        let Gvk { group, kind, .. } = self.gvk();
        Key { group, kind, namespace: self.namespace().into(), name: self.name().into() }
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        self.str_at("/kind")
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.str_at("/metadata/name")
    }

    /// The namespace; empty where there is none.
    pub fn namespace(&self) -> &str {
        self.str_at("/metadata/namespace")
    }

    /// The uid the server gave; empty before that.
    pub fn uid(&self) -> &str {
        self.str_at("/metadata/uid")
    }

    /// The resource version the server gave; empty before that.
    pub fn resource_version(&self) -> &str {
        self.str_at("/metadata/resourceVersion")
    }

    /// The label's value.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.value.get("metadata")?.get("labels")?.get(name)?.as_str()
    }

    /// The annotation's value.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.value.get("metadata")?.get("annotations")?.get(name)?.as_str()
    }

    /// True when the server has been asked to delete it and it is still held by finalizers.
    pub fn is_terminating(&self) -> bool {
        self.value.pointer("/metadata/deletionTimestamp").is_some()
    }

    /// Sets the namespace; an empty one removes it. What is so already stays shared with its clones.
    pub fn set_namespace(&mut self, namespace: &str) {
        let now = self.value.get("metadata").and_then(|metadata| metadata.get("namespace"));
        if now.map_or(namespace.is_empty(), |now| !namespace.is_empty() && now == namespace) {
            return;
        }
        if let Some(metadata) = self.metadata_mut() {
            if namespace.is_empty() {
                metadata.remove("namespace");
            } else {
                metadata.insert("namespace".into(), namespace.into());
            }
        }
    }

    /// Adds labels, replacing those of the same name. Who has them already stays shared with its clones.
    pub fn add_labels(&mut self, labels: &BTreeMap<String, String>) {
        if labels.iter().all(|(name, value)| self.label(name) == Some(value)) {
            return;
        }
        let Some(metadata) = self.metadata_mut() else {
            return;
        };
        let entry = metadata.entry("labels").or_insert_with(|| Value::Object(Map::new()));
        if entry.is_null() {
            *entry = Value::Object(Map::new());
        }
        if let Some(map) = entry.as_object_mut() {
            for (name, value) in labels {
                map.insert(name.clone(), value.clone().into());
            }
        }
    }

    fn metadata_mut(&mut self) -> Option<&mut Map<String, Value>> {
        Arc::make_mut(&mut self.value).get_mut("metadata")?.as_object_mut()
    }

    fn str_at(&self, pointer: &str) -> &str {
        // None of these names is escaped, and `Value::pointer` would copy each of them.
        let mut names = pointer.split('/').skip(1);
        let found = names.try_fold(&*self.value, |value, name| value.get(name));
        found.and_then(Value::as_str).unwrap_or_default()
    }
}

fn text(value: Option<&Value>, field: &'static str) -> Result<(), Invalid> {
    match value {
        None | Some(Value::Null) => Err(Invalid::Missing { field }),
        Some(Value::String(text)) if text.is_empty() => Err(Invalid::Missing { field }),
        Some(Value::String(_)) => Ok(()),
        Some(other) => Err(wrong(field, "a string", other)),
    }
}

fn string_map(metadata: &Map<String, Value>, name: &str, field: &'static str) -> Result<(), Invalid> {
    match metadata.get(name) {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Object(entries)) => {
            match entries.values().find(|value| !value.is_string() && !value.is_null()) {
                Some(other) => Err(wrong(field, "a mapping of strings to strings (quote the value)", other)),
                None => Ok(()),
            }
        }
        Some(other) => Err(wrong(field, "a mapping", other)),
    }
}

fn wrong(field: &'static str, expected: &'static str, value: &Value) -> Invalid {
    Invalid::WrongType { field, expected, found: type_name(value) }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn identity_is_required() {
        let field = |value| Object::new(value).unwrap_err().field();
        assert_eq!(field(json!(["a"])), "");
        assert_eq!(field(json!({"kind": "Pod"})), "apiVersion");
        assert_eq!(field(json!({"apiVersion": "v1"})), "kind");
        assert_eq!(field(json!({"apiVersion": "v1", "kind": "Pod"})), "metadata");
        assert_eq!(
            field(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ""}})),
            "metadata.name"
        );
        assert_eq!(
            field(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 1}})),
            "metadata.name"
        );
        assert_eq!(
            field(
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": true}}})
            ),
            "metadata.labels"
        );
    }

    #[test]
    fn what_would_not_change_is_not_copied() {
        let value = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "web"}});
        let mut object = Object::new(value).unwrap();
        object.add_labels(&BTreeMap::from([("x".into(), "1".into())]));
        let mut clone = object.clone();
        clone.set_namespace("web");
        clone.add_labels(&BTreeMap::from([("x".into(), "1".into())]));
        assert!(Arc::ptr_eq(&object.value, &clone.value));
        clone.set_namespace("");
        assert_eq!((object.namespace(), clone.namespace()), ("web", ""));
    }

    #[test]
    fn labels_are_added_beside_those_that_are_there() {
        let mut object = Object::new(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": "1"}}
        }))
        .unwrap();
        object.add_labels(&BTreeMap::from([("y".to_string(), "2".to_string())]));
        assert_eq!((object.label("x"), object.label("y")), (Some("1"), Some("2")));
    }
}
