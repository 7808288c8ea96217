//! A sync as a state machine without effects: values in, actions out.

mod annotation;
#[cfg(test)]
mod fixture;
mod hook;
mod options;
mod order;
mod pair;
mod problem;
mod request;
mod schedule;
mod task;
#[cfg(test)]
mod tests;
mod waves;

pub use annotation::{
    Annotation, COMPARE_OPTIONS, DELETION_APPROVED, HELM_HOOK, HELM_HOOK_DELETE_POLICY, HELM_HOOK_WEIGHT,
    HELM_RESOURCE_POLICY, HOOK, HOOK_DELETE_POLICY, IGNORE_HEALTHCHECK, SYNC_OPTIONS, WAVE,
};
pub use hook::{ARGO_HOOK_FINALIZER, DeletePolicy, HOOK_FINALIZER, Hook, Role, delete_policies, role, wave};
pub use options::{CompareOptions, Consent, ObjectOptions, Propagation, SyncOptions};
pub use order::argo_rank;
pub use pair::{Pair, pair};
pub use problem::{Problem, Trouble, Warning};
pub use request::{Caller, NamespaceMetadata, Request, Rules, Selection, Selector, Wanted};
pub use schedule::schedule;
pub use task::{Phase, Schedule, Slot, Task, TaskId};
