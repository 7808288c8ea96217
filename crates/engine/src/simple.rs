//! The simple case: one cluster that never changes, and a unit of which only the necessary is said.

use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, pending};
use serde_json::Value;
use towpath_cluster::Options as Connection;
use towpath_cluster::cache::Scope;

use crate::source::{ClusterChange, ClusterSpec, ClusterStore};
use crate::unit::{ClusterId, Destination, Policy, Status, Unit, UnitId};

/// A store of one cluster, whatever name it is asked for by.
#[derive(Clone, Debug)]
pub struct OneCluster {
    spec: ClusterSpec,
}

impl OneCluster {
    /// The cluster that is reached this way, all of it. [`Connection::default()`] is the one that `kubectl` would use.
    pub fn new(connection: Connection) -> Self {
        Self { spec: ClusterSpec { connection, scope: Scope::Cluster } }
    }
}

impl ClusterStore for OneCluster {
    fn get<'a>(&'a self, _: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>> {
        ready(Some(self.spec.clone())).boxed()
    }

    fn watch(&self) -> BoxStream<'static, ClusterChange> {
        pending().boxed()
    }
}

impl Unit {
    /// A unit for a namespace of a cluster, with the default policy: it is compared, and synced when somebody asks.
    pub fn new(id: UnitId, source: Value, cluster: &str, namespace: &str) -> Self {
        let destination = Destination { cluster: ClusterId(cluster.into()), namespace: namespace.into() };
        Self {
            id,
            generation: 1,
            source,
            destination,
            policy: Policy::default(),
            depends_on: Vec::new(),
            deleting: false,
            status: Status::default(),
            operation: None,
        }
    }
}
