//! What is on a cluster, known at all times without asking: kept up to date by watches.

mod events;
mod filter;
mod index;
mod observe;
mod row;
mod settings;
mod state;

pub use events::{CacheEvent, Change, Subscription, What};
pub use filter::{Filter, Rule};
pub(crate) use observe::Observed;
pub use row::{Managed, Node, Owner, Row};
pub use settings::{CacheSettings, GroupKind, Mode, Rbac, Scope, Wanted};
pub use state::{Blind, KindState};
