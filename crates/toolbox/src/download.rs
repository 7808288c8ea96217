//! Downloads the control plane for machines without Go, in the form that `setup-envtest` uses.
//!
//! The published index names an archive per version and platform with its SHA-512; the archive holds etcd,
//! kube-apiserver and kubectl. `curl` and `tar` do the moving; the checksum is verified before unpacking.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::index::{self, Archive};
use crate::places::{Places, on_path};
use crate::table::{self, Module, Tool};
use crate::{checksum, lock, progress};

const INDEX: &str =
    "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";

/// Downloads the archive that holds `tool`, unless another process finishes it while we wait.
pub(crate) fn tool(places: &Places, module: &Module, tool: &Tool) -> Result<PathBuf> {
    let target = places.envtest();
    let _lock = lock::acquire(&places.tools().join("build.lock"), tool.name)?;
    if !target.join(tool.name).is_file() {
        fetch(places, &target).with_context(|| {
            format!(
                "{} cannot be built without Go (tools/{}), and its download failed.\n\
                 Install Go {} or newer, or point TOWPATH_TOOLS at a folder that holds it",
                tool.name,
                module.folder,
                table::GO_VERSION
            )
        })?;
    }
    Ok(target.join(tool.name))
}

fn fetch(places: &Places, target: &Path) -> Result<()> {
    let work = places.tools().join(".envtest.part");
    clear(&work)?;
    fs::create_dir_all(&work).with_context(|| format!("create {}", work.display()))?;
    let index_file = work.join("index.yaml");
    curl(INDEX, &index_file)?;
    let text = fs::read_to_string(&index_file).context("read the index of control planes")?;
    let archives = index::parse(&text);
    let (os, arch) = platform();
    let Some(archive) = index::select(&archives, table::KUBERNETES, os, arch) else {
        bail!("no control plane of Kubernetes {} is published for {os}/{arch}", table::KUBERNETES);
    };
    progress::say(&format!("downloading {} (no Go on this machine)", archive.name));
    let file = work.join("archive.tar.gz");
    curl(&archive.url, &file)?;
    unpack(archive, &file, &work.join("unpacked"))?;
    clear(target)?;
    fs::rename(work.join("unpacked"), target)
        .with_context(|| format!("put {} in place", target.display()))?;
    clear(&work)
}

/// Verifies the archive and puts its binaries flat into `folder`.
fn unpack(archive: &Archive, file: &Path, folder: &Path) -> Result<()> {
    checksum::expect_sha512(file, &archive.hash).with_context(|| format!("verify {}", archive.name))?;
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    // The archive keeps its binaries under controller-tools/envtest/.
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(file).arg("-C").arg(folder).args(["--strip-components", "2"]);
    run(&mut tar, "unpack the control plane")?;
    for name in ["etcd", "kube-apiserver", "kubectl"] {
        if !folder.join(name).is_file() {
            bail!("{} holds no {name}", archive.name);
        }
    }
    Ok(())
}

fn curl(url: &str, to: &Path) -> Result<()> {
    let Some(curl) = on_path("curl") else { bail!("curl is needed to download {url}") };
    let mut command = Command::new(curl);
    command.args(["--fail", "--location", "--silent", "--show-error", "--retry", "3"]);
    command.args(["--proto", "=https", "--connect-timeout", "20", "--output"]).arg(to).arg(url);
    run(&mut command, &format!("download {url}"))
}

fn run(command: &mut Command, what: &str) -> Result<()> {
    let output = command.output().with_context(|| what.to_owned())?;
    if !output.status.success() {
        bail!("{what}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("clear {}", folder.display()))?;
    }
    Ok(())
}

/// This machine in Go's words, which the archives are named by.
fn platform() -> (&'static str, &'static str) {
    let os = if env::consts::OS == "macos" { "darwin" } else { env::consts::OS };
    let arch = match env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    (os, arch)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of the published shape, with its checksum, made with the machine's own tools.
    fn archive(folder: &Path, binaries: &[&str]) -> (Archive, PathBuf) {
        let inner = folder.join("controller-tools/envtest");
        fs::create_dir_all(&inner).unwrap();
        for name in binaries {
            fs::write(inner.join(name), name).unwrap();
        }
        let file = folder.join("envtest.tar.gz");
        let mut tar = Command::new("tar");
        run(tar.arg("-czf").arg(&file).arg("-C").arg(folder).arg("controller-tools"), "tar").unwrap();
        let error = checksum::expect_sha512(&file, "unknown").unwrap_err().to_string();
        let hash = error.split("SHA-512 ").nth(1).unwrap().split(',').next().unwrap().to_owned();
        (Archive { name: "envtest.tar.gz".into(), hash, url: String::new() }, file)
    }

    #[test]
    fn a_verified_archive_is_unpacked_flat() {
        let folder = tempfile::tempdir().unwrap();
        let (archive, file) = archive(folder.path(), &["etcd", "kube-apiserver", "kubectl"]);
        let out = folder.path().join("out");
        unpack(&archive, &file, &out).unwrap();
        assert_eq!(fs::read_to_string(out.join("kube-apiserver")).unwrap(), "kube-apiserver");
    }

    #[test]
    fn a_wrong_checksum_unpacks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (mut archive, file) = archive(folder.path(), &["etcd", "kube-apiserver", "kubectl"]);
        archive.hash = "00".repeat(64);
        let out = folder.path().join("out");
        let error = format!("{:#}", unpack(&archive, &file, &out).unwrap_err());
        assert!(error.starts_with("verify envtest.tar.gz: "), "{error}");
        assert!(!out.exists());
    }

    #[test]
    fn an_archive_that_lacks_a_binary_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (archive, file) = archive(folder.path(), &["etcd", "kubectl"]);
        let error = unpack(&archive, &file, &folder.path().join("out")).unwrap_err().to_string();
        assert_eq!(error, "envtest.tar.gz holds no kube-apiserver");
    }
}
