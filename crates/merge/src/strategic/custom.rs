//! An OpenAPI document to types.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};
use towpath_yaml::{Dialect, Limits};

use super::Error;
use super::schema::{BuiltIn, Resource, Scope, Type, TypeId, built_in_definition};

type Resources = HashMap<Cow<'static, str>, Resource>;

/// What a document defines.
pub(super) struct Read {
    pub types: Vec<Type>,
    pub resources: Resources,
    /// The definitions by name.
    pub names: Vec<(String, TypeId)>,
}

/// The types and resources of a document, which may refer to built-in definitions.
pub(super) fn read(document: &[u8], built_in: BuiltIn) -> Result<Read, Error> {
    let refuse = |message: String| Error::Schema(message);
    let nodes = towpath_yaml::read(document, Dialect::V2, &Limits::default());
    let node = nodes.map_err(|error| refuse(error.to_string()))?.into_iter().next();
    let document = match node {
        Some(node) => node.to_json().map_err(|error| refuse(error.to_string()))?,
        None => Value::Null,
    };
    let empty = Map::new();
    let definitions = document.get("definitions").and_then(Value::as_object).unwrap_or(&empty);
    let numbers = (1..).zip(definitions.keys()).map(|(number, name)| (name.as_str(), number)).collect();
    let mut reader = Reader { numbers, types: vec![Type::default()], built_in };
    reader.types.resize_with(definitions.len() + 1, Type::default);
    let mut resources = Resources::new();
    for (number, definition) in (1..).zip(definitions.values()) {
        let known = reader.describe(definition);
        if let Some(slot) = reader.types.get_mut(number as usize) {
            *slot = known;
        }
        let kinds = definition.get("x-kubernetes-group-version-kind").and_then(Value::as_array);
        for id in kinds.into_iter().flatten().filter_map(identity) {
            resources.insert(id.into(), Resource { root: Some(number), scope: None });
        }
    }
    let paths = document.get("paths").and_then(Value::as_object).unwrap_or(&empty);
    for (path, operations) in paths {
        let kind = operations.get("get").and_then(|get| get.get("x-kubernetes-group-version-kind"));
        let Some(id) = kind.and_then(identity) else { continue };
        let resource = resources.entry(id.into()).or_insert(Resource { root: None, scope: None });
        if path.contains("namespaces/{namespace}") {
            resource.scope = Some(Scope::Namespaced);
        } else if resource.scope.is_none() {
            resource.scope = Some(Scope::Cluster);
        }
    }
    let names = reader.numbers.iter().map(|(name, id)| ((*name).to_owned(), *id)).collect();
    Ok(Read { types: reader.types, resources, names })
}

/// `apiVersion/Kind`
fn identity(kind: &Value) -> Option<String> {
    let part = |name| kind.get(name).and_then(Value::as_str);
    let version = part("version")?;
    let kind = part("kind")?;
    Some(match part("group").filter(|group| !group.is_empty()) {
        Some(group) => format!("{group}/{version}/{kind}"),
        None => format!("{version}/{kind}"),
    })
}

struct Reader<'a> {
    numbers: HashMap<&'a str, TypeId>,
    types: Vec<Type>,
    built_in: BuiltIn,
}

impl Reader<'_> {
    /// The number of a schema that stands inside of another.
    fn number(&mut self, schema: &Value) -> TypeId {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let here = self.numbers.get(name).copied();
            let found = match self.built_in {
                BuiltIn::Absent => here,
                BuiltIn::InFront => built_in_definition(name).or(here),
                BuiltIn::Behind => here.or_else(|| built_in_definition(name)),
            };
            return found.unwrap_or(0);
        }
        let known = self.describe(schema);
        if known == Type::default() {
            return 0;
        }
        self.types.push(known);
        TypeId::try_from(self.types.len() - 1).unwrap_or(0)
    }

    fn describe(&mut self, schema: &Value) -> Type {
        let text = |name: &str| schema.get(name).and_then(Value::as_str);
        if text("type") == Some("array") {
            let strategy = text("x-kubernetes-patch-strategy");
            let keys = match schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array) {
                Some(keys) => {
                    keys.iter().filter_map(Value::as_str).map(|key| key.to_owned().into()).collect()
                }
                None => text("x-kubernetes-patch-merge-key")
                    .map(|key| key.to_owned().into())
                    .into_iter()
                    .collect(),
            };
            return Type {
                items: schema.get("items").map(|items| self.number(items)),
                merges: strategy.is_some_and(|strategy| strategy.split(',').any(|word| word == "merge")),
                keys: if strategy.is_some() { keys } else { Vec::new() },
                ..Type::default()
            };
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut fields: Vec<_> = properties
            .into_iter()
            .flatten()
            .map(|(name, property)| (Cow::Owned(name.clone()), self.number(property)))
            .collect();
        if let Some(any @ Value::Object(_)) = schema.get("additionalProperties") {
            fields.push((Cow::Borrowed("*"), self.number(any)));
        }
        fields.sort();
        Type { fields, ..Type::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BuiltIn, Schema};

    #[test]
    fn a_custom_schema_tells_keys_and_scopes() {
        let document = br##"
definitions:
  v1.Shop:
    x-kubernetes-group-version-kind: [{group: example.com, kind: Shop, version: v1}]
    properties:
      spec: {$ref: "#/definitions/v1.ShopSpec"}
  v1.ShopSpec:
    properties:
      shelves:
        type: array
        items: {properties: {label: {type: string}}}
        x-kubernetes-patch-merge-key: label
        x-kubernetes-patch-strategy: merge
paths:
  /apis/example.com/v1/shops:
    get: {x-kubernetes-group-version-kind: {group: example.com, kind: Shop, version: v1}}
"##;
        let schema = Schema::custom(document, BuiltIn::Absent).unwrap();
        let shop = schema.resource("example.com/v1", "Shop").unwrap();
        let shelves = schema.field(schema.field(shop, "spec").unwrap(), "shelves").unwrap();
        assert!(schema.merges(shelves));
        assert_eq!(schema.keys(shelves), ["label"]);
        assert_eq!(schema.scope("example.com/v1", "Shop"), Some(super::Scope::Cluster));
        assert_eq!(schema.resource("apps/v1", "Deployment"), None);
        assert!(schema.has_scopes());
    }

    /// The keys of the containers of a shop, and of a deployment.
    fn containers(built_in: BuiltIn) -> [Option<Vec<String>>; 2] {
        let document = br##"
definitions:
  v1.Shop:
    x-kubernetes-group-version-kind: [{group: example.com, kind: Shop, version: v1}]
    properties:
      spec:
        properties:
          template: {$ref: "#/definitions/io.k8s.api.core.v1.PodTemplateSpec"}
  io.k8s.api.core.v1.PodSpec:
    properties:
      containers:
        type: array
        items: {properties: {image: {type: string}}}
        x-kubernetes-patch-merge-key: image
        x-kubernetes-patch-strategy: merge
"##;
        let schema = Schema::custom(document, built_in).unwrap();
        [("example.com/v1", "Shop"), ("apps/v1", "Deployment")].map(|(version, kind)| {
            let mut id = schema.resource(version, kind)?;
            for field in ["spec", "template", "spec", "containers"] {
                id = schema.field(id, field)?;
            }
            Some(schema.keys(id).into_iter().map(str::to_owned).collect())
        })
    }

    #[test]
    fn a_custom_schema_can_refer_to_what_is_built_in() {
        let by = |key: &str| Some(vec![key.to_owned()]);
        assert_eq!(containers(BuiltIn::Absent), [None, None]);
        assert_eq!(containers(BuiltIn::InFront), [by("name"), by("name")]);
        assert_eq!(containers(BuiltIn::Behind), [by("image"), by("image")]);
    }
}
