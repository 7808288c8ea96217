//! The rules of Argo CD, as `github.com/argoproj/gitops-engine` v0.7.1-0.20250908182407-97ad5b59a627 applies
//! them.
//!
//! In: an object and the caller's own rule, where there is one. Out: its health, or `None` where nobody has a
//! rule for its kind: such an object counts as done in a sync and is left out of its app's health. The wording
//! of messages is ours; which status an object gets is not.
//!
//! ```text
//! deletionTimestamp -> the caller's own rule -> the kind's built-in rule -> none
//! ```
//!
//! Later releases judge one kind otherwise: they look for the bad conditions of a HorizontalPodAutoscaler, of
//! which they know more, before the good ones, and refuse its `v2beta` versions.

mod aggregate;
mod apps;
mod batch;
mod core;
mod fields;
mod other;

use std::fmt;

use jiff::Timestamp;
use towpath_object::Object;

pub use self::aggregate::{Part, Whole, aggregate};
use self::fields::{Fields, Unreadable};

/// The finalizer that holds a hook until its phase is over; a hook that is being deleted is still judged.
const HOOK_FINALIZER: &str = "argocd.argoproj.io/hook-finalizer";

/// What state an object is in, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Health {
    /// The state.
    pub status: Status,
    /// A few words for people, often empty; never parsed.
    pub message: String,
}

/// The states that Argo CD knows, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// What was asked for is what there is.
    Healthy,
    /// Somebody has paused it.
    Suspended,
    /// Not healthy yet, but it may become so.
    Progressing,
    /// It is not on the server. No built-in rule says so; scripts may.
    Missing,
    /// Will not become healthy by itself, or has not within its time.
    Degraded,
    /// It cannot be judged.
    Unknown,
}

impl Status {
    /// The state that Argo CD calls by this word.
    pub fn from_word(word: &str) -> Option<Self> {
        let all =
            [Self::Healthy, Self::Suspended, Self::Progressing, Self::Missing, Self::Degraded, Self::Unknown];
        all.into_iter().find(|status| status.word() == word)
    }

    /// The word that Argo CD uses: `Healthy`, `Progressing` and so on.
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "Healthy",
            Self::Suspended => "Suspended",
            Self::Progressing => "Progressing",
            Self::Missing => "Missing",
            Self::Degraded => "Degraded",
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
    /// A status and what to say about it.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

/// A built-in rule's answer.
type Answer = Result<Health, Unreadable>;

/// The health of `object` by the built-in rules.
pub fn assess(object: &Object) -> Option<Health> {
    assess_with(object, |_| None)
}

/// The health of `object`, where `own` is asked before the built-in rules, but not about objects that are being
/// deleted. `own` says `None` where it has no rule, and `Some(None)` where its rule is that there is no health.
pub fn assess_with(object: &Object, own: impl FnOnce(&Object) -> Option<Option<Health>>) -> Option<Health> {
    if is_being_deleted(object) {
        return Some(Health::new(Status::Progressing, "being deleted"));
    }
    own(object).unwrap_or_else(|| built_in(object))
}

fn is_being_deleted(object: &Object) -> bool {
    let deletion = object.value().pointer("/metadata/deletionTimestamp").and_then(|time| time.as_str());
    let held_as_hook = object
        .value()
        .pointer("/metadata/finalizers")
        .and_then(|finalizers| finalizers.as_array())
        .is_some_and(|finalizers| finalizers.iter().any(|name| name == HOOK_FINALIZER));
    deletion.is_some_and(|time| time.parse::<Timestamp>().is_ok()) && !held_as_hook
}

fn built_in(object: &Object) -> Option<Health> {
    let fields = Fields::of(object);
    let gvk = object.gvk();
    let only = |versions: &[&str], rule: fn(&Fields<'_>) -> Answer| {
        if versions.contains(&gvk.version.as_str()) {
            rule(&fields)
        } else {
            Err(Unreadable::Version(gvk.clone()))
        }
    };
    let answer = match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("apps", "Deployment") => only(&["v1"], apps::deployment),
        ("apps", "StatefulSet") => only(&["v1"], apps::stateful_set),
        ("apps", "ReplicaSet") => only(&["v1"], apps::replica_set),
        ("apps", "DaemonSet") => only(&["v1"], apps::daemon_set),
        ("", "Pod") => only(&["v1"], core::pod),
        ("", "Service") => only(&["v1"], core::service),
        ("", "PersistentVolumeClaim") => only(&["v1"], core::persistent_volume_claim),
        ("batch", "Job") => only(&["v1"], batch::job),
        ("autoscaling", "HorizontalPodAutoscaler") if gvk.version == "v1" => other::autoscaler_v1(&fields),
        ("autoscaling", "HorizontalPodAutoscaler") => only(&["v2", "v2beta1", "v2beta2"], other::autoscaler),
        ("apiregistration.k8s.io", "APIService") => only(&["v1", "v1beta1"], other::api_service),
        ("extensions" | "networking.k8s.io", "Ingress") => Ok(other::ingress(&fields)),
        ("argoproj.io", "Workflow") => Ok(other::workflow(&fields)),
        _ => return None,
    };
    Some(answer.unwrap_or_else(|unreadable| Health::new(Status::Unknown, unreadable.to_string())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use towpath_object::Object;

    use super::*;

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
            assert_eq!(health, Some(Health::new(*status, *message)), "{kind} {rest}");
        }
    }

    #[test]
    fn most_kinds_have_no_health() {
        for (api_version, kind) in [
            ("v1", "ConfigMap"),
            ("batch/v1", "CronJob"),
            ("argoproj.io/v1alpha1", "Application"),
            ("example.com/v1", "Deployment"),
            ("extensions/v1beta1", "Deployment"),
        ] {
            assert_eq!(assess(&object(api_version, kind, &json!({}))), None, "{api_version} {kind}");
        }
    }

    #[test]
    fn versions_without_a_rule_are_unknown() {
        let unknown = [(json!({}), Status::Unknown, "there is no rule for apps/v1beta2 Deployment")];
        check("apps/v1beta2", "Deployment", &unknown);
        let status = |api_version, kind| assess(&object(api_version, kind, &json!({}))).map(|h| h.status);
        assert_eq!(status("autoscaling/v3", "HorizontalPodAutoscaler"), Some(Status::Unknown));
        assert_eq!(status("networking.k8s.io/v9", "Ingress"), Some(Status::Progressing));
    }

    #[test]
    fn deletion_then_the_own_rule_then_the_built_in_one() {
        let degraded = |_: &Object| Some(Some(Health::new(Status::Degraded, "own")));
        let deleted = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}});
        let deleting = object("v1", "Service", &deleted);
        let expected = Health::new(Status::Progressing, "being deleted");
        assert_eq!(assess_with(&deleting, degraded), Some(expected));

        let mut held = deleted.clone();
        held["metadata"]["finalizers"] = json!([HOOK_FINALIZER]);
        let hook = object("v1", "Service", &held);
        assert_eq!(assess_with(&hook, degraded), Some(Health::new(Status::Degraded, "own")));
        assert_eq!(assess_with(&hook, |_| None), Some(Health::new(Status::Healthy, "")));
        assert_eq!(assess_with(&hook, |_| Some(None)), None);
    }

    #[test]
    fn worse_is_greater() {
        let words = ["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"];
        let statuses = words.map(|word| Status::from_word(word).unwrap());
        assert!(statuses.is_sorted());
        assert_eq!(Status::from_word("healthy"), None);
    }
}
