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

use jiff::Timestamp;
use towpath_object::Object;

use self::fields::{Fields, Malformed};
use crate::{Health, Status};

/// A rule's answer; `Malformed` where the object is not of its kind's shape.
type Verdict = Result<Health, Malformed>;

/// The health of `object`.
pub(crate) fn assess(object: &Object, now: Option<Timestamp>) -> Health {
    judge(object, now).unwrap_or_else(|malformed| Health::new(Status::Unknown, malformed.to_string()))
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
