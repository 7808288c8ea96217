//! The sandbox beside a real kube-apiserver.

mod facts;

use std::path::Path;

use anyhow::Result;
use towpath_testkit::ControlPlane;

/// Writes down what the sandbox has to know of Kubernetes' own kinds.
pub fn write_facts(path: &Path) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let plane = ControlPlane::builder().controllers(false).start().await?;
        facts::write(&facts::gather(&plane).await?, path)
    })
}
