//! Our kustomize beside the real one on trees that people wrote.
//!
//! In: every kustomization in pinned Go modules. Out: a [`Score`]: the same bytes, or a failure where the real
//! one fails. The real one cannot reach the network, since ours does not try to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use towpath_kustomize::{Disk, Options, build};

use crate::krusty::compared;
use crate::modules::{ARGO_CD, TREES};
use crate::score::{Score, Verdict};

const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Which trees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of all modules.
    All,
    /// Those of the module that other runs need as well.
    Sample,
}

/// Builds trees with both.
pub fn run(which: Which) -> Result<Score> {
    let real = towpath_toolbox::ensure("kustomize")?;
    let mut folders = Vec::new();
    let more = if which == Which::All { TREES } else { &[] };
    for module in [&ARGO_CD].into_iter().chain(more) {
        let root = module.folder()?;
        let mut found = Vec::new();
        collect(&root, &mut found)?;
        println!("{}: {} kustomizations", module.name(), found.len());
        folders.extend(found.into_iter().map(|folder| (module.name(), root.clone(), folder)));
    }
    let queue = Mutex::new(folders.into_iter().enumerate().collect::<Vec<_>>());
    let judged = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().ok().and_then(|mut queue| queue.pop());
                    let Some((number, (module, root, folder))) = next else { break };
                    let verdict = judge(&real, &folder);
                    let place = folder.strip_prefix(&root).unwrap_or(&folder).display().to_string();
                    if let Ok(mut judged) = judged.lock() {
                        judged.push((number, format!("{module} {place}"), verdict));
                    }
                }
            });
        }
    });
    let mut judged = judged.into_inner().unwrap_or_default();
    judged.sort_by_key(|(number, ..)| *number);
    let mut score = Score::new("trees");
    let mut failing = 0;
    for (_, name, verdict) in judged {
        let (verdict, both_fail) = verdict?;
        failing += usize::from(both_fail);
        score.add(&name, verdict);
    }
    println!("{failing} of them fail with both");
    Ok(score)
}

/// All folders with a kustomization file.
pub fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    if NAMES.iter().any(|name| folder.join(name).is_file()) {
        found.push(folder.to_owned());
    }
    entries
        .iter()
        .filter(|path| path.is_dir() && !path.is_symlink())
        .try_for_each(|path| collect(path, found))
}

/// What both make of a folder, and whether both fail.
fn judge(real: &Path, folder: &Path) -> Result<(Verdict, bool)> {
    let output = Command::new(real)
        .args(["build", "."])
        .current_dir(folder)
        // No git, and a proxy that is not there.
        .env("PATH", "/nonexistent")
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .output()
        .context("start kustomize")?;
    let ours = build(&Disk::at(folder), ".", &Options::default()).and_then(|output| output.to_yaml());
    let theirs = String::from_utf8_lossy(&output.stdout);
    Ok(match (output.status.success(), ours) {
        (true, Ok(ours)) => (compared(&theirs, &ours), false),
        (true, Err(error)) => (Verdict::Missed(format!("  ours fails: {error}")), false),
        (false, Err(_)) => (Verdict::Agreed, true),
        (false, Ok(_)) => {
            let error = String::from_utf8_lossy(&output.stderr);
            (Verdict::Missed(format!("  the real one fails: {}", error.trim())), false)
        }
    })
}
