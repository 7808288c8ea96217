//! Differential runs against the real tools.
//!
//! In: the name of a run and `--full` for all its cases. Out: the cases in which we and the real tool differ,
//! then as the last line `NAME agreed/total`; the exit code says whether they are the same.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

mod diff;
mod gotemplate;
mod health;
mod krusty;
mod kyaml;
mod modules;
mod questions;
mod random;
mod sandbox;
mod score;
mod sops;
mod substitute;
mod sync;
mod trees;
mod yaml;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::score::Score;

const USAGE: &str = "usage: towpath-conformance diff|gotemplate|health|krusty|kyaml|merge2|sandbox|sops|sprig|substitute|sync|trees|yaml [--full|--sample]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.as_slice() {
        [name, path] if name == "kustomize-facts" => krusty::write_facts(path.as_ref()).map(|()| None),
        [name, path] if name == "merge-facts" => kyaml::write_facts(path.as_ref()).map(|()| None),
        [name, path] if name == "sandbox-facts" => sandbox::write_facts(path.as_ref()).map(|()| None),
        _ => run(&args).map(Some),
    };
    match done {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(score)) => score.print(),
        Err(error) => {
            eprintln!("conformance: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<Score> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["diff"] => diff::run(false),
        ["diff", "--full"] => diff::run(true),
        ["gotemplate"] => gotemplate::run(false),
        ["gotemplate", "--full"] => gotemplate::run(true),
        ["health"] => health::run(),
        ["krusty"] => krusty::run(),
        ["kyaml"] => kyaml::run(false),
        ["kyaml", "--full"] => kyaml::run(true),
        ["merge2"] => kyaml::merge2(false),
        ["merge2", "--full"] => kyaml::merge2(true),
        ["sandbox"] => sandbox::run(),
        ["sops"] => sops::run(false),
        ["sops", "--full"] => sops::run(true),
        ["sprig"] => gotemplate::run_sprig(false),
        ["sprig", "--full"] => gotemplate::run_sprig(true),
        ["substitute"] => substitute::run(false),
        ["substitute", "--full"] => substitute::run(true),
        ["sync"] => sync::run(),
        ["trees"] => trees::run(trees::Which::All),
        ["trees", "--sample"] => trees::run(trees::Which::Sample),
        ["yaml"] => yaml::run(false),
        ["yaml", "--full"] => yaml::run(true),
        _ => bail!("{USAGE}"),
    }
}
