//! Every environment variable, default and limit that a person can set, once.
//!
//! In: nothing. Out: names and defaults, as constants that flags, help texts and documentation share. Only the
//! hall and the door read settings; rooms are handed values.

use std::path::PathBuf;
use std::time::Duration;

/// An environment variable that Towpath reads.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
}

/// What is logged and how much: `debug`, or `towpath_cluster=trace,info`.
pub const LOG: Variable = Variable {
    name: "TOWPATH_LOG",
    meaning: "What is logged on stderr, for example `debug` or `towpath_cluster=trace`.",
};
/// How log lines are written.
pub const LOG_FORMAT: Variable = Variable {
    name: "TOWPATH_LOG_FORMAT",
    meaning: "`text` for people (the default) or `json` for programs.",
};
/// The namespace to work in.
pub const NAMESPACE: Variable =
    Variable { name: "TOWPATH_NAMESPACE", meaning: "The namespace, where -n/--namespace does not name one." };
/// Where the cluster is.
pub const KUBECONFIG: Variable =
    Variable { name: "KUBECONFIG", meaning: "The kubeconfig, where --kubeconfig does not name one." };
/// No colour.
pub const NO_COLOR: Variable =
    Variable { name: "NO_COLOR", meaning: "No colour when it is set and not empty." };

/// All of them, for the reference.
pub const VARIABLES: &[Variable] = &[KUBECONFIG, LOG, LOG_FORMAT, NAMESPACE, NO_COLOR];

/// How long verbs wait unless told otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(300);
/// How many requests a run has under way at once unless told otherwise.
pub const CONCURRENCY: usize = 32;
/// The largest file of manifests that is read, in bytes.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Where things are kept that can be fetched again: `$XDG_CACHE_HOME/towpath`, or `~/.cache/towpath`. Nothing where
/// neither is known.
pub fn cache_dir() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("towpath"))
}

/// Reads a duration as Go writes it: `30s`, `5m`, `1h30m`, `1.5s`, `500ms`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let bad = || format!("{text:?} is not a duration; write 30s, 5m or 1h30m");
    let mut rest = text;
    let mut total = 0f64;
    if rest.is_empty() {
        return Err(bad());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let (number, tail) = rest.split_at(end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, after) = tail.split_at(unit_end);
        let seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return Err(bad()),
        };
        total += number.parse::<f64>().map_err(|_| bad())? * seconds;
        rest = after;
    }
    Duration::try_from_secs_f64(total).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_go_writes_them() {
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("0s"), Ok(Duration::ZERO));
        for bad in ["", "5", "m", "5 m", "-1s", "5x", "1..2s", "99999999999999999999h"] {
            assert!(parse_duration(bad).is_err(), "{bad:?}");
        }
    }
}
