//! The words Towpath shares with a cluster.
//!
//! In: what happened. Out: conditions as Kubernetes keeps them. The custom resources themselves arrive here with
//! the controllers; what is here now is what every one of them, and every verb that reports a state, shares.

mod condition;

pub use condition::{Condition, ConditionStatus, set_condition};
