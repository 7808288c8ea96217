//! Logging: to stderr, silent unless asked for, the same everywhere.

use std::io::IsTerminal as _;

use towpath_settings as settings;
use tracing_subscriber::EnvFilter;

use crate::args::Global;

/// Starts it. `TOWPATH_LOG` says what is logged; `-v` is a short form for our own rooms.
pub fn start(global: &Global) {
    let short = match global.verbose {
        0 => "warn",
        1 => "warn,towpath=debug,towpath_engine=debug,towpath_cluster=debug",
        _ => "info,towpath=trace,towpath_engine=trace,towpath_cluster=trace",
    };
    let filter = EnvFilter::try_from_env(settings::LOG.name).unwrap_or_else(|_| EnvFilter::new(short));
    let json = std::env::var(settings::LOG_FORMAT.name).is_ok_and(|format| format == "json");
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if json {
        builder.json().init();
    } else {
        let colour = std::io::stderr().is_terminal() && !global.no_color;
        builder.with_ansi(colour).with_target(false).without_time().init();
    }
}
