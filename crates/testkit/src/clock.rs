//! A clock that tests move.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use towpath_clock::Clock;

/// A clock that stands still until a test moves it. Clones show the same time.
#[derive(Clone, Debug)]
pub struct MovableClock {
    hands: Arc<Mutex<Hands>>,
}

#[derive(Debug)]
struct Hands {
    now: Timestamp,
    monotonic: Duration,
}

impl MovableClock {
    /// A clock that shows this time.
    pub fn at(now: Timestamp) -> Self {
        Self { hands: Arc::new(Mutex::new(Hands { now, monotonic: Duration::ZERO })) }
    }

    /// Lets time pass: date and measure go on by the same amount.
    pub fn advance(&self, by: Duration) {
        let mut hands = self.hands.lock().unwrap_or_else(PoisonError::into_inner);
        hands.now += by;
        hands.monotonic += by;
    }

    /// Sets the date, forwards or back, as an administrator or a time server would: no time passes.
    pub fn set(&self, now: Timestamp) {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner).now = now;
    }
}

impl Clock for MovableClock {
    fn now(&self) -> Timestamp {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    fn monotonic(&self) -> Duration {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner).monotonic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advancing_moves_both_hands_and_setting_only_the_date() {
        let clock = MovableClock::at(Timestamp::UNIX_EPOCH);
        let other = clock.clone();
        clock.advance(Duration::from_secs(90));
        assert_eq!(other.now().as_second(), 90);
        assert_eq!(other.monotonic(), Duration::from_secs(90));
        clock.set(Timestamp::UNIX_EPOCH);
        assert_eq!(other.now(), Timestamp::UNIX_EPOCH);
        assert_eq!(other.monotonic(), Duration::from_secs(90));
    }
}
