//! Hints in OpenAPI definitions: which fields of custom kinds hold labels, annotations and names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::merge::merge_spec;
use super::{BackReference, Config, FieldSpec};
use crate::error::Error;
use crate::spec;

/// The tables that a `crds` file adds: a map of names to definitions.
pub fn from_crds(definitions: &Value) -> Result<Config, Error> {
    let mut config = Config::default();
    let Some(definitions) = definitions.as_object() else { return Ok(config) };
    let definitions: BTreeMap<&str, &Value> =
        definitions.iter().map(|(name, api)| (name.as_str(), api)).collect();
    let mut left = MOST_FIELDS;
    for (name, api) in &definitions {
        let Some(properties) = properties(api) else { continue };
        if ["kind", "apiVersion", "metadata"].into_iter().all(|field| properties.contains_key(field)) {
            let kind = name.rsplit('.').next().unwrap_or(name).to_owned();
            let gvk = spec::Gvk { kind, ..spec::Gvk::default() };
            let mut found = Found { config: &mut config, gvk, definitions: &definitions, left: &mut left };
            found.collect(name, &mut Vec::new())?;
        }
    }
    Ok(config)
}

fn properties(api: &Value) -> Option<&serde_json::Map<String, Value>> {
    api.get("Schema").or_else(|| api.get("schema"))?.get("properties")?.as_object()
}

/// How many fields the definitions of a file may have with all references followed: few definitions can have
/// endless ones, if each refers to the next one twice.
const MOST_FIELDS: usize = 100_000;

struct Found<'a> {
    config: &'a mut Config,
    gvk: spec::Gvk,
    definitions: &'a BTreeMap<&'a str, &'a Value>,
    left: &'a mut usize,
}

impl Found<'_> {
    fn collect(&mut self, name: &str, path: &mut Vec<String>) -> Result<(), Error> {
        // A definition that refers to itself has no end.
        if path.len() > 64 {
            return Err(Error::invalid(format!("the definition of {name} refers to itself")));
        }
        let Some(properties) = self.definitions.get(name).copied().and_then(properties) else {
            return Ok(());
        };
        for (field, property) in properties {
            *self.left = self.left.checked_sub(1).ok_or_else(|| {
                Error::Limit(format!("the definitions have more than {MOST_FIELDS} fields"))
            })?;
            path.push(field.clone());
            self.field(property, path)?;
            path.pop();
        }
        Ok(())
    }

    fn field(&mut self, property: &Value, path: &mut Vec<String>) -> Result<(), Error> {
        let hint = |name: &str| {
            property.as_object()?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str()
        };
        let here = || FieldSpec::new(self.gvk.clone(), &path.join("/"), false);
        if hint("x-kubernetes-annotation").is_some() {
            merge_spec(&mut self.config.common_annotations, here())?;
        }
        if hint("x-kubernetes-label-selector").is_some() {
            merge_spec(&mut self.config.common_labels, here())?;
        }
        if hint("x-kubernetes-identity").is_some() {
            merge_spec(&mut self.config.name_prefix, here())?;
        }
        if let (Some(version), Some(kind)) =
            (hint("x-kubernetes-object-ref-api-version"), hint("x-kubernetes-object-ref-kind"))
        {
            let key = hint("x-kubernetes-object-ref-name-key").unwrap_or("name");
            let target =
                spec::Gvk { version: version.to_owned(), kind: kind.to_owned(), ..spec::Gvk::default() };
            let referrer = FieldSpec::new(self.gvk.clone(), &format!("{}/{key}", path.join("/")), false);
            self.config.add_reference(BackReference { gvk: target, referrers: vec![referrer] })?;
        }
        if let Some(inner) = property.get("$ref").and_then(Value::as_str) {
            self.collect(inner, path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hints_become_fields() {
        let any = json!({"type": "string"});
        let config = from_crds(&json!({
            "example.com/v1.Bee": {"Schema": {"properties": {
                "kind": any, "apiVersion": any, "metadata": any,
                "spec": {"$ref": "example.com/v1.BeeSpec"}}}},
            "example.com/v1.BeeSpec": {"Schema": {"properties": {
                "secretRef": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "Secret"},
                "selector": {"x-kubernetes-label-selector": ""}}}},
        }))
        .unwrap();
        assert_eq!(config.name_reference[0].referrers[0].path, "spec/secretRef/name");
        assert_eq!(config.name_reference[0].referrers[0].gvk().kind, "Bee");
        assert_eq!(config.common_labels[0].path, "spec/selector");
    }
}
