//! `towpath completion`: a script for a shell.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::args::Cli;
use crate::exit::Exit;
use crate::screen::Screen;

pub fn run(shell: Shell, screen: &mut Screen) -> Exit {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "towpath", &mut script);
    screen.print(&String::from_utf8_lossy(&script));
    Exit::Success
}
