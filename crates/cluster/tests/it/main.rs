//! The cluster's room on a real control plane.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "clippy knows tests, but not the helpers of tests"
)]

mod schemas;
