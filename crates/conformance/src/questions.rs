//! A program of ours around a Go library: one process, one line of JSON for each question and each answer.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

/// Asks all questions, each a line that ends in a line feed; the answers come in the same order.
pub fn ask<A: DeserializeOwned + Send + 'static>(
    tool: &str,
    lines: Vec<String>,
) -> Result<mpsc::IntoIter<Result<A>>> {
    let program = towpath_toolbox::ensure(tool)?;
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("start {}", program.display()))?;
    let stdin = child.stdin.take().context("the oracle's input")?;
    let stdout = child.stdout.take().context("the oracle's output")?;
    // Writing and reading at the same time: neither side may wait for the other.
    thread::spawn(move || {
        let mut stdin = BufWriter::new(stdin);
        lines.iter().try_for_each(|line| stdin.write_all(line.as_bytes()))
    });
    let (sender, answers) = mpsc::sync_channel(64);
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let answer = line.context("read from the oracle").and_then(|line| {
                serde_json::from_str(&line).with_context(|| format!("the oracle said {line}"))
            });
            if sender.send(answer).is_err() {
                break;
            }
        }
        child.wait()
    });
    Ok(answers.into_iter())
}
