//! Where the real binaries come from.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

/// The path of a tool such as `etcd`.
pub(crate) async fn tool(name: &'static str) -> Result<PathBuf> {
    let folder = std::env::var_os("TOWPATH_TOOLS").context("TOWPATH_TOOLS is not set")?;
    let path = PathBuf::from(folder).join(name);
    anyhow::ensure!(path.is_file(), "there is no {}", path.display());
    Ok(path)
}
