//! Waiting for what becomes true by itself.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Asks every 25 ms until there is an answer; fails when there is none in time. For tests that look from outside:
/// our own code waits by watch.
pub async fn eventually<T>(
    what: &str,
    patience: Duration,
    mut probe: impl AsyncFnMut() -> Result<Option<T>>,
) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(answer) = probe().await? {
            return Ok(answer);
        }
        if start.elapsed() > patience {
            bail!("not within {patience:?}: {what}");
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
