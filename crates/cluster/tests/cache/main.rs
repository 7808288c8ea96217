//! The cache on a real control plane, through a proxy that does worse than the network.

mod bed;
mod events;
mod faults;
mod kinds;
mod life;
mod reach;
mod scale;
mod scope;
