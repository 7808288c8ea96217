//! What both rule sets can say, in one vocabulary.

use std::fmt;

use jiff::Timestamp;
use towpath_object::Object;

use crate::{argo, kstatus};

/// Whose rules judge an object. They differ: an Ingress without address is for ever progressing in one and
/// ready in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Flux's, of its library kstatus.
    #[default]
    Kstatus,
    /// Argo CD's.
    Argo,
}

/// What a sync has to know about an object, whatever the rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The rule set has no rule for its kind: do not wait for it, do not count it.
    None,
    /// What was asked for is what there is.
    Ready,
    /// Somebody has paused it: it will not go on by itself, and it has not failed.
    Suspended,
    /// On the way: wait. Also said of what is being deleted.
    Progressing,
    /// It is not on the server.
    Missing,
    /// Will not get there by itself.
    Failed,
    /// It cannot be judged: it is not of its kind's shape, or a script about it failed.
    Unknown,
}

impl Verdict {
    /// True where there is nothing to wait for: ready, or without health.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Ready | Self::None)
    }
}

/// The health of an object in both vocabularies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assessment {
    /// What follows from it.
    pub verdict: Verdict,
    /// The rule set's own word, to show: `InProgress` of kstatus, `Progressing` of Argo CD. Empty where the
    /// verdict is [`Verdict::None`].
    pub word: &'static str,
    /// A few words for people, maybe none; never parsed.
    pub message: String,
}

impl Assessment {
    /// The assessment of something that the server does not have.
    pub fn missing(rules: Rules) -> Self {
        match rules {
            Rules::Kstatus => kstatus::Health::not_found().into(),
            Rules::Argo => argo::Health::new(argo::Status::Missing, "not found").into(),
        }
    }
}

/// `InProgress: 1 of 3 replicas updated`; empty where there is no health.
impl fmt::Display for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => f.write_str(self.word),
            message => write!(f, "{}: {message}", self.word),
        }
    }
}

impl From<kstatus::Health> for Assessment {
    fn from(health: kstatus::Health) -> Self {
        Self { verdict: health.status.into(), word: health.status.word(), message: health.message }
    }
}

impl From<argo::Health> for Assessment {
    fn from(health: argo::Health) -> Self {
        Self { verdict: health.status.into(), word: health.status.word(), message: health.message }
    }
}

/// No health at all.
impl From<Option<argo::Health>> for Assessment {
    fn from(health: Option<argo::Health>) -> Self {
        let none = Self { verdict: Verdict::None, word: "", message: String::new() };
        health.map_or(none, Self::from)
    }
}

impl From<kstatus::Status> for Verdict {
    fn from(status: kstatus::Status) -> Self {
        match status {
            kstatus::Status::Current => Self::Ready,
            kstatus::Status::InProgress | kstatus::Status::Terminating => Self::Progressing,
            kstatus::Status::Failed => Self::Failed,
            kstatus::Status::NotFound => Self::Missing,
            kstatus::Status::Unknown => Self::Unknown,
        }
    }
}

impl From<argo::Status> for Verdict {
    fn from(status: argo::Status) -> Self {
        match status {
            argo::Status::Healthy => Self::Ready,
            argo::Status::Suspended => Self::Suspended,
            argo::Status::Progressing => Self::Progressing,
            argo::Status::Missing => Self::Missing,
            argo::Status::Degraded => Self::Failed,
            argo::Status::Unknown => Self::Unknown,
        }
    }
}

impl Rules {
    /// The health of `object` at the time `now` by the built-in rules.
    pub fn assess(self, object: &Object, now: Timestamp) -> Assessment {
        match self {
            Self::Kstatus => kstatus::assess_at(object, now).into(),
            Self::Argo => argo::assess(object).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assess(rules: Rules, api_version: &str, kind: &str) -> Assessment {
        let value = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}});
        rules.assess(&Object::new(value).unwrap(), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_rule_sets_differ_and_say_so_in_their_own_words() {
        let ingress = |rules| assess(rules, "networking.k8s.io/v1", "Ingress");
        assert_eq!(ingress(Rules::Kstatus).word, "Current");
        assert_eq!(ingress(Rules::Kstatus).verdict, Verdict::Ready);
        assert_eq!(ingress(Rules::Argo).word, "Progressing");
        assert_eq!(ingress(Rules::Argo).verdict, Verdict::Progressing);
    }

    #[test]
    fn no_health_is_done() {
        let none = assess(Rules::Argo, "v1", "ConfigMap");
        assert_eq!((none.verdict, none.word, none.to_string().as_str()), (Verdict::None, "", ""));
        assert!(none.verdict.is_done());
        assert!(!Assessment::missing(Rules::Argo).verdict.is_done());
        assert_eq!(Assessment::missing(Rules::Kstatus).to_string(), "NotFound: not found");
    }
}
