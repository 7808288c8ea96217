//! When an operation under way is stopped: for a newer revision, or because its time is up.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::super::Stop;

/// How an operation gives way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preemption {
    /// It does not: the newer revision waits.
    Finish,
    /// After the wave under way, without waiting for the health of what it applied.
    #[default]
    FinishWave,
    /// At once; running hooks are deleted.
    AbortNow,
}

impl Preemption {
    /// What to tell the step when `newest` is wanted while `running` is synced.
    pub fn stop(self, running: &str, newest: &str) -> Option<Stop> {
        if running == newest {
            return None;
        }
        let reason = format!("revision {newest} is wanted now");
        match self {
            Self::Finish => None,
            Self::FinishWave => Some(Stop::AfterWave(reason)),
            Self::AbortNow => Some(Stop::Now(reason)),
        }
    }
}

/// Stops an operation that takes longer than allowed; zero allows any time.
pub fn time_is_up(started: Timestamp, allowed: SignedDuration, now: Timestamp) -> Option<Stop> {
    let late = allowed > SignedDuration::ZERO && now.duration_since(started) >= allowed;
    late.then(|| Stop::Now(format!("it took longer than {allowed:#}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_may_be_limited() {
        let second = |second| Timestamp::from_second(second).unwrap();
        let allowed = SignedDuration::from_secs(90);
        assert_eq!(time_is_up(second(0), allowed, second(89)), None);
        let reason = "it took longer than 1m 30s".to_string();
        assert_eq!(time_is_up(second(0), allowed, second(90)), Some(Stop::Now(reason)));
        assert_eq!(time_is_up(second(0), SignedDuration::ZERO, second(1_000_000)), None);
    }

    #[test]
    fn the_newest_revision_wins_as_the_policy_says() {
        let reason = || "revision b is wanted now".to_string();
        assert_eq!(Preemption::default().stop("a", "b"), Some(Stop::AfterWave(reason())));
        assert_eq!(Preemption::AbortNow.stop("a", "b"), Some(Stop::Now(reason())));
        assert_eq!(Preemption::Finish.stop("a", "b"), None);
        assert_eq!(Preemption::AbortNow.stop("a", "a"), None);
    }
}
