//! Runs a plan on a cluster, observes, and reports.
//!
//! In: an app's manifests and a [`Cluster`](towpath_cluster::Cluster). Out: first a plan that can be shown
//! ([`prepare`]), then, if somebody wants it, what came of it ([`execute`]) and whether it became true ([`wait`]).
//! Everything that decides is in `towpath-plan`; here is only the order of the effects.
//!
//! ```text
//! prepare ──► Prepared (a plan) ──► execute ──► Outcome ──► wait ──► Readiness
//!             inspect ──► Tree (what an app has, its health, its children)
//! ```
//!
//! **Nothing is orphaned.** What is about to be created is written into the app's inventory first. Killed between
//! any two writes, the next run knows every object that this one may have made.

mod act;
mod apply;
mod compare;
mod conform;
mod decide;
mod engine;
mod error;
mod events;
mod execute;
mod gate;
mod inspect;
mod inventory;
mod live;
mod member;
mod operate;
mod options;
mod packed;
mod prepare;
mod progress;
mod queue;
mod reconcile;
mod remove;
mod resolved;
mod settings;
mod simple;
mod source;
pub mod store;
mod sync;
pub mod unit;
mod wait;

pub use futures::future::BoxFuture;
pub use futures::stream::BoxStream;
pub use towpath_cluster as cluster;
pub use towpath_object as object;
pub use towpath_plan as plan;

pub use engine::{Builder, Engine, Limits};
pub use error::{Error, Foreign, Misfit, ObjectFailure};
pub use events::{Event, Events, Heard};
pub use execute::{Outcome, execute};
pub use gate::{GateHandle, SyncGate, Veto};
pub use inspect::{AppSummary, Node, Tree, apps, inspect};
pub use options::{MANAGER, Options};
pub use prepare::{Prepared, prepare, prepare_removal};
pub use progress::Progress;
pub use settings::{Effect, Settings};
pub use simple::OneCluster;
pub use source::{
    ClusterChange, ClusterSpec, ClusterStore, GenerateError, GenerateRequest, ManifestSource, Rendered,
};
pub use wait::{Awaited, Readiness, wait};
