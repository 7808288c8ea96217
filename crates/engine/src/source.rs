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

/// Makes manifests.
///
/// To implement it well:
///
/// - **Be quick when nothing is new.** The engine asks each time it looks at a unit. Keep what was made, by revision, and
///   make it again only for a new one or when the request says `anew`.
/// - **A revision stands for all of the input.** The engine takes the same revision for the same objects and does not
///   look at them again. Whatever changes the objects (the commit, values, the version of a tool) has to change it.
/// - **Give the revision that was asked for**, so that a sync goes on with what it began with. A source that knows only
///   the newest gives that and says so in [`Rendered::revision`].
/// - **Dropping the future cancels**, at any await. Run what blocks in a pool, and let child processes end with their
///   handle.
/// - **All or nothing.** What is missing from a result counts as no longer wanted, so a file that cannot be read is an
///   error and never a shorter list. After an error the cluster stays as it is.
/// - **Say where.** A message names file and line. An object carries its origin. No message holds a secret.
///
/// One unit's slow or broken source holds up that unit only.
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
///
/// To implement it well:
///
/// - A cluster is asked for when its first unit needs it and then kept. New credentials reach the engine only by
///   [`ClusterChange::Changed`]: it connects anew and gathers what it knows again.
/// - Nothing means that there is no such cluster: its units say so and wait. While the answer is merely not known yet
///   (a Secret that is still being read), wait before answering.
/// - The stream of [`watch`](Self::watch) stays open as long as the store lives, also if nothing ever changes. Telling
///   too much is harmless, if costly.
/// - Dropping a future cancels. Nothing here may block.
///
/// [`OneCluster`](crate::OneCluster) is the simplest one.
pub trait ClusterStore: Send + Sync {
    /// How to reach a cluster; nothing when it is not known.
    fn get<'a>(&'a self, id: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>>;
    /// What happens to clusters from now on.
    fn watch(&self) -> BoxStream<'static, ClusterChange>;
}
