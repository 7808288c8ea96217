//! A sync as a state machine without effects: values in, actions out.

mod action;
mod annotation;
mod deletion;
#[cfg(test)]
mod fixture;
mod hook;
mod options;
mod order;
mod pair;
mod problem;
mod progress;
mod request;
mod schedule;
mod seen;
mod step;
mod task;
#[cfg(test)]
mod tests;
mod waves;

pub use action::{Action, Answer, How, Method, Recreate};
pub use annotation::{
    Annotation, COMPARE_OPTIONS, DELETION_APPROVED, HELM_HOOK, HELM_HOOK_DELETE_POLICY, HELM_HOOK_WEIGHT,
    HELM_RESOURCE_POLICY, HOOK, HOOK_DELETE_POLICY, IGNORE_HEALTHCHECK, SYNC_OPTIONS, WAVE,
};
pub use deletion::deletion;
pub use hook::{ARGO_HOOK_FINALIZER, DeletePolicy, HOOK_FINALIZER, Hook, Role, delete_policies, role, wave};
pub use options::{CompareOptions, Consent, ObjectOptions, Propagation, SyncOptions};
pub use order::argo_rank;
pub use pair::{Pair, pair};
pub use problem::{Problem, Trouble, Warning};
pub use progress::{Code, End, Outcome, Progress, State, TaskResult};
pub use request::{Caller, NamespaceMetadata, Request, Rules, Selection, Selector, Wanted};
pub use schedule::schedule;
pub use seen::{Mark, Observation, Seen, Verdict};
pub use step::{Situation, Step, Stop, WaitReason, Waiting, step};
pub use task::{Phase, Schedule, Slot, Task, TaskId};
