//! Benchmarks of Towpath beside its peers and the physical limit, and the demonstration.
//!
//! `towpath-bench NAME`, started by `cargo xtask bench NAME` with the release binary of `towpath` in `TOWPATH_BIN`.
//! Each benchmark measures us and the peer in the same run and prints one line of JSON last.

mod child;
mod demo;
mod deploy;
mod engine;
mod engine_part;
mod objects;

use anyhow::{Result, bail};

#[tokio::main]
async fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    match name.as_str() {
        "deploy" => deploy::run().await,
        "engine" => engine::run().await,
        // The engine's own process, started by the one above.
        "engine-part" => {
            let kubeconfig = std::env::args().nth(2).unwrap_or_default();
            engine_part::run(kubeconfig.into()).await
        }
        "demo" => demo::run().await,
        _ => bail!("{name:?} is not a benchmark; there are: deploy, engine"),
    }
}
