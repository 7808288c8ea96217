//! Semantic versions and constraints on them.
//!
//! In: texts such as `v1.2` and `>=1.2.0 <2 || ~3.1`. Out: a [`Version`] with an order, and [`Constraints`] that say
//! whether a version is within; the errors are those of github.com/Masterminds/semver, which Helm uses. Never
//! looks anything up.

mod constraint;
mod version;

pub use constraint::Constraints;
pub use version::{Error, Version};
