//! The test kit tested with the real things.

mod faults;
mod plane;
