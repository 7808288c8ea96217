//! Units on a cluster, without any definition of a custom resource: a ConfigMap each.
//!
//! In: a [`Cluster`] and a namespace. Out: a [`UnitStore`] that survives the process. Every write says which state it
//! builds on (the ConfigMap's resource version), so any number of stores may work side by side. Never kept here: what
//! was rendered, and anything of a Secret.
//!
//! **A write happens once.** The connection may break after the server has taken a write and before it has said so.
//! The next attempt is then a conflict with ourselves. Each write carries a name of its own, by which it is known
//! again.
//!
//! **A unit that is watched is read for nothing.** While somebody listens to [`watch`](UnitStore::watch), as an engine
//! does, units are read from what it has shown, and a write is one request.

mod record;
mod shown;
mod watch;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::Value;
use towpath_cluster::{Cluster, Selection};
use towpath_object::Object;

use crate::store::{StoreError, Stored, UnitChange, UnitStore, Version, check};
use crate::unit::{Operation, Status, Unit, UnitId};

use record::{LABEL, blank, config_maps, id_of, name_of, read, version_of, write, write_of};
use shown::{Known, Row, Shown};

/// Units as ConfigMaps `towpath-unit-NAME` of one namespace. A unit's name has to be fit for the name of a ConfigMap:
/// lower case letters, digits, `-` and `.`.
pub struct KubernetesStore {
    cluster: Cluster,
    namespace: String,
    /// Different in every store that ever was, so that no two name their writes alike.
    writer: u64,
    writes: AtomicU64,
    shown: Shown,
}

impl KubernetesStore {
    /// The units of a namespace, which has to exist.
    pub fn new(cluster: Cluster, namespace: &str) -> Self {
        let writer = RandomState::new().build_hasher().finish();
        let (namespace, shown) = (namespace.into(), Shown::default());
        Self { cluster, namespace, writer, writes: AtomicU64::new(0), shown }
    }

    fn next_write(&self) -> String {
        format!("{:016x}-{}", self.writer, self.writes.fetch_add(1, Ordering::Relaxed))
    }

    async fn find(&self, id: &UnitId) -> Result<Option<Value>, StoreError> {
        let asked = self.shown.moment();
        let found = self.cluster.get(&config_maps(), &self.namespace, &name_of(id)).await;
        let found = found.map_err(|error| broken("read", id, &error))?;
        self.shown.answered(id, found.as_ref().map(version_of), asked);
        Ok(found)
    }

    /// The unit with its ConfigMap, as the server has it now.
    async fn ask(&self, id: &UnitId) -> Result<Option<Row>, StoreError> {
        let Some(map) = self.find(id).await? else { return Ok(None) };
        Ok(Some(Row { stored: stored(id, &map)?, map }))
    }

    async fn look(&self, id: &UnitId) -> Result<Option<Stored>, StoreError> {
        match self.shown.get(id) {
            Known::Unit(row) => Ok(Some(row.stored)),
            Known::Nothing => Ok(None),
            Known::TooLittle => Ok(self.ask(id).await?.map(|row| row.stored)),
        }
    }

    /// What the server has made of our own write.
    fn wrote(&self, id: &UnitId, map: &Value) -> Result<Stored, StoreError> {
        self.shown.heard(id, Some(version_of(map)));
        stored(id, map)
    }

    async fn add(&self, unit: Unit) -> Result<Stored, StoreError> {
        let (id, name) = (unit.id.clone(), self.next_write());
        let mut map = blank(&self.namespace, &id);
        write(&mut map, &unit, &name).map_err(|message| broken("create", &id, &message))?;
        let map = Object::new(map).map_err(|invalid| broken("create", &id, &invalid))?;
        match self.cluster.create(&config_maps(), &map).await {
            Ok(map) => self.wrote(&id, &map),
            Err(error) if error.is_conflict() => match self.written(&id, &name).await? {
                Some(map) => stored(&id, &map),
                None => Err(StoreError::Exists { id }),
            },
            Err(error) => Err(broken("create", &id, &error)),
        }
    }

    /// Changes a unit if it is still as expected.
    async fn change(
        &self,
        id: &UnitId,
        expect: &Version,
        change: impl FnOnce(&mut Unit) + Send,
    ) -> Result<Stored, StoreError> {
        let name = self.next_write();
        let missing = || StoreError::Missing { id: id.clone() };
        let row = match self.shown.get(id) {
            Known::Unit(row) if row.stored.version == *expect => *row,
            _ => self.ask(id).await?.ok_or_else(missing)?,
        };
        let Row { stored: Stored { mut unit, version }, mut map } = row;
        if version != *expect {
            return Err(StoreError::Conflict { id: id.clone() });
        }
        change(&mut unit);
        write(&mut map, &unit, &name).map_err(|message| broken("write", id, &message))?;
        let map = Object::new(map).map_err(|invalid| broken("write", id, &invalid))?;
        match self.cluster.replace(&config_maps(), &map).await {
            Ok(map) => self.wrote(id, &map),
            Err(error) if error.is_conflict() => match self.written(id, &name).await? {
                Some(map) => stored(id, &map),
                None => Err(StoreError::Conflict { id: id.clone() }),
            },
            Err(error) if error.is_not_found() => {
                self.shown.heard(id, None);
                Err(missing())
            }
            Err(error) => Err(broken("write", id, &error)),
        }
    }

    /// The ConfigMap, if our own write has made it what it is although we were not told.
    async fn written(&self, id: &UnitId, write: &str) -> Result<Option<Value>, StoreError> {
        Ok(self.find(id).await?.filter(|map| write_of(map) == Some(write)))
    }

    async fn all(&self) -> Result<Vec<Stored>, StoreError> {
        let ours = Selection::in_namespace(&self.namespace).labelled(&format!("{LABEL}=true"));
        let mut units = Vec::new();
        let each = |map: Value| match read(&map) {
            Ok(stored) => units.push(stored),
            // Whoever asks for it hears why. The others are not held up.
            Err(message) => tracing::warn!(unit = ?id_of(&map), message, "the unit cannot be read"),
        };
        match self.cluster.list(&config_maps(), &ours, each).await {
            Ok(_) => Ok(units),
            Err(error) => Err(StoreError::Broken {
                what: format!("list the units of {}", self.namespace),
                message: error.to_string(),
            }),
        }
    }

    async fn remove(&self, id: &UnitId) -> Result<(), StoreError> {
        let map = self.find(id).await?.ok_or_else(|| StoreError::Missing { id: id.clone() })?;
        let uid = map.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
        let key = config_maps().key(&self.namespace, &name_of(id));
        let deleted = self.cluster.delete(&config_maps(), &key, uid).await;
        self.shown.doubt(id);
        deleted.map(|_| ()).map_err(|error| broken("delete", id, &error))
    }
}

impl UnitStore for KubernetesStore {
    fn list(&self) -> BoxFuture<'_, Result<Vec<Stored>, StoreError>> {
        self.all().boxed()
    }

    fn get<'a>(&'a self, id: &'a UnitId) -> BoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.look(id).boxed()
    }

    fn create(&self, unit: Unit) -> BoxFuture<'_, Result<Stored, StoreError>> {
        async move {
            check(&unit)?;
            self.add(unit).await
        }
        .boxed()
    }

    fn update<'a>(&'a self, unit: Unit, expect: &'a Version) -> BoxFuture<'a, Result<Stored, StoreError>> {
        async move {
            check(&unit)?;
            let id = unit.id.clone();
            let replace = |known: &mut Unit| {
                let Unit { status, operation, generation, .. } = known.clone();
                *known = Unit { status, operation, generation: generation + 1, ..unit };
            };
            self.change(&id, expect, replace).await
        }
        .boxed()
    }

    fn delete<'a>(&'a self, id: &'a UnitId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.remove(id).boxed()
    }

    fn set_status<'a>(
        &'a self,
        id: &'a UnitId,
        expect: &'a Version,
        status: Status,
    ) -> BoxFuture<'a, Result<Version, StoreError>> {
        let changed = self.change(id, expect, |unit| unit.status = status);
        async move { changed.await.map(|stored| stored.version) }.boxed()
    }

    fn set_operation<'a>(
        &'a self,
        id: &'a UnitId,
        expect: &'a Version,
        operation: Option<Operation>,
    ) -> BoxFuture<'a, Result<Version, StoreError>> {
        let changed = self.change(id, expect, |unit| unit.operation = operation);
        async move { changed.await.map(|stored| stored.version) }.boxed()
    }

    fn watch(&self) -> BoxStream<'static, UnitChange> {
        watch::watch(self.cluster.clone(), self.namespace.clone(), self.shown.clone())
    }
}

fn stored(id: &UnitId, map: &Value) -> Result<Stored, StoreError> {
    read(map).map_err(|message| broken("read", id, &message))
}

fn broken(verb: &str, id: &UnitId, message: &dyn std::fmt::Display) -> StoreError {
    StoreError::Broken { what: format!("{verb} the unit {id}"), message: message.to_string() }
}
