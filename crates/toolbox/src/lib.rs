//! Finds, builds or downloads the real tools that tests and benchmarks run beside us.
//!
//! In: the name of a tool (`kube-apiserver`, `kwok`, …). Out: the path of its binary. [`find`] only looks:
//! in `KUBEBUILDER_ASSETS`, in `TOWPATH_TOOLS` (folders of ready binaries), then in our cache. [`ensure`]
//! also makes: it builds the pinned Go module under `tools/` into the cache, or where there is no Go
//! downloads the control plane in the form that `setup-envtest` uses. Both are driven by one [`table`].
//! Nothing here ends up in the product: only tests, benchmarks and `xtask` depend on it.

pub mod checksum;
mod compile;
mod download;
mod index;
mod lock;
pub mod packages;
mod places;
mod progress;
mod stages;
pub mod table;

use std::path::PathBuf;

use anyhow::{Result, bail};

pub use places::{Places, cache_dir, on_path};

/// The path of a tool that is already here, without building anything.
pub fn find(tool: &str) -> Option<PathBuf> {
    Places::from_env().find(tool)
}

/// The path of a tool; builds or downloads it first when it is not here, with progress on stderr.
pub fn ensure(tool: &str) -> Result<PathBuf> {
    ensure_in(&Places::from_env(), tool)
}

/// The folder of kwok's stage files: how simulated nodes and pods behave. `kwok` needs each by `--config`.
pub fn kwok_stages() -> Result<PathBuf> {
    stages::ensure(&Places::from_env())
}

/// What [`ensure`] does, in places of the caller's choice.
pub fn ensure_in(places: &Places, tool: &str) -> Result<PathBuf> {
    let Some((module, entry)) = table::lookup(tool) else {
        bail!("no tool is called {tool}; there are: {}", table::names().join(", "));
    };
    if let Some(path) = places.find(tool) {
        return Ok(path);
    }
    match &places.go {
        Some(go) => compile::tool(places, go, module, entry),
        None if entry.in_envtest => download::tool(places, module, entry),
        None => bail!(
            "{tool} is not here and cannot be built without Go.\n\
             Install Go {} or newer, or point TOWPATH_TOOLS at a folder that holds {tool}",
            table::GO_VERSION
        ),
    }
}
