//! Go modules whose test data we run: pinned, downloaded by Go into its module cache, never committed.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A module at a version, with the checksum that `go.sum` files have for it.
pub struct Module {
    path: &'static str,
    version: &'static str,
    sum: &'static str,
}

/// Argo CD: its health scripts and resource actions, with their test data.
pub const ARGO_CD: Module = Module {
    path: "github.com/argoproj/argo-cd/v3",
    version: "v3.5.6",
    sum: "h1:twzdsPiPufKLRtEqD1Jg3FqtuZmSHLTIxs7t6fSkjlk=",
};

/// Argo CD's engine as a library.
pub const GITOPS_ENGINE: Module = Module {
    path: "github.com/argoproj/gitops-engine",
    version: "v0.7.1-0.20250908182407-97ad5b59a627",
    sum: "h1:yntvA+uaFz62HRfWGGwlvs4ErdxoLQjCpDXufdEt2FI=",
};

/// Flux's substitution library, with the tables of its tests.
pub const ENVSUBST: Module = Module {
    path: "github.com/fluxcd/pkg/envsubst",
    version: "v1.8.0",
    sum: "h1:++pY6RUuLDPJAJ9cS7/oD69TCT8BzGF5njz0hkQ3RZY=",
};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[derive(Default)]
struct Answer {
    dir: PathBuf,
    sum: String,
    error: String,
}

impl Module {
    /// Where its files are; downloads them first when needed.
    pub fn folder(&self) -> Result<PathBuf> {
        let module = format!("{}@{}", self.path, self.version);
        let go = towpath_toolbox::on_path("go").context("this run needs Go, to download test data")?;
        let output = Command::new(go)
            .args(["mod", "download", "-json", &module])
            .current_dir(std::env::temp_dir())
            .env("GOWORK", "off")
            .output()
            .context("start go")?;
        let answer: Answer = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        if !answer.error.is_empty() {
            bail!("download {module}: {}", answer.error);
        }
        if answer.sum != self.sum {
            bail!("{module} has the checksum {}, not {}", answer.sum, self.sum);
        }
        Ok(answer.dir)
    }
}
