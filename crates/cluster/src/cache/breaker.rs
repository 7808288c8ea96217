//! A circuit breaker for one cluster: when the server cannot be reached, nobody tries but one.
//!
//! ```text
//! closed ──several times in a row nobody answers──► open ──a probe is answered──► closed
//! ```

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::backoff;
use crate::call::Call;
use crate::{Cluster, Error};

/// How often in a row nobody may answer.
const PATIENCE: u32 = 3;

/// The breaker.
pub(super) struct Breaker {
    open: watch::Sender<bool>,
    failures: AtomicU32,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { open: watch::Sender::new(false), failures: AtomicU32::new(0) }
    }
}

impl Breaker {
    /// Waits while it is open.
    pub(super) async fn passable(&self) {
        // The sender is ours, so this cannot fail.
        let _ = self.open.subscribe().wait_for(|open| !open).await;
    }

    pub(super) fn is_open(&self) -> bool {
        *self.open.borrow()
    }

    /// The server answered, whatever it said.
    pub(super) fn answered(&self) {
        self.failures.store(0, Ordering::Relaxed);
    }

    /// A request failed. Only where nobody answers it counts.
    pub(super) fn failed(&self, error: &Error) {
        if !matches!(error, Error::Unreachable { .. }) {
            return self.answered();
        }
        if self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= PATIENCE {
            self.open.send_if_modified(|open| !std::mem::replace(open, true));
        }
    }

    /// Whenever it opens, probes until there is an answer, and closes it. `tell` hears of every change.
    pub(super) async fn run(&self, cluster: &Cluster, longest: Duration, tell: impl Fn(bool)) {
        let mut changes = self.open.subscribe();
        loop {
            let _ = changes.wait_for(|open| *open).await;
            tell(false);
            let mut attempts = 1;
            loop {
                tokio::time::sleep(backoff::pause(attempts, None, longest)).await;
                let call = Call::get("/version".into(), "probe the server".into());
                match cluster.attempt(&call).await {
                    Err(
                        error @ (Error::Unreachable { .. } | Error::Deadline { .. } | Error::Broken { .. }),
                    ) => {
                        tracing::debug!(%error, attempts, "still nobody answers");
                        attempts += 1;
                    }
                    Ok(_) | Err(_) => break,
                }
            }
            self.answered();
            self.open.send_replace(false);
            tell(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_when_nobody_answers_several_times_in_a_row() {
        let breaker = Breaker::default();
        let unreachable = Error::Unreachable { url: String::new(), message: String::new() };
        for _ in 1..PATIENCE {
            breaker.failed(&unreachable);
        }
        breaker.failed(&Error::Broken { what: String::new(), message: String::new() });
        for _ in 1..PATIENCE {
            breaker.failed(&unreachable);
        }
        assert!(!breaker.is_open());
        breaker.failed(&unreachable);
        assert!(breaker.is_open());
    }
}
