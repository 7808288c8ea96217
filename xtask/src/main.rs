//! `cargo xtask COMMAND`: set-up, tests, checks, demo, benchmarks and releases of this workspace.
//!
//! In: a command and its arguments. Out: progress and results for people; exit code 0 when all is well. It
//! depends on next to nothing, so that it builds in seconds on a fresh machine and can then fetch the rest.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

mod cargo;
mod check;
mod deny;
mod generate;
mod help;
mod release;
mod setup;
mod shows;
mod steps;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let Some((command, rest)) = args.split_first() else {
        println!("{}", help::overview());
        return Ok(());
    };
    if matches!(command.as_str(), "help" | "--help" | "-h") {
        println!("{}", rest.first().and_then(|topic| help::topic(topic)).unwrap_or_else(help::overview));
        return Ok(());
    }
    let Some(text) = help::topic(command) else {
        bail!("there is no command {command}\n\n{}", help::overview());
    };
    if rest.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{text}");
        return Ok(());
    }
    match command.as_str() {
        "setup" => setup::run(rest),
        "test" => test::run(rest),
        "check" => check::run(rest),
        "generate" => generate::run(rest),
        "demo" => shows::demo(rest),
        "bench" => shows::bench(rest),
        "conformance" => shows::conformance(rest),
        "release" => release::run(rest),
        other => bail!("{other} has a help text but no code"),
    }
}

/// Fails when a command that takes no arguments got some.
fn no_more(command: &str, rest: &[String]) -> Result<()> {
    match rest.first() {
        Some(extra) => bail!("{command} does not take {extra}; see `cargo xtask help {command}`"),
        None => Ok(()),
    }
}
