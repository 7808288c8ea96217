//! The seams to the outside: where manifests come from, and which clusters there are.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use towpath_cluster::Options as Connection;
use towpath_cluster::cache::Scope;
use towpath_plan::sync::Wanted;

use crate::unit::{ClusterId, Unit};

/// A request for manifests.
#[derive(Clone, Debug)]
pub struct GenerateRequest {
    /// The unit they are for.
    pub unit: Arc<Unit>,
    /// The revision; without one the newest.
    pub revision: Option<String>,
    /// Do not answer from what was generated before.
    pub anew: bool,
}

/// Manifests.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The objects.
    pub objects: Arc<[Wanted]>,
    /// What they were made from. The same revision of the same unit has the same objects.
    pub revision: String,
}

/// Why there are no manifests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("generate manifests: {message}")]
pub struct GenerateError {
    /// In a sentence.
    pub message: String,
    /// Whether another attempt may help.
    pub transient: bool,
}

/// Makes manifests. Dropping the future cancels.
pub trait ManifestSource: Send + Sync {
    /// The manifests of a unit at a revision.
    fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>>;
}

/// How to reach a cluster, and what of it is ours to see.
#[derive(Clone, Debug)]
pub struct ClusterSpec {
    /// How to reach it.
    pub connection: Connection,
    /// In which namespaces we work.
    pub scope: Scope,
}

/// What happened to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterChange {
    /// It is new, or is reached in another way.
    Changed(ClusterId),
    /// It is gone.
    Removed(ClusterId),
}

/// The clusters of an engine.
pub trait ClusterStore: Send + Sync {
    /// How to reach a cluster; nothing when it is not known.
    fn get<'a>(&'a self, id: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>>;
    /// What happens to clusters from now on.
    fn watch(&self) -> BoxStream<'static, ClusterChange>;
}
