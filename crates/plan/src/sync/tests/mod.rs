//! The schedule and the steps of a sync, told as tables and stories.

mod order;
mod schedule;
