//! Another attempt after a failure, with growing pauses.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::super::End;
use super::duration::{BadDuration, read_duration};

/// How often and how soon a failed operation is tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryPolicy {
    /// How often; -1 for as often as it takes.
    pub limit: i64,
    /// How soon.
    pub backoff: Backoff,
    /// The next attempt takes the newest revision instead of the one that failed.
    pub refresh: bool,
}

/// Growing pauses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Backoff {
    /// The first pause.
    #[serde(serialize_with = "jiff::fmt::serde::duration::friendly::compact::required")]
    pub first: SignedDuration,
    /// How much longer each pause is than the one before.
    pub factor: i64,
    /// The longest pause; zero for none.
    #[serde(serialize_with = "jiff::fmt::serde::duration::friendly::compact::required")]
    pub longest: SignedDuration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: SignedDuration::from_secs(5), factor: 2, longest: SignedDuration::from_secs(180) }
    }
}

impl Backoff {
    /// Reads what is written in a policy; what is missing has its default.
    pub fn read(
        first: Option<&str>,
        factor: Option<i64>,
        longest: Option<&str>,
    ) -> Result<Self, BadDuration> {
        let default = Self::default();
        let duration = |text: Option<&str>, default| match text {
            None | Some("") => Ok(default),
            Some(text) => read_duration(text),
        };
        Ok(Self {
            first: duration(first, default.first)?,
            factor: factor.unwrap_or(default.factor),
            longest: duration(longest, default.longest)?,
        })
    }

    /// The pause after `count` earlier attempts to do it again.
    pub fn pause(&self, count: u32) -> SignedDuration {
        let mut pause = self.first;
        let limit = if self.longest > SignedDuration::ZERO { self.longest } else { SignedDuration::MAX };
        for _ in 0..count {
            let factor = i32::try_from(self.factor).unwrap_or(i32::MAX);
            pause = pause.checked_mul(factor).unwrap_or(limit);
            if pause >= limit || self.factor <= 1 {
                break;
            }
        }
        pause.min(limit)
    }
}

/// Why there is no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRetry {
    /// It succeeded.
    Succeeded,
    /// Somebody stopped it.
    Terminated,
    /// A newer revision has taken its place.
    Superseded,
    /// It was tried as often as allowed.
    Exhausted,
}

impl RetryPolicy {
    /// For operations that nobody asked for by hand: five more attempts.
    pub fn automatic() -> Self {
        Self { limit: 5, ..Self::default() }
    }

    /// When to try again after the attempt that ended at `finished`, `count` having been tried again before.
    pub fn next(
        &self,
        end: End,
        terminated: bool,
        count: u32,
        finished: Timestamp,
    ) -> Result<Timestamp, NoRetry> {
        match end {
            End::Succeeded => return Err(NoRetry::Succeeded),
            End::Superseded => return Err(NoRetry::Superseded),
            End::Failed | End::Error if terminated => return Err(NoRetry::Terminated),
            End::Failed | End::Error => {}
        }
        if self.limit >= 0 && i64::from(count) >= self.limit {
            return Err(NoRetry::Exhausted);
        }
        Ok(finished.saturating_add(self.backoff.pause(count)).unwrap_or(Timestamp::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn pauses_double_up_to_three_minutes() {
        let pauses: Vec<_> = (0..8).map(|count| Backoff::default().pause(count).as_secs()).collect();
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 180, 180]);
        assert_eq!(Backoff::default().pause(u32::MAX).as_secs(), 180);
        let unbounded = Backoff::read(Some("1s"), Some(10), Some("0")).unwrap();
        assert_eq!(unbounded.pause(3).as_secs(), 1000);
        assert_eq!(unbounded.pause(100), SignedDuration::MAX);
        let constant = Backoff::read(Some("1m"), Some(1), None).unwrap();
        assert_eq!(constant.pause(9).as_secs(), 60);
    }

    #[test]
    fn an_attempt_follows_only_a_failure_that_nobody_wanted() {
        let policy = RetryPolicy::automatic();
        assert_eq!(policy.next(End::Failed, false, 1, second(100)), Ok(second(110)));
        assert_eq!(policy.next(End::Error, false, 5, second(100)), Err(NoRetry::Exhausted));
        assert_eq!(policy.next(End::Failed, true, 0, second(100)), Err(NoRetry::Terminated));
        assert_eq!(policy.next(End::Superseded, false, 0, second(100)), Err(NoRetry::Superseded));
        assert_eq!(policy.next(End::Succeeded, false, 0, second(100)), Err(NoRetry::Succeeded));
        assert_eq!(RetryPolicy::default().next(End::Failed, false, 0, second(0)), Err(NoRetry::Exhausted));
        let endless = RetryPolicy { limit: -1, ..RetryPolicy::default() };
        assert_eq!(endless.next(End::Failed, false, 4_000_000, second(0)), Ok(second(180)));
    }

    #[test]
    fn a_policy_is_written_as_people_write_it() {
        let text = serde_json::to_string(&RetryPolicy::automatic()).unwrap();
        assert_eq!(text, r#"{"limit":5,"backoff":{"first":"5s","factor":2,"longest":"3m"},"refresh":false}"#);
        assert_eq!(serde_json::from_str::<RetryPolicy>(&text).unwrap(), RetryPolicy::automatic());
        assert!(Backoff::read(Some("soon"), None, None).is_err());
    }
}
