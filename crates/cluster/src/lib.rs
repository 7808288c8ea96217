//! A Kubernetes API, and the only room that talks to one.
//!
//! In: where the cluster is ([`Options`]), and requests as plain values. Out: JSON objects and typed
//! [`Error`]s. Every call has a deadline, passing faults are tried again here and nowhere else, and nothing is
//! ever decided here: what to apply and what to delete comes from above.
//!
//! ```text
//! Options -> Cluster -> kinds()                    what the server serves
//!                    -> schemas()                  what its kinds look like
//!                    -> get, list, follow          what is there, and how it changes
//!                    -> apply, delete, create ...  change it
//!                    -> cache::Cache::start        all of it, known at all times
//! ```

pub mod cache;
mod call;
mod certificate;
mod client;
mod connect;
mod discovery;
mod error;
mod lines;
mod path;
mod read;
mod schemas;
mod tls;
mod watch;
mod write;

pub use connect::{Cluster, Options};
pub use error::{Cause, Error, Status};
pub use read::Selection;
pub use watch::{Follow, Seen};
pub use write::{Applied, Apply, Deletion, Only};
