//! What this process costs.

use std::time::Duration;

use anyhow::{Context as _, Result};

/// A line of `/proc/self/status`, in MiB.
pub fn memory(name: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).context("the kernel does not tell")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? / 1024.0)
}

/// The CPU time of this process, in hundredths of a second.
pub fn cpu() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    Ok(Duration::from_millis(10 * (ticks(11) + ticks(12))))
}
