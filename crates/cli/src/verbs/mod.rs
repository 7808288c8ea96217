//! One file for each verb.

pub mod completion;
pub mod delete;
pub mod deploy;
pub mod diff;
pub mod inspect;
pub mod kustomize;
pub mod programs;
pub mod reference;
pub mod version;

mod carry_out;
mod plan;
