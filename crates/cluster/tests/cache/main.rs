//! The cache on a real control plane, through a proxy that does worse than the network.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy knows tests, but not the helpers of tests"
)]

mod bed;
mod events;
mod faults;
mod kinds;
mod life;
mod reach;
mod scope;
