//! What the sandbox has to know of Kubernetes' own kinds, read from a real server: which there are (its aggregated
//! discovery) and what they look like (its OpenAPI documents without the prose), as one file.

use std::path::Path;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::Request;
use http::header::ACCEPT;
use serde_json::{Map, Value, json};
use towpath_testkit::{Api, ControlPlane};

/// What of a schema decides how objects are read and merged.
const KEPT: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "default",
    "enum",
    "format",
    "items",
    "properties",
    "required",
    "type",
];

/// Reads the facts from a server.
pub(super) async fn gather(plane: &ControlPlane) -> Result<Value> {
    let api = plane.api();
    let mut schemas = Map::new();
    let index = api.get("/openapi/v3").await?;
    let paths = index.get("paths").and_then(Value::as_object).context("an index of schemas")?;
    for (path, entry) in paths {
        if path != "api/v1" && !(path.starts_with("apis/") && path.matches('/').count() == 2) {
            continue;
        }
        let url = entry.get("serverRelativeURL").and_then(Value::as_str).context("the address of schemas")?;
        let document = api.get(url).await?;
        let types = document.pointer("/components/schemas").and_then(Value::as_object).into_iter().flatten();
        schemas.extend(types.map(|(name, schema)| (name.clone(), without_prose(schema))));
    }
    Ok(json!({
        "version": api.get("/version").await?,
        "core": discovery(&api, "/api").await?,
        "groups": discovery(&api, "/apis").await?,
        "openapi": {"components": {"schemas": schemas}},
    }))
}

/// Writes the facts to a file, one type a line.
pub(super) fn write(facts: &Value, path: &Path) -> Result<()> {
    let text = facts.to_string().replace(",\"io.k8s.", ",\n\"io.k8s.") + "\n";
    std::fs::write(path, text).with_context(|| format!("write {}", path.display()))
}

async fn discovery(api: &Api, path: &str) -> Result<Value> {
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let request = Request::get(path).header(ACCEPT, accept).body(Bytes::new())?;
    let answer = api.exchange(request).await?;
    let mut document: Value = serde_json::from_slice(answer.body()).context("read discovery")?;
    Ok(document.get_mut("items").map(Value::take).unwrap_or_default())
}

/// A schema without descriptions, and with default values only where they are written by the server.
fn without_prose(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut kept = Map::new();
    for (name, value) in fields {
        let value = match name.as_str() {
            "properties" => Value::Object(
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, schema)| (name.clone(), without_prose(schema)))
                    .collect(),
            ),
            "items" | "additionalProperties" => without_prose(value),
            "allOf" => Value::Array(value.as_array().into_iter().flatten().map(without_prose).collect()),
            name if KEPT.contains(&name) || name.starts_with("x-kubernetes-") => value.clone(),
            _ => continue,
        };
        kept.insert(name.clone(), value);
    }
    Value::Object(kept)
}
