//! A circuit breaker for the work on one cluster: when it does not answer, nobody tries but one now and then.
//!
//! ```text
//!            no answer                     its time has come
//! Closed ───────────────► Open ─────────────────────────────► Probing
//!    ▲                     ▲  └ refuses everybody                │ lets one pass
//!    │                     └──────── no answer, longer pause ────┤
//!    └───────────────────────────────────────── an answer ◄──────┘
//! ```
//!
//! Times are measures of a [`Clock`](towpath_clock::Clock), handed in.

use std::time::Duration;

/// The first pause and the longest; each is double the one before.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// A breaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Breaker {
    /// The cluster answers.
    #[default]
    Closed,
    /// It does not. It was asked so often, and is asked again then.
    Open { attempts: u32, until: Duration },
    /// One asks it; should that never end, another one does at this time.
    Probing { attempts: u32, until: Duration },
}

/// What a breaker says to somebody who wants to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Pass,
    /// Pass alone, and say what came of it.
    Probe,
    Refused,
}

impl Breaker {
    /// Somebody wants to pass.
    pub(crate) fn ask(&mut self, now: Duration) -> Word {
        match *self {
            Self::Closed => Word::Pass,
            Self::Open { until, .. } | Self::Probing { until, .. } if now < until => Word::Refused,
            Self::Open { attempts, .. } | Self::Probing { attempts, .. } => {
                *self = Self::Probing { attempts, until: now + LONGEST };
                Word::Probe
            }
        }
    }

    /// The cluster answered. True if it had not before.
    pub(crate) fn answered(&mut self) -> bool {
        std::mem::take(self) != Self::Closed
    }

    /// The cluster did not answer. How long nobody asks it, if that is news.
    pub(crate) fn failed(&mut self, now: Duration) -> Option<Duration> {
        let attempts = match *self {
            Self::Closed => 0,
            Self::Probing { attempts, .. } => attempts + 1,
            // Who passed before it opened has nothing new to say.
            Self::Open { .. } => return None,
        };
        let pause = FIRST.saturating_mul(1 << attempts.min(10)).min(LONGEST);
        *self = Self::Open { attempts, until: now + pause };
        Some(pause)
    }

    /// Whether the cluster does not answer.
    pub(crate) fn is_open(self) -> bool {
        self != Self::Closed
    }
}

#[cfg(test)]
mod tests {
    use towpath_clock::Clock as _;
    use towpath_testkit::MovableClock;

    use super::*;

    #[test]
    fn it_opens_probes_with_longer_pauses_and_closes() {
        let clock = MovableClock::at(jiff::Timestamp::UNIX_EPOCH);
        let mut breaker = Breaker::default();
        assert_eq!(breaker.ask(clock.monotonic()), Word::Pass);
        let mut pauses = Vec::new();
        pauses.extend(breaker.failed(clock.monotonic()));
        for _ in 0..7 {
            let pause = pauses.last().copied().unwrap();
            assert_eq!(breaker.ask(clock.monotonic()), Word::Refused);
            clock.advance(pause);
            assert_eq!(breaker.ask(clock.monotonic()), Word::Probe);
            assert_eq!(breaker.ask(clock.monotonic()), Word::Refused, "one probe at a time");
            pauses.extend(breaker.failed(clock.monotonic()));
        }
        let seconds: Vec<u64> = pauses.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
        clock.advance(LONGEST);
        assert_eq!(breaker.ask(clock.monotonic()), Word::Probe);
        assert!(breaker.answered() && !breaker.answered() && !breaker.is_open());
        assert_eq!(breaker.ask(clock.monotonic()), Word::Pass);
        assert_eq!(breaker.failed(clock.monotonic()), Some(FIRST), "the pauses begin anew");
    }

    #[test]
    fn many_failures_at_once_are_one() {
        let mut breaker = Breaker::default();
        let now = Duration::from_secs(9);
        assert!(breaker.failed(now).is_some());
        assert_eq!((breaker.failed(now), breaker.failed(now)), (None, None));
    }

    #[test]
    fn a_probe_that_never_ends_is_not_the_last() {
        let mut breaker = Breaker::default();
        breaker.failed(Duration::ZERO);
        assert_eq!(breaker.ask(FIRST), Word::Probe);
        assert_eq!(breaker.ask(FIRST + LONGEST), Word::Probe);
    }
}
