//! A cluster that units go to: a connection and what is known of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{Mutex, Semaphore};
use towpath_cluster::cache::{Cache, CacheSettings, Mode, Scope};
use towpath_cluster::{Cluster, Error};
use towpath_plan::owned_digest;

use crate::claims::Claims;
use crate::schemas::KnownSchemas;
use crate::settings::Settings;
use crate::source::{ClusterSpec, ClusterStore};
use crate::unit::ClusterId;

/// How many writes are under way on a cluster at once, over all its units.
const TURNS: usize = 16;

/// A cluster that units go to.
pub(crate) struct Member {
    pub(crate) cluster: Cluster,
    pub(crate) cache: Cache,
    /// Which units want what of it.
    pub(crate) claims: Claims,
    /// What its kinds look like.
    pub(crate) schemas: KnownSchemas,
    /// Turns at writing: more at once would not be faster and would keep more connections.
    pub(crate) turns: Semaphore,
}

/// The clusters that are in use. Each is connected when its first unit needs it.
pub(crate) struct Members {
    store: Arc<dyn ClusterStore>,
    known: Mutex<BTreeMap<ClusterId, Arc<Member>>>,
}

/// Why a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemberError {
    #[error("there is no cluster {0}")]
    Unknown(ClusterId),
    #[error(transparent)]
    Connect(Error),
}

impl Members {
    pub(crate) fn new(store: Arc<dyn ClusterStore>) -> Self {
        Self { store, known: Mutex::default() }
    }

    /// The cluster, connected; and true if it was not before.
    pub(crate) async fn get(
        &self,
        id: &ClusterId,
        settings: &Settings,
    ) -> Result<(Arc<Member>, bool), MemberError> {
        let mut known = self.known.lock().await;
        if let Some(member) = known.get(id) {
            return Ok((member.clone(), false));
        }
        let spec = self.store.get(id).await.ok_or_else(|| MemberError::Unknown(id.clone()))?;
        let cluster = Cluster::connect(&spec.connection).await.map_err(MemberError::Connect)?;
        let cache = Cache::start(cluster.clone(), cache_settings(&spec, settings));
        let (claims, schemas, turns) = (Claims::default(), KnownSchemas::default(), Semaphore::new(TURNS));
        let member = Arc::new(Member { cluster, cache, claims, schemas, turns });
        known.insert(id.clone(), member.clone());
        Ok((member, true))
    }

    /// Forgets a cluster: the next use connects anew.
    pub(crate) async fn forget(&self, id: &ClusterId) {
        self.known.lock().await.remove(id);
    }

    /// Forgets all of them.
    pub(crate) async fn forget_all(&self) {
        self.known.lock().await.clear();
    }
}

fn cache_settings(spec: &ClusterSpec, settings: &Settings) -> CacheSettings {
    let manager = settings.manager.clone();
    let mode = match &settings.watch_all {
        Some(filter) => Mode::All(filter.clone()),
        None => Mode::Used,
    };
    let scope: Scope = spec.scope.clone();
    CacheSettings {
        mode,
        scope,
        unit_labels: settings.unit_labels(),
        unit_of: settings.unit_of(),
        owned: Arc::new(move |object: &Value| {
            let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
            owned_digest(object, &manager, version)
        }),
        ..CacheSettings::default()
    }
}
