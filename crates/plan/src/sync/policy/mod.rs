//! When an operation begins, is tried again, gives way to a newer revision, and is remembered.
//!
//! Pure decisions: the time comes in as an argument, what to do comes out.

mod auto;
mod duration;
mod heal;
mod history;
mod preempt;
mod retry;

pub use auto::{Attempt, AutoSync, Automation, Circumstances, ObjectState, Skip, auto_sync};
pub use duration::{BadDuration, read_duration};
pub use heal::{heal_delay, heal_remaining};
pub use history::{HISTORY_LIMIT, RollbackRefused, is_delivery, may_roll_back, remember, rollback_options};
pub use preempt::{Preemption, time_is_up};
pub use retry::{Backoff, NoRetry, RetryPolicy};
