//! Time as a seam: what o'clock it is, and how long something took.
//!
//! In: nothing. Out: [`Clock`], handed to everything that stamps or compares times, and [`SystemClock`].
//! `towpath-testkit` has one that tests move.
//!
//! A clock never waits. Waiting is tokio's (`sleep`, `timeout`), and a test that is about waiting pauses
//! tokio's time; a test that is about dates (an expiry, a schedule, an age) moves the clock.

use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time of day, which can jump in both directions: for stamps, never for measuring.
    fn now(&self) -> Timestamp;

    /// The time since a fixed but arbitrary moment, which never goes back: for measuring, never for stamps.
    fn monotonic(&self) -> Duration;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_goes_on() {
        let clock = SystemClock::default();
        let (date, measure) = (clock.now(), clock.monotonic());
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.now() > date);
        assert!(clock.monotonic() >= measure + Duration::from_millis(2));
    }
}
