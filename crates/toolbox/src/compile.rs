//! Builds a tool from its pinned Go module into the cache.
//!
//! The module's `go.sum` is complete, so nothing but what we committed decides the result: `-mod=readonly`,
//! no cgo, no work file, no paths of this machine in the binary. A finished binary appears in one rename.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::places::{Places, source_of};
use crate::progress::Meter;
use crate::table::{Module, Tool};
use crate::{lock, stages};

/// Builds `tool`, unless another process finishes it while we wait for the lock.
pub(crate) fn tool(places: &Places, go: &Path, module: &Module, tool: &Tool) -> Result<PathBuf> {
    let folder = places.module(module)?;
    let target = folder.join(tool.name);
    // One lock for all modules: two Go builds side by side only take each other's cores and memory.
    let _lock = lock::acquire(&places.tools().join("build.lock"), tool.name)?;
    if target.is_file() {
        return Ok(target);
    }
    fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    let part = folder.join(format!(".{}.part", tool.name));
    build(go, module, tool, &part)?;
    if module.folder == stages::MODULE {
        stages::place(go, module, &folder)?;
    }
    fs::rename(&part, &target).with_context(|| format!("put {} in place", target.display()))?;
    Ok(target)
}

/// `go COMMAND…` in a module's folder, with the surroundings that make it repeatable.
pub(crate) fn go_command(go: &Path, module: &Module) -> Result<Command> {
    let mut command = Command::new(go);
    command.current_dir(source_of(module)?);
    command.env("CGO_ENABLED", "0").env("GOFLAGS", "-mod=readonly -buildvcs=false").env("GOWORK", "off");
    // The tool runs here, whatever the caller cross-compiles for.
    command.env_remove("GOOS").env_remove("GOARCH").stdin(Stdio::null());
    Ok(command)
}

fn build(go: &Path, module: &Module, tool: &Tool, part: &Path) -> Result<()> {
    let mut command = go_command(go, module)?;
    command.args(["build", "-v", "-trimpath", "-ldflags", &linker_flags(module), "-o"]);
    command.arg(part).arg(tool.package);
    let mut meter = Meter::start(&format!("building {} from tools/{}", tool.name, module.folder));
    let mut child = command.stderr(Stdio::piped()).spawn().context("start go build")?;
    let mut log = Log::default();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines() {
            log.take(&line.context("read what go build says")?);
            meter.show(&log.state());
        }
    }
    if !child.wait().context("wait for go build")?.success() {
        bail!("go build of {} in tools/{} failed:\n{}", tool.name, module.folder, log.complaints.join("\n"));
    }
    meter.finish("done");
    Ok(())
}

fn linker_flags(module: &Module) -> String {
    // -s -w: no symbol tables and debug data, which halves the files.
    module.stamps.iter().fold("-s -w".to_owned(), |flags, stamp| format!("{flags} -X {stamp}"))
}

/// What `go build -v` has said so far: it prints a package when it compiles it.
#[derive(Default)]
struct Log {
    downloads: usize,
    packages: usize,
    complaints: Vec<String>,
}

impl Log {
    fn take(&mut self, line: &str) {
        if line.starts_with("go: downloading ") {
            self.downloads += 1;
        } else if line.contains([' ', ':']) || line.is_empty() {
            self.complaints.push(line.to_owned());
        } else {
            self.packages += 1;
        }
    }

    fn state(&self) -> String {
        format!("{} modules downloaded, {} packages compiled", self.downloads, self.packages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn stamps_become_linker_flags() {
        let (module, _) = table::lookup("kustomize").unwrap();
        assert_eq!(linker_flags(module), "-s -w -X sigs.k8s.io/kustomize/api/provenance.version=v5.8.1");
    }

    #[test]
    fn packages_are_counted_and_complaints_kept() {
        let mut log = Log::default();
        for line in ["go: downloading k8s.io/api v0.36.3", "k8s.io/api/core/v1", "# broken", "a.go:1:2: no"] {
            log.take(line);
        }
        assert_eq!(log.state(), "1 modules downloaded, 1 packages compiled");
        assert_eq!(log.complaints, ["# broken", "a.go:1:2: no"]);
    }
}
