//! A child process and what it cost.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::process::Command;

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// From start to end.
    pub wall: Duration,
    /// The most memory it had resident, in MiB.
    pub rss_mib: f64,
    /// Its own CPU time.
    pub cpu: Duration,
}

/// Runs a command to its end and measures it; a failure is an error with what it printed.
pub async fn measure(command: &mut Command) -> Result<Cost> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("start {command:?}"))?;
    let process = child.id().context("it has ended already")?;
    let mut cost = Cost { wall: Duration::ZERO, rss_mib: 0.0, cpu: Duration::ZERO };
    let status = loop {
        tokio::select! {
            status = child.wait() => break status?,
            // The kernel keeps the peak, so looking now and then misses only the last moments.
            () = tokio::time::sleep(Duration::from_millis(10)) => look(process, &mut cost),
        }
    };
    cost.wall = start.elapsed();
    if !status.success() {
        let mut text = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            tokio::io::AsyncReadExt::read_to_string(&mut stderr, &mut text).await?;
        }
        bail!("{command:?} ended with {status}: {text}");
    }
    Ok(cost)
}

fn look(process: u32, cost: &mut Cost) {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    if let Some(kib) = peak.and_then(|text| text.trim().parse::<f64>().ok()) {
        cost.rss_mib = kib / 1024.0;
    }
    // After the name in parentheses: fields 14 and 15 are user and system time in hundredths of a second.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    cost.cpu = Duration::from_millis(10 * (ticks(11) + ticks(12)));
}
