//! A Kubernetes object as data.
//!
//! In: a JSON value that someone wrote or a server returned. Out: an [`Object`] whose identity
//! ([`Key`], [`Gvk`]) has been checked once, and pure functions over it: canonical [`digest`]s,
//! [`mask`]ing of secrets, [`strip`]ping of what only the server writes; [`Kinds`], what a server serves; [`LabelSelector`]s.
//! Never any network, file or clock.

mod canonical;
mod key;
mod kinds;
mod labels;
mod mask;
mod object;
mod strip;

pub use canonical::{Digest, digest};
pub use key::{Gvk, Key};
pub use kinds::{Kinds, Resource};
pub use labels::{BadSelector, LabelSelector};
pub use mask::{mask, mask_pair};
pub use object::{Invalid, Object};
pub use strip::strip;
