//! The test kit tested with the real things.

mod faults;
mod git;
mod guard;
mod nodes;
mod plane;
mod registry;
