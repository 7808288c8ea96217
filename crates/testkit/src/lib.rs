//! A real control plane, registry, Git servers, faults and a clock for tests.
//!
//! In: what a test wants to have. Out: handles of running things that end when they are dropped, and also when the
//! test panics, is killed, or forgets them.
//!
//! ```no_run
//! use towpath_testkit::{ControlPlane, Fault, FaultProxy, Rule};
//!
//! # async fn example() -> anyhow::Result<()> {
//! // Most tests take `shared().await?` and a namespace of their own instead of a control plane of their own.
//! let plane = ControlPlane::builder().nodes(2).audit(true).start().await?;
//! let namespace = plane.namespace("shop").await?;
//! let proxy = FaultProxy::start(&plane)?;
//! proxy.add(Rule::new(Fault::too_many_requests(1)).writes().times(3));
//! // … run the client under test with proxy.kubeconfig_path(), then look from outside:
//! let pods = plane.api().list(&format!("/api/v1/namespaces/{namespace}/pods")).await?;
//! # let _ = pods;
//! # Ok(())
//! # }
//! ```

#![expect(clippy::missing_panics_doc, reason = "each `expect` says why it holds; nobody recovers in a test")]

mod aggregated;
mod api;
mod background;
mod certificate;
mod clock;
mod clouds;
mod fault;
mod folder;
mod git;
mod plane;
mod port;
mod process;
mod registry;
mod tls;
mod tools;
mod wait;

pub use aggregated::AggregatedApi;
pub use api::{Api, Credentials, Refused, status};
pub use certificate::{Authority, Identity, Validity};
pub use clock::MovableClock;
pub use clouds::Clouds;
pub use fault::{Fault, FaultProxy, Rule, Seen};
pub use git::GitServer;
pub use plane::{AuditEvent, AuditLog, AuditStatus, AuditUser, Builder, ControlPlane, shared};
pub use process::Process;
pub use registry::Registry;
pub use wait::eventually;
