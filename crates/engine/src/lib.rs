//! The reusable GitOps engine: makes clusters as somebody wrote them, keeps them so, and says how they are.
//!
//! **In:** manifests, and the [`Cluster`](cluster::Cluster) they are for. **Out:** plans that can be shown, changed
//! clusters, and a report of every object. **Never:** it fetches nothing and renders nothing (a [`ManifestSource`]
//! does), it decides nothing (`towpath-plan` does, without any effect), it calls nobody back while it holds a lock,
//! and it writes nothing of a Secret to any store.
//!
//! There are two ways to use it:
//!
//! | | [`Engine`] | [`prepare`], [`execute`], [`wait`] |
//! |---|---|---|
//! | for | a service: many units on many clusters, for ever | a command: one app, once |
//! | drift | seen by watch and repaired at once | found by the next run |
//! | hooks, waves, options of objects | yes | yes: the same steps, the same actions |
//! | gates, retries, history | yes | no |
//! | state | in a [`UnitStore`](store::UnitStore) of yours | in a ConfigMap beside the app |
//! | an unchanged run | costs no API call | reads each object once |
//!
//! # A service
//!
//! ```text
//!  UnitStore ──watch──► ┌──────────── Engine ────────────┐ ◄──watch── what is on each cluster
//!  ClusterStore ──────► │ queue of units, newest wins    │
//!  ManifestSource ────► │   compare ► status             │
//!  SyncGate ──────────► │   sync, step by step           │ ──apply, delete──► clusters
//!                       └──────────────┬─────────────────┘
//!                                      ▼
//!                                   Events (dropping them unsubscribes)
//! ```
//!
//! A [`Unit`](unit::Unit) is something to keep in sync: a source, a destination and a policy. With
//! [`Automated`](unit::Automated) the engine acts by itself, otherwise when somebody asks through the store:
//!
//! ```no_run
//! use std::{sync::Arc, time::Duration};
//! use serde_json::json;
//! use towpath_engine::cluster::Options;
//! use towpath_engine::object::digest;
//! use towpath_engine::plan::sync::Wanted;
//! use towpath_engine::store::{MemoryStore, UnitStore as _, await_sync, start_sync};
//! use towpath_engine::unit::{Operation, Unit, UnitId};
//! use towpath_engine::{BoxFuture, Engine, Limits, OneCluster};
//! use towpath_engine::{GenerateError, GenerateRequest, ManifestSource, Rendered};
//!
//! /// The simplest source of manifests: a unit's source is its only object.
//! struct Inline;
//!
//! impl ManifestSource for Inline {
//!     fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
//!         Box::pin(async move {
//!             let revision = digest(&request.unit.source).short();
//!             match Wanted::new(request.unit.source.clone(), None) {
//!                 Ok(wanted) => Ok(Rendered { objects: [wanted].into(), revision }),
//!                 Err(error) => Err(GenerateError { message: error.to_string(), transient: false }),
//!             }
//!         })
//!     }
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let units = Arc::new(MemoryStore::default());
//! let clusters = Arc::new(OneCluster::new(Options::default())); // the one that kubectl would use
//! let engine = Engine::builder(units.clone(), clusters, Arc::new(Inline)).build()?;
//! let service = engine.clone();
//! let service = tokio::spawn(async move { service.run(Limits::default()).await });
//!
//! let id = UnitId("greeting".into());
//! let source = json!({
//!     "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "greeting"}, "data": {"text": "hello"},
//! });
//! units.create(Unit::new(id.clone(), source, "current", "default")).await?;
//! start_sync(&*units, &id, Operation { initiator: "a person".into(), ..Operation::default() }).await?;
//! match await_sync(&*units, &id, Duration::from_secs(60)).await? {
//!     Some(state) => println!("{:?}: {}", state.phase, state.message),
//!     None => println!("still under way"),
//! }
//!
//! engine.stop(); // or let it run: it watches, and tells what it sees to engine.subscribe()
//! service.await?;
//! # Ok(())
//! # }
//! ```
//!
//! `examples/sync_folder.rs` is a whole program: it keeps a folder of YAML in sync.
//!
//! Everything outside is behind a trait, and each trait says how to implement it well:
//!
//! | Trait | Answers | Ready-made |
//! |---|---|---|
//! | [`UnitStore`](store::UnitStore) | what is to be kept in sync, and how is it | [`MemoryStore`](store::MemoryStore), [`KubernetesStore`](store::KubernetesStore) |
//! | [`ClusterStore`] | how is a cluster reached | [`OneCluster`] |
//! | [`ManifestSource`] | what should be there | |
//! | [`SyncGate`] | may it be done now | none is needed |
//!
//! An object belongs to the unit that its label names. Two engines that share a cluster have units of different names,
//! or [`Settings`] with different labels: otherwise each takes the other's objects for its own.
//!
//! # A command
//!
//! ```text
//! prepare ──► Prepared (a plan) ──► execute ──► Outcome ──► wait ──► Readiness
//!             inspect ──► Tree (what an app has, its health, its children)
//! ```
//!
//! ```no_run
//! use std::time::Duration;
//! use towpath_engine::cluster::{Cluster, Options as Connection};
//! use towpath_engine::plan::{App, AppName, Manifest};
//! use towpath_engine::{Options, execute, prepare, wait};
//!
//! # async fn example(manifests: Vec<Manifest>) -> Result<(), Box<dyn std::error::Error>> {
//! let cluster = Cluster::connect(&Connection::default()).await?;
//! let app = App { name: AppName::new("shop")?, namespace: "web".into() };
//! let prepared = prepare(&cluster, app.clone(), manifests, Options::default()).await?;
//! // Nothing has been written so far. Show prepared.plan, and ask.
//! let outcome = execute(&cluster, prepared, &|_| {}).await?;
//! let readiness = wait(&cluster, &app, outcome.awaited, Duration::from_secs(300), &|_| {}).await;
//! println!("ready: {}", readiness.is_ready());
//! # Ok(())
//! # }
//! ```
//!
//! # What holds in both
//!
//! - **Nothing is orphaned.** What is about to be created is written down first. Killed between any two writes, the
//!   next run knows every object that this one may have made.
//! - **Dropping a future cancels it.** What was sent may have happened; what was not written down has not.
//! - **One bad object is its own trouble.** Its failure is reported with it, and the others go on where the rules allow
//!   it. One bad unit or cluster never holds up another.
//! - **Desired state wins.** Objects are changed by server-side apply under one field manager, by force; fields that
//!   the manifests do not name stay as others set them.
//!
//! The crates that stand in this interface are passed on as [`cluster`], [`health`], [`merge`], [`object`] and [`plan`],
//! in the versions that belong together.

mod act;
mod actions;
mod apply;
mod arrange;
mod ask;
mod breaker;
mod carry_out;
mod changes;
mod claims;
mod compare;
mod conform;
mod decide;
mod dependency;
mod diff;
mod engine;
mod error;
mod events;
mod exact;
mod execute;
mod facts;
mod gate;
mod inspect;
mod inventory;
mod lanes;
mod leave;
mod live;
mod loops;
mod member;
mod memory;
mod observe;
mod operate;
mod options;
mod outcome;
mod overrides;
mod packed;
mod parts;
mod pick;
mod prepare;
mod progress;
mod queue;
mod reconcile;
mod record;
mod remark;
mod remove;
mod resolved;
mod schemas;
mod settings;
mod sight;
mod simple;
mod source;
pub mod store;
mod sync;
mod tracking;
pub mod unit;
mod wait;
mod written;

pub use futures::future::BoxFuture;
pub use futures::stream::BoxStream;
pub use towpath_cluster as cluster;
pub use towpath_health as health;
pub use towpath_merge as merge;
pub use towpath_object as object;
pub use towpath_plan as plan;

pub use actions::{ActionError, Done};
pub use diff::{ObjectDiff, ObjectState, UnitError};
pub use engine::{Builder, Engine, Limits};
pub use error::{Error, Foreign, Misfit, ObjectFailure};
pub use events::{Event, Events, Heard};
pub use execute::execute;
pub use gate::{GateHandle, SyncGate, Veto};
pub use inspect::{AppSummary, Node, Tree, apps, inspect};
pub use options::{MANAGER, Options};
pub use outcome::{Broken, Outcome};
pub use overrides::{BadOverride, HealthExpressions, IgnoredFields, KindOverride, Overrides};
pub use pick::{BadWaves, HookName, Pick, Waves};
pub use prepare::{Prepared, prepare, prepare_removal};
pub use progress::Progress;
pub use settings::{Effect, Settings};
pub use simple::OneCluster;
pub use source::{
    ClusterChange, ClusterSpec, ClusterStore, GenerateError, GenerateRequest, ManifestSource, Rendered,
};
pub use tracking::Tracking;
pub use wait::{Awaited, Readiness, wait};
