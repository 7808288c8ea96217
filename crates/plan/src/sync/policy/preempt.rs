//! What happens to the operation under way when a newer revision is wanted.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_revision_wins_as_the_policy_says() {
        let reason = || "revision b is wanted now".to_string();
        assert_eq!(Preemption::default().stop("a", "b"), Some(Stop::AfterWave(reason())));
        assert_eq!(Preemption::AbortNow.stop("a", "b"), Some(Stop::Now(reason())));
        assert_eq!(Preemption::Finish.stop("a", "b"), None);
        assert_eq!(Preemption::AbortNow.stop("a", "a"), None);
    }
}
