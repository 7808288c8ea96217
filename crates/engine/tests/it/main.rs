//! The engine on a real control plane.

mod answers;
mod bad_input;
mod clusters;
mod dependency;
mod example;
mod faults;
mod gating;
mod hooks;
mod kill;
mod lag;
mod leave;
mod life;
mod options;
mod recreate;
mod retry;
mod secrets;
mod store;
mod tracking;
mod world;
