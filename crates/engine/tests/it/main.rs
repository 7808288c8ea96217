//! The engine on a real control plane.

mod example;
mod hooks;
mod life;
mod store;
mod world;
