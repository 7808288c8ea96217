//! Where the real binaries come from.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// The path of one of the toolbox' tools, such as `etcd`. The first use on a machine may build it.
pub(crate) async fn tool(name: &'static str) -> Result<PathBuf> {
    tokio::task::spawn_blocking(move || towpath_toolbox::ensure(name))
        .await
        .context("wait for the toolbox")?
}

/// The path of a program that a Debian package installs.
pub(crate) fn installed(program: &str, package: &str) -> Result<PathBuf> {
    // Servers live where ordinary users do not look.
    let elsewhere = Path::new("/usr/sbin").join(program);
    match towpath_toolbox::on_path(program) {
        Some(path) => Ok(path),
        None if elsewhere.is_file() => Ok(elsewhere),
        None => bail!("{program} is not installed; it is in Debian's package {package}"),
    }
}
