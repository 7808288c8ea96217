//! Faults between a client and the API server.
//!
//! In: a control plane, and [`Rule`]s or stop points. Out: a [`FaultProxy`], a plain HTTP server on loopback that
//! hands every request on over TLS, except where it was told to do worse.
//!
//! ```text
//! client --http--> [record] --> [gate: stop points] --> [first rule that matches] --https--> API server
//! ```
//!
//! Stop points are for kill tests: at the n-th write the proxy holds that request (before the server has seen it, or
//! after it was carried out) and everything that comes later, so that the test can kill the client knowing exactly
//! what happened before.

mod body;
mod gate;
mod proxy;
mod record;
mod rule;
mod serve;

pub use proxy::FaultProxy;
pub use record::Seen;
pub use rule::{Fault, Rule};
