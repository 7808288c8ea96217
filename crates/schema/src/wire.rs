//! The part of an OpenAPI v3 document that is read; serde passes over the rest, descriptions above all.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The name of the type of every object's metadata.
pub(crate) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

#[derive(Deserialize)]
pub(crate) struct OpenApi {
    #[serde(default)]
    pub(crate) components: Components,
}

#[derive(Default, Deserialize)]
pub(crate) struct Components {
    #[serde(default)]
    pub(crate) schemas: BTreeMap<String, Schema>,
}

/// One schema, as OpenAPI v3 and CustomResourceDefinitions write it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Schema {
    #[serde(rename = "$ref")]
    pub(crate) reference: Option<String>,
    #[serde(rename = "allOf")]
    pub(crate) all_of: Vec<Schema>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) properties: BTreeMap<String, Schema>,
    #[serde(rename = "additionalProperties")]
    pub(crate) additional: Option<Additional>,
    pub(crate) items: Option<Box<Schema>>,
    pub(crate) required: Vec<String>,
    #[serde(rename = "enum")]
    pub(crate) values: Vec<Value>,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Value>,
    #[serde(rename = "x-kubernetes-int-or-string")]
    pub(crate) int_or_string: bool,
    #[serde(rename = "x-kubernetes-preserve-unknown-fields")]
    pub(crate) preserve: bool,
    #[serde(rename = "x-kubernetes-embedded-resource")]
    pub(crate) embedded: bool,
    #[serde(rename = "x-kubernetes-list-type")]
    pub(crate) list_type: Option<String>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    pub(crate) list_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    pub(crate) map_type: Option<String>,
    #[serde(rename = "x-kubernetes-group-version-kind")]
    pub(crate) kinds: Vec<GroupVersionKind>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Additional {
    Allowed(bool),
    Schema(Box<Schema>),
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct GroupVersionKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl Schema {
    /// The name of the type that this schema stands for. A reference with a default or a description beside it
    /// is written as an `allOf` with one member.
    pub(crate) fn target(&self) -> Option<&str> {
        let reference = match (&self.reference, self.all_of.as_slice()) {
            (Some(reference), _) => Some(reference),
            (None, [only]) => only.reference.as_ref(),
            _ => None,
        };
        reference?.strip_prefix("#/components/schemas/")
    }

    /// Whether it or anything below stands for a type other than an object's metadata.
    pub(crate) fn refers(&self) -> bool {
        let additional = match &self.additional {
            Some(Additional::Schema(schema)) => schema.refers(),
            _ => false,
        };
        additional
            || self.target().is_some_and(|target| target != OBJECT_META)
            || self.items.as_ref().is_some_and(|items| items.refers())
            || self.properties.values().any(Self::refers)
    }
}
