//! A Kubernetes API server in the process.
//!
//! In: HTTP requests on loopback, as kubectl, client-go, kube-rs and our own controllers send them. Out: the answers of a
//! cluster that exists only here. Objects are kept in memory; many servers run side by side. Nothing runs on it: there
//! is no kubelet, and workloads stay as they are written.
//!
//! ```text
//! shell (HTTP, faults) ─► server (verbs, rules; pure) ─► store (objects, versions, events)
//!                              │                 ▲
//!                              ▼                 │
//!                        kinds (facts of a real server, definitions) · fields (who owns what) · select
//! ```
//!
//! What the answers should be is not decided here: a differential run sends the same requests to a real kube-apiserver
//! and compares. `docs/design/sandbox.md` says what is there and what is still to come.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use towpath_sandbox::{Options, Reach, Sandbox};
//!
//! let sandbox = Sandbox::start(Options::default()).await?;
//! std::fs::write("kubeconfig", sandbox.kubeconfig())?;
//! sandbox.set_reach(Reach::Closed); // as if the cluster were gone
//! # Ok(())
//! # }
//! ```

mod fields;
mod json_patch;
mod kinds;
mod refusal;
mod request;
mod seed;
mod select;
mod server;
mod shell;
mod store;

pub use seed::UnknownKind;
pub use shell::{Error, Options, Reach, Sandbox};
