//! The schemas of many groups and versions, found by kind.

use std::collections::HashMap;

use serde::Deserialize as _;
use serde_json::Value;
use towpath_object::Gvk;

use crate::names::Names;
use crate::node::{Document, Id};
use crate::read::{self, Reader};
use crate::wire::{OBJECT_META, OpenApi, Schema};

/// What a server's kinds look like, as far as its documents have been added.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    pub(crate) names: Names,
    documents: Vec<Document>,
    /// From the server.
    served: HashMap<Gvk, Root>,
    /// From definitions that are about to be applied: they count more than what the server serves now. Nothing
    /// where a definition leaves everything open.
    defined: HashMap<Gvk, Option<Root>>,
    /// The type of metadata, for definitions: they only refer to it.
    metadata: Option<Root>,
}

/// Where a kind's schema begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    document: usize,
    pub(crate) node: Id,
}

/// Why a document cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not an OpenAPI v3 document.
    #[error("read an OpenAPI document: {0}")]
    Unreadable(#[source] serde_json::Error),
}

impl Schemas {
    /// Adds the kinds of one group and version, from the document that a server serves below `/openapi/v3`.
    pub fn add_openapi(&mut self, document: &[u8]) -> Result<(), Error> {
        let OpenApi { components } = serde_json::from_slice(document).map_err(Error::Unreadable)?;
        let mut reader = Reader::new(&mut self.names);
        let number = self.documents.len();
        for (name, schema) in components.schemas {
            let custom = read::is_custom(&name, &schema);
            let node = if custom { reader.custom_root(&schema) } else { reader.built_in(&name, &schema) };
            let root = Root { document: number, node };
            if name == OBJECT_META {
                self.metadata = Some(root);
            }
            for kind in schema.kinds {
                self.served.insert(Gvk { group: kind.group, version: kind.version, kind: kind.kind }, root);
            }
        }
        self.documents.push(reader.finish());
        Ok(())
    }

    /// Adds the kinds that a CustomResourceDefinition defines. What in it is no schema is left to the server,
    /// which will say so when the definition itself is applied.
    pub fn add_definition(&mut self, definition: &Value) {
        let text = |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (group, kind) = (text("/spec/group"), text("/spec/names/kind"));
        let keeps_all = definition.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true));
        let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
        let mut reader = Reader::new(&mut self.names);
        for version in versions.into_iter().flatten() {
            let Some(name) = version.get("name").and_then(Value::as_str) else { continue };
            let schema = version.pointer("/schema/openAPIV3Schema").filter(|_| !keeps_all);
            let schema = schema.and_then(|schema| Schema::deserialize(schema).ok());
            let root = schema
                .map(|schema| Root { document: self.documents.len(), node: reader.custom_root(&schema) });
            self.defined.insert(Gvk { group: group.into(), version: name.into(), kind: kind.into() }, root);
        }
        self.documents.push(reader.finish());
    }

    /// Whether objects of this kind can be checked.
    pub fn knows(&self, gvk: &Gvk) -> bool {
        self.root(gvk).is_some()
    }

    pub(crate) fn root(&self, gvk: &Gvk) -> Option<Root> {
        match self.defined.get(gvk) {
            Some(root) => *root,
            None => self.served.get(gvk).copied(),
        }
    }

    pub(crate) fn metadata(&self) -> Option<Root> {
        self.metadata
    }

    pub(crate) fn document(&self, root: Root) -> Option<&Document> {
        self.documents.get(root.document)
    }
}
