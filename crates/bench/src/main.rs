//! Benchmarks of Towpath beside its peers and the physical limit, and the demonstration.
//!
//! `towpath-bench NAME`, started by `cargo xtask bench NAME` with the release binary of `towpath` in `TOWPATH_BIN`.
//! Each benchmark measures us and the peer in the same run and prints one line of JSON last.

mod child;
mod clusters;
mod demo;
mod deploy;
mod engine;
mod figures;
mod kustomize;
mod large;
mod objects;
mod own;
mod raw;
mod scale;

use anyhow::{Result, bail};

#[tokio::main]
async fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    match name.as_str() {
        "deploy" => deploy::run().await,
        "engine" => engine::run().await,
        // The engine's own process, started by the one above.
        "engine-part" => {
            let [part, kubeconfig] = [2, 3].map(|index| std::env::args().nth(index).unwrap_or_default());
            engine::part::run(&part, kubeconfig.into()).await
        }
        "clusters" => clusters::run(&std::env::args().skip(2).collect::<Vec<_>>()).await,
        "scale" => scale::run(&std::env::args().skip(2).collect::<Vec<_>>()).await,
        // The cache's own process, started by the one above.
        "scale-part" => scale::part::run(&std::env::args().skip(2).collect::<Vec<_>>()).await,
        "kustomize" => kustomize::run().await,
        "large" => large::run().await,
        "demo" => demo::run().await,
        _ => {
            bail!("{name:?} is not a benchmark; there are: clusters, deploy, engine, kustomize, large, scale")
        }
    }
}
