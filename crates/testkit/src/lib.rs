//! A real control plane, registry, Git servers, faults and a clock for tests.
//!
//! In: what a test wants to have. Out: handles of running things that end when they are dropped, and also when the
//! test panics, is killed, or forgets them.

#![expect(clippy::missing_panics_doc, reason = "each `expect` says why it holds; nobody recovers in a test")]

mod api;
mod background;
mod certificate;
mod clock;
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

pub use api::{Api, Credentials, Refused, status};
pub use certificate::{Authority, Identity, Validity};
pub use clock::MovableClock;
pub use fault::{Fault, FaultProxy, Rule, Seen};
pub use git::GitServer;
pub use plane::{AuditEvent, AuditLog, AuditStatus, AuditUser, Builder, ControlPlane, shared};
pub use process::Process;
pub use registry::Registry;
pub use wait::eventually;
