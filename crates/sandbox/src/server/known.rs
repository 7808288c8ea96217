//! What the server knows of single kinds: defaults, validation, fields that it fills in.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use towpath_schema::{Kind as Wrong, Place};

use super::Server;
use super::metadata::{metadata, of};
use super::write::Write;
use crate::kinds::Kind;
use crate::refusal::Refusal;

impl Server {
    /// Checks an object against its schema.
    pub(super) fn check(&self, kind: &Kind, object: &Value, write: &Write) -> Result<(), Refusal> {
        let found = self.kinds.schemas_of(&kind.gvk).check(&kind.gvk, object);
        let name = &kind.gvk.kind;
        for violation in found {
            match violation.kind {
                Wrong::UnknownField if write.applies() => {
                    let (group, version) = (&kind.gvk.group, &kind.gvk.version);
                    let place = format!("{}/{}", of(object, "namespace"), of(object, "name"));
                    return Err(Refusal::internal(format!(
                        "failed to create typed patch object ({place}; {group}/{version}, Kind={name}): .{}: field not declared in schema",
                        violation.path
                    )));
                }
                Wrong::UnknownField if write.is_strict() => {
                    let path = violation.path.trim_start_matches('.');
                    let message = if kind.custom {
                        format!("strict decoding error: unknown field {path:?}")
                    } else {
                        let version = &kind.gvk.version;
                        format!(
                            "{name} in version {version:?} cannot be handled as a {name}: strict decoding error: unknown field {path:?}"
                        )
                    };
                    return Err(Refusal::bad_request(message));
                }
                Wrong::WrongType if !kind.custom => {
                    let version = &kind.gvk.version;
                    return Err(Refusal::bad_request(format!(
                        "{name} in version {version:?} cannot be handled as a {name}: {violation}"
                    )));
                }
                Wrong::WrongType | Wrong::Missing | Wrong::UnknownValue => {
                    return Err(Refusal::violated(kind, of(object, "name"), &violation));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The object as the server reads it: without what its schema has no place for, and with defaults.
    pub(super) fn fit(&self, kind: &Kind, object: Value) -> Value {
        let mut object = fitted(object, self.kinds.place(&kind.gvk), !kind.custom);
        set_defaults(kind, &mut object);
        object
    }
}

/// What the server fills in of single kinds when it reads an object.
fn set_defaults(kind: &Kind, object: &mut Value) {
    if kind.is("", "Namespace") {
        let name = of(object, "name").to_owned();
        let labels = metadata(object).entry("labels").or_insert_with(|| json!({}));
        if let Some(labels) = labels.as_object_mut() {
            labels.insert("kubernetes.io/metadata.name".into(), name.into());
        }
    } else if kind.is("", "Secret") {
        texts_to_data(object);
        if object.get("type").is_none() {
            set(object, "type", json!("Opaque"));
        }
    } else if kind.is("apiextensions.k8s.io", "CustomResourceDefinition") {
        super::define::complete(object);
    }
}

/// What a new object of a kind begins with.
pub(super) fn begin(kind: &Kind, object: &mut Value) {
    if kind.is("", "Namespace") {
        set(object, "spec", json!({"finalizers": ["kubernetes"]}));
        set(object, "status", json!({"phase": "Active"}));
    }
}

/// What a change of an object cannot touch.
pub(super) fn keep(kind: &Kind, old: &Value, object: &mut Value) {
    if kind.is("", "Namespace") {
        set(object, "spec", old.get("spec").cloned().unwrap_or_default());
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.into(), value);
    }
}

/// An object without what its schema has no place for; with the defaults of scalars that the schema names. To a
/// built-in kind null is absence.
fn fitted(value: Value, place: Place<'_>, built_in: bool) -> Value {
    match value {
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, value) in fields {
                if (built_in && value.is_null()) || !place.admits(&name) {
                    continue;
                }
                let below = place.field(&name);
                let value = fitted(value, below, built_in);
                // Go leaves out what is empty and may be.
                let empty = value.as_object().is_some_and(Map::is_empty) && below.is_dictionary()
                    || value.as_array().is_some_and(Vec::is_empty) && !below.is_given();
                if !(built_in && empty) {
                    kept.insert(name, value);
                }
            }
            for name in place.fields() {
                // A list that Go always writes out is null where there is none.
                if built_in
                    && !kept.contains_key(name)
                    && place.field(name).is_given()
                    && place.field(name).is_list()
                {
                    kept.insert(name.into(), Value::Null);
                }
                if let (false, Some(default)) = (kept.contains_key(name), place.field(name).default()) {
                    // Go's zero values stand in schemas of built-in kinds and mean nothing.
                    let zero = default == "" || default == &json!(0) || default == &json!(false);
                    if !(built_in && zero) {
                        kept.insert(name.into(), default.clone());
                    }
                }
            }
            Value::Object(kept)
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| fitted(item, place.items(), built_in)).collect())
        }
        other => other,
    }
}

/// What is sent as text is kept as data.
fn texts_to_data(secret: &mut Value) {
    let Some(fields) = secret.as_object_mut() else { return };
    let Some(Value::Object(texts)) = fields.remove("stringData") else { return };
    let data = fields.entry("data").or_insert_with(|| json!({}));
    if let Some(data) = data.as_object_mut() {
        for (name, text) in texts {
            data.insert(name, STANDARD.encode(text.as_str().unwrap_or_default()).into());
        }
    }
}
