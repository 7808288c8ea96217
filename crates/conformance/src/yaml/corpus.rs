//! Real files: the YAML in the Go modules that were unpacked on this machine to build the tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Case;
use super::oracle::Question;

/// Larger files are left out: mostly recorded data.
const LARGEST: u64 = 2 * 1024 * 1024;

/// All `.yaml`, `.yml` and `.json` files of the module cache; none where Go is not installed.
pub fn module_cache() -> Result<Vec<Case>> {
    let Ok(output) = Command::new("go").args(["env", "GOMODCACHE"]).output() else { return Ok(Vec::new()) };
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let mut cases = Vec::new();
    collect(&root, &root, &mut cases)?;
    Ok(cases)
}

fn collect(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() || path == root.join("cache") {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, cases)?;
        } else if wanted(&path) {
            let text = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            cases.push(Case {
                name: path.strip_prefix(root).unwrap_or(&path).display().to_string(),
                question: Question::Decode(text),
            });
        }
    }
    Ok(())
}

fn wanted(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    let named = ["yaml", "yml", "json"].iter().any(|wanted| extension == *wanted);
    named && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
}
