//! Our kustomize against upstream's own tests.
//!
//! In: the module `sigs.k8s.io/kustomize/api`, whose tests run once in a copy in the cache in which every
//! `Kustomizer.Run` also writes down its files, its options and what came of it. Out: a [`Score`] over those
//! builds. Builds that need plugins, Helm or the network are not run, and counted.

mod cases;
mod facts;
mod module;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use towpath_kustomize::{Disk, Files, Memory, Options, Reorder, Restriction, build};

use crate::score::{Score, Verdict};
use cases::Case;

pub use facts::write as write_facts;

/// Runs all cases; the tests of upstream run first if they have not been run on this machine.
pub fn run() -> Result<Score> {
    let cases = cases::load()?;
    let mut score = Score::new("krusty");
    let (mut left_out, mut failing, mut same_text) = (0, 0, 0);
    let mut texts = Vec::new();
    for case in &cases {
        if case.plugins || case.helm || case.is_remote() {
            left_out += 1;
            continue;
        }
        let ours = replay(case)?;
        let verdict = match (&ours, case.error.is_empty()) {
            (Ok(output), true) => compared(&String::from_utf8_lossy(&case.output), output),
            (Err(error), true) => Verdict::Missed(format!("  ours fails: {error}")),
            (Ok(_), false) => Verdict::Missed(format!("  upstream fails: {}", case.error)),
            (Err(error), false) => {
                failing += 1;
                let upstream = cases::without_addresses(&case.error);
                if cases::without_addresses(error).contains(upstream.trim()) {
                    same_text += 1;
                } else {
                    texts.push(format!("{}\n  upstream: {upstream}\n  ours:     {error}", case.name));
                }
                Verdict::Agreed
            }
        };
        score.add(&case.name, verdict);
    }
    for text in texts {
        println!("other words: {text}");
    }
    println!("{left_out} builds need plugins, Helm or the network and were not run");
    println!("failing builds with upstream's message: {same_text}/{failing}");
    Ok(score)
}

/// Same or not, with the first lines that differ.
pub fn compared(upstream: &str, ours: &str) -> Verdict {
    if upstream == ours {
        return Verdict::Agreed;
    }
    let lines = upstream.lines().zip(ours.lines()).position(|(one, other)| one != other);
    let from = lines.unwrap_or_else(|| upstream.lines().count().min(ours.lines().count()));
    let part = |text: &str| {
        text.lines()
            .skip(from.saturating_sub(3))
            .take(8)
            .map(|line| format!("    {line}\n"))
            .collect::<String>()
    };
    Verdict::Missed(format!(
        "  from line {}\n  upstream:\n{}  ours:\n{}",
        from + 1,
        part(upstream),
        part(ours)
    ))
}

/// Builds the case in memory, or in a folder of our own if it ran on a disk. An error comes with the paths of
/// the case.
fn replay(case: &Case) -> Result<Result<String, String>> {
    let options = Options {
        reorder: match case.reorder.as_str() {
            "legacy" => Reorder::Legacy,
            "none" => Reorder::None,
            _ => Reorder::Unspecified,
        },
        restriction: if case.unrestricted { Restriction::None } else { Restriction::RootOnly },
        managed_by_label: case.managed_by,
        // The version that a program built without a stamp has.
        version: "(devel)".to_owned(),
        ..Options::default()
    };
    if !case.on_disk {
        let mut files = Memory::new();
        for (path, content) in &case.files {
            files.add(path, content.clone());
        }
        return Ok(finish(&files, &case.path, &options));
    }
    let folder = tempfile::tempdir().context("create a folder for a case")?;
    let root = folder.path().canonicalize()?;
    for (path, content) in &case.files {
        let path = root.join(path.strip_prefix(&case.base).unwrap_or(path).trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        fs::write(&path, rebased(&String::from_utf8_lossy(content), &case.base, &root))?;
    }
    let path = rebased(&case.path, &case.base, &root);
    let ours = finish(&Disk::at(&root), &path, &options);
    Ok(ours.map_err(|error| error.replace(&root.display().to_string(), &case.base)))
}

fn rebased(text: &str, base: &str, root: &Path) -> String {
    text.replace(base, &root.display().to_string())
}

fn finish(files: &dyn Files, path: &str, options: &Options) -> Result<String, String> {
    build(files, path, options).and_then(|output| output.to_yaml()).map_err(|error| error.to_string())
}
