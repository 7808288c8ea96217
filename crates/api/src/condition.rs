//! Conditions: the state of a thing in the form that every Kubernetes client understands.
//! <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties>

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// True, false, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Nobody knows yet.
    Unknown,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What it is about: `Ready`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// A stable CamelCase word for why.
    pub reason: String,
    /// A sentence for people.
    pub message: String,
    /// When the status last changed.
    pub last_transition_time: Timestamp,
    /// The generation that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// Puts `condition` into the list, in the place of the one of its kind. The time of transition moves only when the
/// status does. Returns true when anything changed.
pub fn set_condition(conditions: &mut Vec<Condition>, mut condition: Condition) -> bool {
    let Some(known) = conditions.iter_mut().find(|known| known.kind == condition.kind) else {
        conditions.push(condition);
        return true;
    };
    if known.status == condition.status {
        condition.last_transition_time = known.last_transition_time;
    }
    let changed = *known != condition;
    *known = condition;
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(status: ConditionStatus, message: &str, second: i64) -> Condition {
        Condition {
            kind: "Ready".into(),
            status,
            reason: "Test".into(),
            message: message.into(),
            last_transition_time: Timestamp::from_second(second).unwrap(),
            observed_generation: None,
        }
    }

    #[test]
    fn the_time_moves_with_the_status_only() {
        let mut conditions = Vec::new();
        assert!(set_condition(&mut conditions, ready(ConditionStatus::False, "one", 1)));
        assert!(!set_condition(&mut conditions, ready(ConditionStatus::False, "one", 2)));
        assert!(set_condition(&mut conditions, ready(ConditionStatus::False, "two", 3)));
        assert_eq!(conditions[0].last_transition_time.as_second(), 1);
        assert!(set_condition(&mut conditions, ready(ConditionStatus::True, "two", 4)));
        assert_eq!((conditions.len(), conditions[0].last_transition_time.as_second()), (1, 4));
    }

    #[test]
    fn it_reads_as_kubernetes_writes_it() {
        let text = serde_json::to_value(ready(ConditionStatus::True, "fine", 0)).unwrap();
        assert_eq!(text["type"], "Ready");
        assert_eq!(text["lastTransitionTime"], "1970-01-01T00:00:00Z");
    }
}
