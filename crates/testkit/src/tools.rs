//! Where the real binaries come from.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

/// The path of one of the toolbox' tools, such as `etcd`. The first use on a machine may build it.
pub(crate) async fn tool(name: &'static str) -> Result<PathBuf> {
    tokio::task::spawn_blocking(move || towpath_toolbox::ensure(name))
        .await
        .context("wait for the toolbox")?
}

/// The path of a program that a Debian package installs.
pub(crate) fn installed(program: &str, package: &str) -> Result<PathBuf> {
    towpath_toolbox::on_path(program)
        .with_context(|| format!("{program} is not installed; it is in Debian's package {package}"))
}
