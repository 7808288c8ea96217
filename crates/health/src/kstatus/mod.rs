//! The rules of kstatus, as `github.com/fluxcd/cli-utils` v1.4.0 applies them.
//!
//! In: an object and, where the caller has one, the time. Out: its health. The wording of messages is ours;
//! which status an object gets is not.
//!
//! ```text
//! deletionTimestamp -> observedGeneration -> Reconciling, Stalled -> the kind's own rule -> Ready -> Current
//! ```

mod apps;
mod batch;
mod core;
mod definition;
mod fields;
mod generic;

use std::fmt;

use jiff::Timestamp;
use towpath_object::Object;

use self::fields::{Fields, Malformed};

/// What state an object is in, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Health {
    /// The state.
    pub status: Status,
    /// A few words for people; never parsed.
    pub message: String,
}

/// The states that kstatus knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// What was asked for is what there is.
    Current,
    /// On the way to it.
    InProgress,
    /// Will not get there by itself.
    Failed,
    /// The server has been asked to delete it.
    Terminating,
    /// It is not on the server. No object is ever judged so; callers say it of what they cannot find.
    NotFound,
    /// Its status cannot be read: a field is of a type that its kind does not allow.
    Unknown,
}

impl Status {
    /// The word that kstatus uses: `Current`, `InProgress` and so on.
    pub fn word(self) -> &'static str {
        match self {
            Self::Current => "Current",
            Self::InProgress => "InProgress",
            Self::Failed => "Failed",
            Self::Terminating => "Terminating",
            Self::NotFound => "NotFound",
            Self::Unknown => "Unknown",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Health {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }

    fn current(message: impl Into<String>) -> Self {
        Self::new(Status::Current, message)
    }

    fn in_progress(message: impl Into<String>) -> Self {
        Self::new(Status::InProgress, message)
    }

    fn failed(message: impl Into<String>) -> Self {
        Self::new(Status::Failed, message)
    }

    /// The health of something that the server does not have.
    pub fn not_found() -> Self {
        Self::new(Status::NotFound, "not found")
    }
}

/// The health of `object`, with patience: a pod that cannot be scheduled stays in progress, as a node may
/// still come. Everything else is judged as by [`assess_at`].
pub fn assess(object: &Object) -> Health {
    or_unknown(judge(object, None))
}

/// The health of `object` at the time `now`: a pod that cannot be scheduled has failed when it is older than
/// fifteen seconds. That is the only rule that time alone can change, so a watcher need not ask again for any
/// object but an unscheduled pod.
pub fn assess_at(object: &Object, now: Timestamp) -> Health {
    or_unknown(judge(object, Some(now)))
}

/// A rule's answer; `Malformed` where the object is not of its kind's shape.
type Verdict = Result<Health, Malformed>;

fn or_unknown(verdict: Verdict) -> Health {
    verdict.unwrap_or_else(|malformed| Health::new(Status::Unknown, malformed.to_string()))
}

fn judge(object: &Object, now: Option<Timestamp>) -> Verdict {
    let fields = Fields::of(object);
    if let Some(health) = generic::before_the_kind(&fields)? {
        return Ok(health);
    }
    let gvk = object.gvk();
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("apps" | "extensions", "Deployment") => apps::deployment(&fields),
        ("apps" | "extensions", "ReplicaSet") => apps::replica_set(&fields),
        ("apps" | "extensions", "DaemonSet") => apps::daemon_set(&fields),
        ("apps", "StatefulSet") => Ok(apps::stateful_set(&fields)),
        ("batch", "Job") => batch::job(&fields),
        ("", "Pod") => core::pod(&fields, now),
        ("", "Service") => Ok(core::service(&fields)),
        ("", "PersistentVolumeClaim") => Ok(core::persistent_volume_claim(&fields)),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition::crd(&fields),
        // A budget's controller reports only the generation it has seen, which has been compared already.
        ("policy", "PodDisruptionBudget") => Ok(Health::current("budget has been computed")),
        ("", "ConfigMap" | "Secret") | ("batch", "CronJob") => Ok(Health::current("always ready")),
        _ => generic::after_the_kind(&fields),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use towpath_object::Object;

    use crate::{Health, Status, assess};

    /// The object of that kind with those further root fields; `metadata` is merged into its own.
    pub(super) fn object(api_version: &str, kind: &str, rest: &Value) -> Object {
        let mut value = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}});
        for (name, part) in rest.as_object().unwrap() {
            if name == "metadata" {
                value["metadata"].as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
            } else {
                value[name] = part.clone();
            }
        }
        Object::new(value).unwrap()
    }

    /// Checks each case: the object's root fields, then status and message.
    pub(super) fn check(api_version: &str, kind: &str, cases: &[(Value, Status, &str)]) {
        for (rest, status, message) in cases {
            let health = assess(&object(api_version, kind, rest));
            let expected = Health::new(*status, *message);
            assert_eq!(health, expected, "{kind} {rest}");
        }
    }

    #[test]
    fn some_kinds_are_always_ready() {
        let wrong = json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}});
        for (api_version, kind) in [("v1", "ConfigMap"), ("v1", "Secret"), ("batch/v1", "CronJob")] {
            check(api_version, kind, &[(wrong.clone(), Status::Current, "always ready")]);
        }
        check(
            "policy/v1",
            "PodDisruptionBudget",
            &[
                (json!({}), Status::Current, "budget has been computed"),
                (
                    json!({"metadata": {"generation": 2}, "status": {"observedGeneration": 1}}),
                    Status::InProgress,
                    "generation 2 is not observed yet, the latest observed is 1",
                ),
            ],
        );
    }

    #[test]
    fn a_kind_of_the_same_name_in_another_group_has_no_rule_of_its_own() {
        let rest = json!({"spec": {"replicas": 3}});
        check("example.com/v1", "Deployment", &[(rest, Status::Current, "nothing to wait for")]);
    }
}
