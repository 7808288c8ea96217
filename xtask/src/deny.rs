//! `cargo deny`: licences, banned crates, sources and, where the database can be reached, advisories.
//!
//! The tool is installed once, at a pinned version, into the cache. The rules are in `deny.toml`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{cargo, output, root, run as start};

const VERSION: &str = "0.20.2";

/// Checks the whole workspace.
pub fn run() -> Result<()> {
    let tool = installed()?;
    let deny = |args: &[&str]| {
        let mut command = Command::new(&tool);
        command.current_dir(root()).args(["--workspace", "--all-features"]).args(args);
        command.env("GIT_TERMINAL_PROMPT", "0");
        command
    };
    start(&mut deny(&["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    println!("asking for the advisory database");
    if let Err(error) = output(&mut deny(&["fetch", "db"])) {
        let reason = error.to_string();
        // The last line is git's own, the ones before it repeat addresses.
        let reason = reason.lines().next_back().unwrap_or_default();
        println!("advisories skipped: the database cannot be reached from here ({reason})");
        return Ok(());
    }
    start(&mut deny(&["check", "--disable-fetch", "advisories"]))
}

/// The path of cargo-deny, installed first when it is not in the cache or is another version.
fn installed() -> Result<PathBuf> {
    let folder = towpath_toolbox::cache_dir().join("cargo-tools");
    let tool = folder.join("bin/cargo-deny");
    let present = output(Command::new(&tool).arg("--version")).unwrap_or_default();
    if present.split_whitespace().last() == Some(VERSION) {
        return Ok(tool);
    }
    println!("installing cargo-deny {VERSION} into the cache, once (some minutes)");
    let build = folder.join("target");
    let mut install = cargo(["install", "cargo-deny", "--version", VERSION, "--locked", "--force", "--root"]);
    start(install.arg(&folder).env("CARGO_TARGET_DIR", &build))?;
    // What it was compiled from is never needed again, and large.
    fs::remove_dir_all(&build).with_context(|| format!("clear {}", build.display()))?;
    Ok(tool)
}
