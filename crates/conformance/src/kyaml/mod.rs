//! Our nodes, merges and JSON patches against kustomize's libraries.
//!
//! `kyaml`: texts are read in both dialects and written again; agreement means the same tree (tags, styles and
//! texts) and the same bytes, or both refuse. `merge2`: the table of kyaml's own tests, then every source and
//! target of that table with every other, in both orders; and JSON patches. Out: a [`Score`] each.

mod judge;
mod merge2;
mod oracle;
mod table;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use self::oracle::Question;
use crate::score::{Score, Verdict};

pub use self::merge2::run as merge2;

/// Writes what kyaml's built-in schema says about merging: `crates/merge/src/strategic/facts.txt`.
pub fn write_facts(path: &Path) -> Result<()> {
    let output = Command::new(towpath_toolbox::ensure("kyamloracle")?).arg("facts").output()?;
    if !output.status.success() || output.stdout.is_empty() {
        bail!("kyamloracle facts: {}", String::from_utf8_lossy(&output.stderr));
    }
    fs::write(path, output.stdout).with_context(|| format!("write {}", path.display()))
}

/// Runs the comparison of texts: a fixed sample, or everything.
pub fn run(full: bool) -> Result<Score> {
    let mut score = Score::new("kyaml");
    let mut cases = Vec::new();
    for (name, text) in crate::yaml::texts(full)? {
        cases.push((format!("{name} as values"), Question::Values(text.clone())));
        match judge::fatal(&text) {
            Some(class) => score.add(&name, Verdict::Declared(class)),
            None => cases.push((name, Question::Read(text))),
        }
    }
    let answers = oracle::ask(cases.iter().map(|(_, question)| question))?;
    for ((name, question), answer) in cases.iter().zip(answers) {
        score.add(name, judge::judge(question, &answer?));
    }
    Ok(score)
}
