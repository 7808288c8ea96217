//! A small world for an engine: units in memory, one real cluster, manifests that a test sets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, pending};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use towpath_clock::{Clock, SystemClock};
use towpath_cluster::Options;
use towpath_cluster::cache::Scope;
use towpath_engine::store::{MemoryStore, UnitStore as _};
use towpath_engine::unit::{
    Automated, ClusterId, Destination, Policy, Status, SyncState, Unit, UnitHealth, UnitId,
};
use towpath_engine::{
    ClusterChange, ClusterSpec, ClusterStore, Engine, GenerateError, GenerateRequest, Limits, ManifestSource,
    Rendered,
};
use towpath_plan::sync::{Rules, Wanted};
use towpath_testkit::{ControlPlane, eventually};

use crate::example::sync_folder::Folder;

pub struct World {
    pub store: Arc<MemoryStore>,
    pub manifests: Arc<Manifests>,
    pub engine: Engine,
    running: JoinHandle<()>,
}

/// What each unit's manifests are now.
#[derive(Default)]
pub struct Manifests {
    by_unit: Mutex<BTreeMap<UnitId, Vec<Vec<Value>>>>,
}

impl Manifests {
    /// True when a unit has none.
    pub fn is_empty(&self, unit: &str) -> bool {
        let all = self.by_unit.lock().expect("no test panics while it holds the lock");
        !all.contains_key(&UnitId(unit.into()))
    }

    /// A new revision for a unit.
    pub fn set(&self, unit: &str, objects: Vec<Value>) {
        let mut all = self.by_unit.lock().expect("no test panics while it holds the lock");
        all.entry(UnitId(unit.into())).or_default().push(objects);
    }
}

impl ManifestSource for Manifests {
    fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
        // A unit whose source is a text is in that folder.
        if request.unit.source.is_string() {
            return async { Folder.generate(request).await }.boxed();
        }
        let all = self.by_unit.lock().expect("no test panics while it holds the lock");
        let revisions = all.get(&request.unit.id).map(Vec::as_slice).unwrap_or_default();
        let pinned = request.revision.and_then(|text| text.trim_start_matches('r').parse().ok());
        let revision: usize = pinned.unwrap_or(revisions.len());
        let Some(objects) = revision.checked_sub(1).and_then(|index| revisions.get(index)) else {
            let error = GenerateError { message: "there are no manifests".into(), transient: false };
            return ready(Err(error)).boxed();
        };
        let wanted: Result<Vec<Wanted>, _> =
            objects.iter().map(|object| Wanted::new(object.clone(), None)).collect();
        let rendered =
            wanted.map(|objects| Rendered { objects: objects.into(), revision: format!("r{revision}") });
        ready(rendered.map_err(|error| GenerateError { message: error.to_string(), transient: false }))
            .boxed()
    }
}

struct OneCluster {
    kubeconfig: std::path::PathBuf,
    scope: Scope,
}

impl ClusterStore for OneCluster {
    fn get<'a>(&'a self, id: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>> {
        if id.0 != "main" {
            return ready(None).boxed();
        }
        let connection = Options { kubeconfig: Some(self.kubeconfig.clone()), ..Options::default() };
        ready(Some(ClusterSpec { connection, scope: self.scope.clone() })).boxed()
    }

    fn watch(&self) -> BoxStream<'static, ClusterChange> {
        pending().boxed()
    }
}

impl World {
    /// An engine that runs until the world is dropped.
    pub fn start(plane: &ControlPlane) -> Result<Self> {
        Self::over(plane.kubeconfig_path(), Arc::default(), Arc::default())
    }

    pub fn over(
        kubeconfig: std::path::PathBuf,
        store: Arc<MemoryStore>,
        manifests: Arc<Manifests>,
    ) -> Result<Self> {
        Self::with(kubeconfig, store, manifests, Scope::Cluster, Arc::new(SystemClock::default()))
    }

    /// The same, with a scope and a clock.
    pub fn with(
        kubeconfig: std::path::PathBuf,
        store: Arc<MemoryStore>,
        manifests: Arc<Manifests>,
        scope: Scope,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let clusters = Arc::new(OneCluster { kubeconfig, scope });
        let engine = Engine::builder(store.clone(), clusters, manifests.clone()).clock(clock).build()?;
        let running = engine.clone();
        let running = tokio::spawn(async move { running.run(Limits::default()).await });
        Ok(Self { store, manifests, engine, running })
    }

    /// Ends the engine wherever it is; the store stays.
    pub async fn kill(mut self) -> Result<(Arc<MemoryStore>, Arc<Manifests>)> {
        self.engine.stop();
        tokio::time::timeout(Duration::from_secs(5), &mut self.running)
            .await
            .context("it does not end")??;
        Ok((self.store.clone(), self.manifests.clone()))
    }

    /// Adds a unit that keeps itself in sync.
    pub async fn add(&self, id: &str, namespace: &str, rules: Rules, objects: Vec<Value>) -> Result<()> {
        self.manifests.set(id, objects);
        let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
        self.store.create(unit(id, namespace, Policy { rules, automated, ..Policy::default() })).await?;
        Ok(())
    }

    pub async fn status(&self, id: &str) -> Result<Status> {
        let stored = self.store.get(&UnitId(id.into())).await?.context("no such unit")?;
        Ok(stored.unit.status)
    }

    /// Waits until a unit is in sync and healthy at a revision.
    pub async fn settled(&self, id: &str, revision: &str) -> Result<Status> {
        let settled = eventually(&format!("{id} at {revision}"), Duration::from_secs(30), async || {
            let status = self.status(id).await?;
            let good = status.sync == SyncState::Synced
                && status.health == UnitHealth::Healthy
                && status.revision == revision
                && status.operation.as_ref().is_some_and(|state| state.phase.is_over());
            Ok(good.then_some(status))
        })
        .await;
        match settled {
            Ok(status) => Ok(status),
            Err(error) => Err(error.context(format!("{:#?}", self.status(id).await?))),
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.engine.stop();
    }
}

pub fn unit(id: &str, namespace: &str, policy: Policy) -> Unit {
    Unit {
        id: UnitId(id.into()),
        generation: 1,
        source: json!({}),
        destination: Destination { cluster: ClusterId("main".into()), namespace: namespace.into() },
        policy,
        depends_on: Vec::new(),
        deleting: false,
        status: Status::default(),
        operation: None,
    }
}

pub fn config(name: &str, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": value}})
}
