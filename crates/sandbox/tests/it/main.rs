//! The sandbox over HTTP, as its clients see it.

mod apply;
mod bed;
mod custom;
mod life;
mod shell;
mod watch;
