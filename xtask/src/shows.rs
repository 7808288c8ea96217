//! `demo`, `bench` and `conformance`: programs of their own, built with optimisation and run from here.

use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{cargo, run as start, target_dir};
use crate::no_more;

/// The differential runs of which `cargo xtask test` runs a sample.
const SAMPLES: &[&[&str]] = &[
    &["yaml"],
    &["health"],
    &["diff"],
    &["sync"],
    &["substitute"],
    &["sops"],
    &["gotemplate"],
    &["sprig"],
    &["krusty"],
    &["trees", "--sample"],
];

/// `cargo xtask demo`
pub fn demo(args: &[String]) -> Result<()> {
    no_more("demo", args)?;
    beside_towpath(&["demo".to_owned()])
}

/// `cargo xtask bench NAME [ARG…]`
pub fn bench(args: &[String]) -> Result<()> {
    args.first().context("which benchmark? see `cargo xtask help bench`")?;
    beside_towpath(args)
}

/// `cargo xtask conformance NAME [--full]`
pub fn conformance(args: &[String]) -> Result<()> {
    args.first().context("which differential run? see `cargo xtask help conformance`")?;
    start(&mut program("towpath-conformance", args))
}

/// A sample of every differential run.
pub fn samples() -> Result<()> {
    SAMPLES.iter().try_for_each(|sample| {
        let args: Vec<String> = sample.iter().map(|word| (*word).to_owned()).collect();
        conformance(&args)
    })
}

/// Runs a program of the bench crate; it finds the release binary of `towpath` in `TOWPATH_BIN`.
fn beside_towpath(args: &[String]) -> Result<()> {
    start(&mut cargo(["build", "--release", "--quiet", "--package", "towpath"]))?;
    start(program("towpath-bench", args).env("TOWPATH_BIN", target_dir().join("release/towpath")))
}

fn program(package: &str, args: &[String]) -> Command {
    let mut command = cargo(["run", "--release", "--quiet", "--package", package, "--"]);
    command.args(args);
    command
}
