//! The schemas of a cluster, kept as long as they hold: those of Kubernetes' own kinds from the server's documents, those
//! of custom kinds from their definitions, which are watched anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;
use towpath_cluster::Cluster;
use towpath_cluster::cache::{Cache, Managed, Row};
use towpath_object::{Key, Resource};
use towpath_schema::Schemas;

/// What is known of the schemas of a cluster. They are fetched when a kind is first needed, and again when one of its
/// definitions has changed.
#[derive(Default)]
pub(crate) struct KnownSchemas {
    current: RwLock<Arc<Schemas>>,
    /// Held while fetching: whoever comes second needs the same documents and waits for them.
    held: Mutex<Held>,
}

/// What the current schemas were made of.
#[derive(Default)]
struct Held {
    /// Groups and versions of the server's documents.
    versions: BTreeSet<(String, String)>,
    /// Definitions by name, each with its state.
    definitions: BTreeMap<String, (String, i64)>,
}

impl KnownSchemas {
    /// What is known now, without asking.
    pub(crate) fn known(&self) -> Arc<Schemas> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The schemas of these kinds, as far as the server tells them.
    pub(crate) async fn of<'a>(
        &self,
        cluster: &Cluster,
        cache: &Cache,
        kinds: impl IntoIterator<Item = &'a Resource>,
    ) -> Arc<Schemas> {
        let (mut versions, mut definitions) = (BTreeSet::new(), BTreeMap::new());
        for resource in kinds {
            match definition(cache, resource) {
                Some(row) => {
                    definitions.insert(row.key.name.clone(), row);
                }
                None => {
                    versions.insert((resource.gvk.group.clone(), resource.gvk.version.clone()));
                }
            }
        }
        let mut held = self.held.lock().await;
        let fresh = |(name, row): (&String, &Row)| held.definitions.get(name) == Some(&mark(row));
        if versions.is_subset(&held.versions) && definitions.iter().all(fresh) {
            return self.known();
        }
        versions.extend(held.versions.iter().cloned());
        let before = held.definitions.keys().filter_map(|name| cache.get(&definition_key(name)));
        definitions.extend(before.map(|row| (row.key.name.clone(), row)).collect::<Vec<_>>());
        let (mut schemas, versions) = match cluster.schemas(versions.iter().cloned(), None).await {
            Ok(schemas) => (schemas, versions),
            Err(error) => {
                tracing::debug!(%error, "the server does not tell its schemas; it checks alone");
                (Schemas::default(), BTreeSet::new())
            }
        };
        for row in definitions.values() {
            if let Some(object) = row.managed.as_ref().map(Managed::object) {
                schemas.add_definition(object.value());
            }
        }
        let definitions = definitions.iter().map(|(name, row)| (name.clone(), mark(row))).collect();
        *held = Held { versions, definitions };
        let schemas = Arc::new(schemas);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = schemas.clone();
        schemas
    }
}

/// The definition of a kind, if it is a custom one.
pub(crate) fn definition(cache: &Cache, resource: &Resource) -> Option<Row> {
    cache.get(&definition_key(&format!("{}.{}", resource.plural, resource.gvk.group)))
}

fn definition_key(name: &str) -> Key {
    Key::new("apiextensions.k8s.io", "CustomResourceDefinition", "", name)
}

fn mark(row: &Row) -> (String, i64) {
    (row.uid.clone(), row.generation)
}
