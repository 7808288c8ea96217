//! Who owns which fields: what an apply or another write does to an object and to its managed fields.
//!
//! In: the object as it is, what is written, who writes, and the place of the kind's schema. Out: the object as it
//! will be, and its managers; or the [`Conflict`]s. The rules are those of the server's structured merge:
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/>

mod compare;
mod managed;
mod merge;
mod remove;
mod set;
#[cfg(test)]
mod tests;

pub(crate) use compare::{Comparison, compare};
pub(crate) use managed::{Conflict, Managers, Writer};
pub(crate) use merge::merge;
pub(crate) use remove::without;
pub(crate) use set::{Items, set_of};
