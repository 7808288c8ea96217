//! The engine on a real control plane.

mod hooks;
mod life;
mod store;
mod world;
