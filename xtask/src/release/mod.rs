//! `release`: binaries, bill of materials, image and signatures, as far as this machine can.
//!
//! In: the workspace. Out: files in `<target>/dist`. Each part does what it can, and says plainly what it skipped
//! and what would have to be installed. Skipping is no failure: CI on a small machine still checks the rest.

mod build;
mod recipes;
mod sbom;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use towpath_toolbox::{checksum, on_path};

use crate::cargo::{cargo, output, root, run as start, target_dir};

const SUMS: &str = "SHA256SUMS";

/// `cargo xtask release build|sbom|image|sign|all`
pub fn run(args: &[String]) -> Result<()> {
    let [part] = args else { bail!("which part? see `cargo xtask help release`") };
    let dist = target_dir().join("dist");
    fs::create_dir_all(&dist).with_context(|| format!("create {}", dist.display()))?;
    match part.as_str() {
        "build" => build::run(&dist),
        "sbom" => write_sbom(&dist),
        "image" => script("image.sh", "buildah", &dist),
        "sign" => script("sign.sh", "cosign", &dist),
        "all" => {
            build::run(&dist)?;
            write_sbom(&dist)?;
            script("image.sh", "buildah", &dist)?;
            script("sign.sh", "cosign", &dist)
        }
        other => bail!("a release has no part {other}; see `cargo xtask help release`"),
    }
}

fn write_sbom(dist: &Path) -> Result<()> {
    let mut metadata = cargo(["metadata", "--format-version", "1", "--locked"]);
    for triple in recipes::triples() {
        metadata.args(["--filter-platform", triple]);
    }
    let metadata = serde_json::from_str(&output(&mut metadata)?).context("read cargo's metadata")?;
    let lock = fs::read_to_string(root().join("Cargo.lock")).context("read Cargo.lock")?;
    let bill = sbom::cyclonedx(&metadata, &sbom::checksums(&lock))?;
    let path = dist.join("towpath.cdx.json");
    let text = serde_json::to_string_pretty(&bill).context("write the bill of materials")?;
    fs::write(&path, text + "\n").with_context(|| format!("write {}", path.display()))?;
    println!(
        "{}: {} components",
        path.display(),
        bill.get("components").and_then(Value::as_array).map_or(0, Vec::len)
    );
    write_sums(dist)
}

/// Runs a recipe of `release/`, or says why not.
fn script(name: &str, needs: &str, dist: &Path) -> Result<()> {
    if on_path(needs).is_none() {
        println!("skipped release/{name}: {needs} is not installed on this machine");
        return Ok(());
    }
    start(
        Command::new("bash").arg(root().join("release").join(name)).arg(dist).arg(env!("CARGO_PKG_VERSION")),
    )
}

/// Writes the sums of all that is published, in the form that `sha256sum --check` reads.
fn write_sums(dist: &Path) -> Result<()> {
    let line = |path: PathBuf| -> Result<String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(format!("{}  {name}\n", checksum::sha256(&path)?))
    };
    let text = published(dist)?.into_iter().map(line).collect::<Result<String>>()?;
    fs::write(dist.join(SUMS), text).with_context(|| format!("write {SUMS}"))
}

fn published(dist: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dist).with_context(|| format!("list {}", dist.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.is_file() && path.file_name().is_some_and(is_published));
    files.sort();
    Ok(files)
}

fn is_published(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("towpath") && !name.ends_with(".sigstore.json")
}
