//! The schedule and the steps of a sync, told as tables and stories.

mod crash;
mod how;
mod kstatus;
mod order;
mod prune;
mod schedule;
mod story;
mod sync;
mod world;
