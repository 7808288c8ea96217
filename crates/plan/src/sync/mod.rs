//! A sync as a state machine without effects: values in, actions out.
//!
//! ```text
//! wanted + live + kinds + options ──schedule──► Schedule: tasks by phase, wave, kind, name   (or all Problems)
//! Schedule + Progress + what is seen ──step──► Act │ Wait │ Confirm │ Done
//!                    ▲                            │
//!                    └── record(action, answer) ◄─┘
//! ```
//!
//! In: a [`Request`] of which every object is at hand. Out: a [`Schedule`], a value that can be printed, edited by a
//! gate and made again, and from it one [`Step`] at a time. Whoever carries the steps out keeps to this order:
//!
//! 1. call [`step`]; if the [`Progress`] has changed, store it;
//! 2. carry the actions out, [`record`](Progress::record) each [`Answer`], store the progress;
//! 3. step again; after [`Step::Wait`] when something that is waited for has changed, or after half a minute.
//!
//! So the process may end at any moment: the schedule is made anew, the stored progress says what has begun, and no
//! hook is started twice. Never here: a request to a cluster, a clock, a sleep.
//!
//! Three rule sets decide. Under [`Rules::Argo`] there are phases, waves and hooks as Argo CD has them, a fixed order of
//! kinds within a wave, and health between waves. Under [`Rules::Kstatus`] the stages of [`rank`](crate::rank) follow
//! each other and only definitions are awaited; hooks and waves count under our own annotations alone.
//! [`Rules::Towpath`] is the second with the annotations of the first: the default of the verbs.
//!
//! The health of what was applied counts only from the write on: see [`Mark`].
//!
//! # Where this is not Argo CD
//!
//! On purpose, because the original is a trap:
//!
//! - A hook that is deleted while it runs fails; the original waits for ever, because the finalizer keeps it in sight.
//! - A hook that already lives is not run again after a restart of the controller.
//! - Nothing of a wave is touched before a consent to its deletions, not even finalizers of old hooks.
//! - `CreateNamespace` sees a Namespace among the hooks; the original means to and does not.
//! - Cluster-scoped objects have no namespace in between, so a Namespace is moved only before what lives in it.
//! - Hooks of a deletion that name no policy are removed at its end; the original leaves them behind.
//! - Self-healing selects by namespace too.
//! - A plain object with a `generateName` is refused: server-side apply needs a name.
//! - A definition that lacks the wanted version is an error at once, not when its object is applied.
//! - The guard against empty units holds for every operation, not for automatic ones alone.

mod action;
mod annotation;
mod deletion;
#[cfg(test)]
mod fixture;
mod hook;
mod options;
mod order;
mod pair;
pub mod policy;
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
    HELM_RESOURCE_POLICY, HOOK, HOOK_DELETE_POLICY, IGNORE_HEALTHCHECK, SYNC_OPTIONS, WAVE, approved,
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
