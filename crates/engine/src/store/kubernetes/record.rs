//! A unit as a ConfigMap, and back.
//!
//! | Key | What |
//! |---|---|
//! | `unit.json` | what a person says of it |
//! | `operation.json` | what is asked of it now, if anything |
//! | `status.json` | what the engine says of it |
//! | `inventory` | the objects it has, a line each |
//!
//! What is large is compressed: the same name with `.gz`, under `binaryData`.

use serde_json::{Map, Value, json};
use towpath_object::{Gvk, Resource};

use crate::packed;
use crate::store::{Stored, Version};
use crate::unit::{OperationState, Unit, UnitId};

/// The label by which units are found.
pub(super) const LABEL: &str = "towpath.dev/unit-store";
/// Names the last write, so that its writer knows it again.
const WRITE: &str = "towpath.dev/write";
const PREFIX: &str = "towpath-unit-";
/// Below this a text is plain for people to read; above, it is compressed.
const PLAIN: usize = 64 * 1024;

pub(super) fn config_maps() -> Resource {
    Resource { gvk: Gvk::new("v1", "ConfigMap"), plural: "configmaps".into(), namespaced: true }
}

pub(super) fn name_of(id: &UnitId) -> String {
    format!("{PREFIX}{id}")
}

/// The unit that a ConfigMap is about, by its name: so the unit is known even if its text is damaged.
pub(super) fn id_of(map: &Value) -> Option<UnitId> {
    let name = map.pointer("/metadata/name")?.as_str()?;
    name.strip_prefix(PREFIX).map(|id| UnitId(id.into()))
}

pub(super) fn version_of(map: &Value) -> Version {
    Version(map.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default().into())
}

/// The name of the write that made the ConfigMap what it is.
pub(super) fn write_of(map: &Value) -> Option<&str> {
    map.get("metadata")?.get("annotations")?.get(WRITE)?.as_str()
}

/// A ConfigMap for a unit, still without any text.
pub(super) fn blank(namespace: &str, id: &UnitId) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": name_of(id), "namespace": namespace,
            "labels": {LABEL: "true", "app.kubernetes.io/managed-by": "towpath"},
        },
    })
}

/// Writes a unit into its ConfigMap, as the write of this name. Labels and annotations of others stay.
pub(super) fn write(map: &mut Value, unit: &Unit, write: &str) -> Result<(), String> {
    let mut size = put(map, unit)?;
    // What a finished sync did to each object is good to know, and the first thing to leave out.
    if size > packed::MOST
        && let Some(slim) = without_results(unit)
    {
        size = put(map, &slim)?;
    }
    if size > packed::MOST {
        return Err(format!("it would be {size} bytes; Kubernetes takes at most 1 MiB"));
    }
    if let Some(metadata) = map.get_mut("metadata").and_then(Value::as_object_mut) {
        // The server keeps them; sending them back would only cost time.
        metadata.remove("managedFields");
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(WRITE.into(), write.into());
        }
    }
    Ok(())
}

/// Replaces the texts; gives back how much the server counts for them.
fn put(map: &mut Value, unit: &Unit) -> Result<usize, String> {
    let mut unit = fields(serde_json::to_value(unit))?;
    let operation = unit.remove("operation").filter(|operation| !operation.is_null());
    let mut status = fields(Ok(unit.remove("status").unwrap_or_default()))?;
    let inventory = status.remove("inventory").and_then(|text| text.as_str().map(String::from));
    let texts = [
        ("unit.json", Some(Value::Object(unit).to_string())),
        ("operation.json", operation.map(|operation| operation.to_string())),
        ("status.json", Some(Value::Object(status).to_string())),
        ("inventory", inventory.filter(|text| !text.is_empty())),
    ];
    if let Some(map) = map.as_object_mut() {
        map.remove("data");
        map.remove("binaryData");
    }
    let texts = texts.into_iter().filter_map(|(name, text)| text.map(|text| (name, text)));
    Ok(texts.map(|(name, text)| packed::put(map, name, text, PLAIN)).sum())
}

/// The unit without the results of its last sync, if that is over.
fn without_results(unit: &Unit) -> Option<Unit> {
    let state = unit.status.operation.as_ref().filter(|state| state.phase.is_over())?;
    let mut slim = unit.clone();
    let mut progress = towpath_plan::sync::Progress::default();
    progress.outcome.clone_from(&state.progress.outcome);
    slim.status.operation = Some(OperationState { progress, ..state.clone() });
    Some(slim)
}

/// Reads a unit from its ConfigMap; or what is wrong with it.
pub(super) fn read(map: &Value) -> Result<Stored, String> {
    let text = |name: &str| packed::get(map, name).map_err(|message| format!("{name}: {message}"));
    let parse = |name: &str| match text(name)? {
        Some(text) => serde_json::from_str(&text).map_err(|error| format!("{name}: {error}")),
        None => Ok(Value::Null),
    };
    let mut unit = fields(Ok(parse("unit.json")?))?;
    if let Value::Object(mut status) = parse("status.json")? {
        status.insert("inventory".into(), text("inventory")?.unwrap_or_default().into());
        unit.insert("status".into(), status.into());
    }
    unit.insert("operation".into(), parse("operation.json")?);
    let unit: Unit = serde_json::from_value(unit.into()).map_err(|error| error.to_string())?;
    if id_of(map).as_ref() != Some(&unit.id) {
        return Err(format!("unit.json is about {}", unit.id));
    }
    Ok(Stored { unit, version: version_of(map) })
}

fn fields(value: Result<Value, serde_json::Error>) -> Result<Map<String, Value>, String> {
    match value.map_err(|error| error.to_string())? {
        Value::Object(fields) => Ok(fields),
        _ => Err("it does not say what the unit is".into()),
    }
}
