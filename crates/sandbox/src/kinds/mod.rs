//! Which kinds are served: Kubernetes' own, from facts that a real server gave, and those that definitions add.
//!
//! In: the committed facts and CustomResourceDefinitions. Out: [`Kind`]s by path, their schemas, and the documents
//! of discovery. A kind's objects are kept once, whatever the number of its versions.

mod discovery;
mod facts;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use towpath_object::Gvk;
use towpath_schema::{Place, Schemas};

pub(crate) use discovery::Form;
use facts::FACTS;

/// The number of a table in the store: one for each group and plural.
pub(crate) type TableId = usize;

/// One version of a kind, as it is served.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) gvk: Gvk,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
    /// Defined by a CustomResourceDefinition.
    pub(crate) custom: bool,
    /// Has a status of its own.
    pub(crate) status: bool,
    pub(crate) verbs: Vec<String>,
    pub(crate) table: TableId,
}

impl Kind {
    /// `deployments.apps`, or `services`, as messages name it.
    pub(crate) fn resource(&self) -> String {
        if self.gvk.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.gvk.group)
        }
    }

    /// Whether it is this kind of Kubernetes' own.
    pub(crate) fn is(&self, group: &str, kind: &str) -> bool {
        self.gvk.group == group && self.gvk.kind == kind
    }
}

/// All that is served.
#[derive(Debug)]
pub(crate) struct Kinds {
    /// By group, version and plural.
    by_path: BTreeMap<(String, String, String), Arc<Kind>>,
    tables: BTreeMap<(String, String), TableId>,
    by_table: BTreeMap<TableId, Arc<Kind>>,
    /// Definitions by name.
    definitions: BTreeMap<String, Value>,
    /// The schemas of definitions; those of Kubernetes' own kinds are shared by all servers.
    schemas: Schemas,
}

impl Kinds {
    /// Kubernetes' own.
    pub(crate) fn built_in() -> Self {
        let mut kinds = Self {
            by_path: BTreeMap::new(),
            tables: BTreeMap::new(),
            by_table: BTreeMap::new(),
            definitions: BTreeMap::new(),
            schemas: Schemas::default(),
        };
        for group in FACTS.groups() {
            kinds.add_group(group, false);
        }
        kinds
    }

    /// The kind at a path.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.by_path.get(&(group.into(), version.into(), plural.into()))
    }

    /// Any version of the kind of that name.
    pub(crate) fn named(&self, group: &str, kind: &str) -> Option<&Arc<Kind>> {
        self.by_path.values().find(|known| known.is(group, kind))
    }

    /// Every kind, in one version each.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.by_table.values()
    }

    /// The kind whose objects a table holds, in one of its versions.
    pub(crate) fn of_table(&self, table: TableId) -> Option<&Arc<Kind>> {
        self.by_table.get(&table)
    }

    /// Exactly this kind and version.
    pub(crate) fn get(&self, gvk: &Gvk) -> Option<&Arc<Kind>> {
        self.by_path.values().find(|kind| kind.gvk == *gvk)
    }

    /// Whether a group and version is served.
    pub(crate) fn serves(&self, group: &str, version: &str) -> bool {
        self.by_path.keys().any(|(known, of, _)| known == group && of == version)
    }

    /// How many tables the store needs.
    pub(crate) fn tables(&self) -> usize {
        self.tables.len()
    }

    /// Where the schema of a kind begins.
    pub(crate) fn place(&self, gvk: &Gvk) -> Place<'_> {
        self.schemas_of(gvk).place(gvk)
    }

    /// The schemas that describe a kind.
    pub(crate) fn schemas_of(&self, gvk: &Gvk) -> &Schemas {
        if self.schemas.knows(gvk) { &self.schemas } else { FACTS.schemas() }
    }

    /// Serves what a definition defines.
    pub(crate) fn define(&mut self, definition: &Value) {
        let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        if self.definitions.get(name).is_some_and(|known| known.get("spec") == definition.get("spec")) {
            return;
        }
        self.undefine(name);
        self.definitions.insert(name.into(), definition.clone());
        self.add_group(&discovery::of_definition(definition), true);
        self.schemas.add_definition(definition);
    }

    /// Serves it no longer.
    pub(crate) fn undefine(&mut self, name: &str) {
        if let Some(definition) = self.definitions.remove(name) {
            let text =
                |pointer: &str| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
            self.by_path.retain(|(known, _, of), _| known != group || of != plural);
            self.by_table.retain(|_, kind| kind.gvk.group != group || kind.plural != plural);
        }
    }

    /// Adds a group as aggregated discovery writes it.
    fn add_group(&mut self, group: &Value, custom: bool) {
        let name = text(group.pointer("/metadata/name"));
        for version in items(group, "versions") {
            for resource in items(version, "resources") {
                let plural = text(resource.get("resource"));
                let tables = self.tables.len();
                let table = *self.tables.entry((name.into(), plural.into())).or_insert(tables);
                let has = |wanted: &str| {
                    items(resource, "subresources").any(|sub| text(sub.get("subresource")) == wanted)
                };
                let kind = Kind {
                    gvk: Gvk {
                        group: name.into(),
                        version: text(version.get("version")).into(),
                        kind: text(resource.pointer("/responseKind/kind")).into(),
                    },
                    plural: plural.into(),
                    namespaced: text(resource.get("scope")) == "Namespaced",
                    custom,
                    status: has("status"),
                    verbs: items(resource, "verbs").map(|verb| text(Some(verb)).into()).collect(),
                    table,
                };
                let path = (name.into(), kind.gvk.version.clone(), kind.plural.clone());
                let kind = Arc::new(kind);
                self.by_table.entry(table).or_insert_with(|| kind.clone());
                self.by_path.insert(path, kind);
            }
        }
    }

    /// A document of discovery: `/api` or `/apis`, or of one group (`/apis/apps`) or one version of it.
    pub(crate) fn document(&self, path: &str, form: Form) -> Option<Value> {
        let custom: Vec<Value> = self.definitions.values().map(discovery::of_definition).collect();
        discovery::document(&discovery::merged(FACTS.groups(), custom), path, form)
    }

    /// The answer to `/version`.
    pub(crate) fn version() -> Value {
        FACTS.version().cloned().unwrap_or_else(|| json!({}))
    }
}

pub(crate) fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

pub(crate) fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
