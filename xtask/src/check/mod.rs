//! `check`: rules of the house that the compiler does not know.
//!
//! In: Cargo's metadata, `layers.toml` and the tracked files. Out: findings, each one line that says where and
//! why. The rules are functions from values to findings; only this file touches the disk and runs programs.

mod layers;
mod paths;
mod sizes;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::{cargo, output, root};
use crate::no_more;

/// Something that a rule found.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    /// Must be put right.
    Error(String),
    /// Worth a look.
    Warning(String),
}

/// `cargo xtask check`
pub fn run(args: &[String]) -> Result<()> {
    no_more("check", args)?;
    let mut findings = layering()?;
    let files = tracked_files()?;
    let mut count = 0;
    for file in &files {
        let Some(text) = read_text(&root().join(file))? else {
            continue;
        };
        count += 1;
        findings.extend(sizes::judge(file, &text));
        findings.extend(paths::judge(file, &text, &paths::of_this_machine(&root())));
    }
    report(&findings, count)
}

fn layering() -> Result<Vec<Finding>> {
    let metadata = output(&mut cargo(["metadata", "--format-version", "1", "--no-deps", "--offline"]))?;
    let metadata = serde_json::from_str(&metadata).context("read cargo's metadata")?;
    let path = root().join("layers.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let table = table::parse(&text).context("read layers.toml")?;
    Ok(layers::judge(&layers::crates(&metadata)?, &table))
}

fn report(findings: &[Finding], files: usize) -> Result<()> {
    let mut errors = 0;
    for finding in findings {
        match finding {
            Finding::Warning(text) => println!("warning: {text}"),
            Finding::Error(text) => {
                println!("error: {text}");
                errors += 1;
            }
        }
    }
    if errors > 0 {
        bail!("{errors} findings must be put right");
    }
    println!("layers, sizes and paths of {files} files are in order");
    Ok(())
}

/// Files that Git tracks or would track: what is in the checkout and not ignored.
fn tracked_files() -> Result<Vec<PathBuf>> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = output(Command::new("git").args(args).current_dir(root()))?;
    Ok(list.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

/// The text of a file; nothing when it is gone (deleted, not yet committed) or is not text.
fn read_text(path: &Path) -> Result<Option<String>> {
    if !path.is_file() {
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    Ok(String::from_utf8(bytes).ok())
}
