//! The binary `towpath`: parse, run the verb, turn the result into an exit code.

mod args;
mod connect;
mod exit;
mod files;
mod log;
mod report;
mod screen;
mod secrets;
mod show;
mod verbs;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Verb};
use crate::exit::Exit;
use crate::screen::Screen;

fn main() -> ExitCode {
    // Before all else: its flags are kustomize's, and a build needs neither a log nor a runtime.
    if let Some(exit) = verbs::kustomize::if_asked() {
        return exit.code();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error).code(),
    };
    let mut screen = Screen::new(&cli.global);
    log::start(&cli.global);
    // One thread: the work is waiting for a server, and a small footprint is worth more than a second core.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            screen.error(&format!("start: {error}"));
            return Exit::Failed.code();
        }
    };
    let exit = runtime.block_on(async {
        tokio::select! {
            exit = run(cli, &mut screen) => exit,
            () = interrupted() => Exit::Interrupted,
        }
    });
    if exit == Exit::Interrupted {
        screen.interrupted();
    }
    // Requests that are still under way are not waited for.
    runtime.shutdown_background();
    exit.code()
}

async fn run(cli: Cli, screen: &mut Screen) -> Exit {
    let Cli { global, verb } = cli;
    let result = match verb {
        Verb::Deploy(args) => verbs::deploy::run(&global, args, screen).await,
        Verb::Diff(args) => verbs::diff::run(&global, args, screen).await,
        Verb::Inspect(args) => verbs::inspect::run(&global, &args, screen).await,
        Verb::Delete(args) => verbs::delete::run(&global, &args, screen).await,
        Verb::Kustomize(args) => Ok(verbs::kustomize::run(&args)),
        Verb::Version(args) => verbs::version::run(&global, &args, screen).await,
        Verb::Completion { shell } => Ok(verbs::completion::run(shell, screen)),
        Verb::MarkdownHelp => Ok(verbs::reference::run(screen)),
    };
    result.unwrap_or_else(|problem| report::problem(&problem, global.output, screen))
}

/// Help and version are a success; wrong usage is bad input, so that exit code 2 means one thing only.
fn usage(error: &clap::Error) -> Exit {
    let _ = error.print();
    if error.use_stderr() { Exit::BadInput } else { Exit::Success }
}

async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
