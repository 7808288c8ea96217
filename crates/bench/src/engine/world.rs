//! The units of `bench engine`, where their manifests come from, and the one cluster.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, StreamExt as _, pending};
use serde_json::json;
use towpath_cluster::Options;
use towpath_cluster::cache::Scope;
use towpath_engine::unit::{Automated, ClusterId, Destination, Policy, Status, Unit, UnitId};
use towpath_engine::{
    ClusterChange, ClusterSpec, ClusterStore, GenerateError, GenerateRequest, ManifestSource, Rendered,
};
use towpath_plan::sync::{Rules, Wanted};

use crate::objects::unit as objects_of;

pub const NAMESPACE: &str = "engine";

pub fn id(index: usize) -> UnitId {
    UnitId(format!("unit-{index}"))
}

pub fn unit(id: UnitId) -> Unit {
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    Unit {
        source: json!({"path": id.0}),
        id,
        generation: 1,
        destination: Destination { cluster: ClusterId("main".into()), namespace: NAMESPACE.into() },
        policy: Policy { rules: Rules::Kstatus, automated, ..Policy::default() },
        depends_on: Vec::new(),
        deleting: false,
        status: Status::default(),
        operation: None,
    }
}

/// Manifests made when they are asked for, and how often they were. Nothing is kept, so that the memory is the engine's.
#[derive(Default)]
pub struct Manifests {
    pub asked: AtomicUsize,
}

impl ManifestSource for Manifests {
    fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let objects = objects_of(NAMESPACE, &request.unit.id.0).into_iter();
        let objects: Result<Vec<_>, _> = objects.map(|placed| Wanted::new(placed.object, None)).collect();
        let rendered = objects
            .map(|objects| Rendered { objects: objects.into(), revision: "one".into() })
            .map_err(|error| GenerateError { message: error.to_string(), transient: false });
        ready(rendered).boxed()
    }
}

pub struct OneCluster {
    pub options: Options,
}

impl ClusterStore for OneCluster {
    fn get<'a>(&'a self, _: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>> {
        ready(Some(ClusterSpec { connection: self.options.clone(), scope: Scope::Cluster })).boxed()
    }

    fn watch(&self) -> BoxStream<'static, ClusterChange> {
        pending().boxed()
    }
}
