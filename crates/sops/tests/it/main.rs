//! Any bytes are a SOPS file or a clear refusal: never a panic. The real tool's files are in `cargo xtask
//! conformance sops`.

mod hostile;
mod known;
mod manifests;
mod ssh;
