//! The engine on a real control plane.

mod actions;
mod answers;
mod bad_input;
mod clusters;
mod conform;
mod dependency;
mod exact;
mod example;
mod faults;
mod gating;
mod hooks;
mod ignore;
mod kill;
mod lag;
mod leave;
mod life;
mod options;
mod process;
mod recreate;
mod retry;
mod secrets;
mod store;
mod storm;
mod tracking;
mod world;
