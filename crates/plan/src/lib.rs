//! Target, live and policy to an ordered plan.
//!
//! In: [`Manifest`]s with the file and line they came from, the kinds a server serves, what is live, and the
//! [`Inventory`] of the last run. Out: a [`Plan`], a value that can be printed, diffed, gated and tested before
//! anything is written. Synchronous, no network, no clock.
//!
//! ```text
//! manifests ──resolve──► targets ──judge(live, record)──► create / same / ask the server
//! inventory ──removals──► what is no longer wanted ──────► delete / keep
//! ```

mod absorb;
mod app;
mod change;
mod inventory;
mod judge;
mod manifest;
mod order;
mod removal;
mod resolve;
pub mod sync;

pub use absorb::{Absorption, LAST_APPLIED, absorb};
pub use app::{APP_LABEL, APP_NAMESPACE_LABEL, App, AppName, BadName, PRUNE_ANNOTATION};
pub use change::{Change, Op, Plan, Summary};
pub use inventory::{Applied, Entry, Inventory, Malformed, Record};
pub use judge::{Judgement, differs, holds, judge, owned_digest, record};
pub use manifest::{Manifest, Origin};
pub use order::{Stage, rank};
pub use removal::{Approval, Fate, Removal, fate};
pub use resolve::{Problem, Target, fold_string_data, resolve};
