//! A real control plane, registry, Git servers, faults and a clock for tests.
//!
//! In: what a test wants to have. Out: handles of running things that end when they are dropped, and also when the
//! test panics, is killed, or forgets them.

mod api;
mod certificate;
mod clock;
mod folder;
mod plane;
mod port;
mod process;
mod tls;
mod tools;

pub use api::{Api, Credentials, Refused, status};
pub use certificate::{Authority, Identity, Validity};
pub use clock::MovableClock;
pub use plane::{AuditEvent, AuditLog, AuditStatus, AuditUser, Builder, ControlPlane, shared};
pub use process::Process;
