//! The core group: pods, services, volume claims.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::Verdict;
use super::fields::{Condition, Fields, Malformed, malformed};
use crate::{Health, Status};

/// How long a pod may go without a node before that counts as a failure.
const SCHEDULE_WINDOW: SignedDuration = SignedDuration::from_secs(15);

/// A pod by its phase. One that has ended is current, however it ended: its owner judges that.
pub(super) fn pod(fields: &Fields<'_>, now: Option<Timestamp>) -> Verdict {
    let conditions = fields.conditions()?;
    match fields.text("status.phase", "") {
        "" => Ok(Health::in_progress("no phase yet")),
        "Succeeded" => Ok(Health::current("ended successfully")),
        "Failed" => Ok(Health::current("ended, but not successfully")),
        "Running" => running(fields, &conditions),
        "Pending" => Ok(pending(fields, &conditions, now)),
        phase => Ok(Health::new(Status::Unknown, format!("unknown phase {phase}"))),
    }
}

fn running(fields: &Fields<'_>, conditions: &[Condition<'_>]) -> Verdict {
    if conditions.iter().any(|condition| condition.is("Ready", "True")) {
        return Ok(Health::current("ready"));
    }
    let crashing = crash_looping(fields)?;
    if crashing.is_empty() {
        return Ok(Health::in_progress("running, not ready yet"));
    }
    let names = crashing.join(", ");
    Ok(Health::failed(format!("containers crash again and again: {names}")))
}

/// The names of the containers that wait in a crash loop. Init containers do not count.
fn crash_looping<'a>(fields: &Fields<'a>) -> Result<Vec<&'a str>, Malformed> {
    let mut names = Vec::new();
    for container in fields.strict_list("status.containerStatuses")?.unwrap_or_default() {
        let Some(name) = part(container, "name")? else {
            continue;
        };
        let name = name.as_str().ok_or_else(|| odd_status("name"))?;
        let Some(state) = part(container, "state")? else {
            continue;
        };
        let Some(waiting) = part(state, "waiting")? else {
            continue;
        };
        let Some(reason) = part(waiting, "reason")? else {
            continue;
        };
        if reason.as_str().ok_or_else(|| odd_status("reason"))? == "CrashLoopBackOff" {
            names.push(name);
        }
    }
    Ok(names)
}

fn part<'a>(value: &'a Value, name: &str) -> Result<Option<&'a Value>, Malformed> {
    let map =
        value.as_object().ok_or_else(|| malformed("a part of status.containerStatuses", "a mapping"))?;
    Ok(map.get(name))
}

fn odd_status(name: &str) -> Malformed {
    malformed(&format!("status.containerStatuses[].{name}"), "a string")
}

fn pending(fields: &Fields<'_>, conditions: &[Condition<'_>], now: Option<Timestamp>) -> Health {
    let unscheduled = conditions
        .iter()
        .find(|condition| condition.is("PodScheduled", "False"))
        .filter(|condition| condition.reason == "Unschedulable");
    let Some(condition) = unscheduled else {
        return Health::in_progress("pending");
    };
    let why = match condition.message {
        "" => "no node fits",
        message => message,
    };
    // Without a readable time of creation the window counts as over.
    let created = fields.text("metadata.creationTimestamp", "").parse().unwrap_or(Timestamp::UNIX_EPOCH);
    if now.is_some_and(|now| now.duration_since(created) >= SCHEDULE_WINDOW) {
        Health::failed(format!("cannot be scheduled: {why}"))
    } else {
        Health::in_progress(format!("not scheduled yet: {why}"))
    }
}

/// A service is ready when it exists; one of type LoadBalancer when it has its cluster address.
pub(super) fn service(fields: &Fields<'_>) -> Health {
    let load_balancer = fields.text("spec.type", "ClusterIP") == "LoadBalancer";
    if load_balancer && fields.text("spec.clusterIP", "").is_empty() {
        return Health::in_progress("load balancer has no cluster address yet");
    }
    Health::current("ready")
}

/// A volume claim is ready when it is bound.
pub(super) fn persistent_volume_claim(fields: &Fields<'_>) -> Health {
    match fields.text("status.phase", "unknown") {
        "Bound" => Health::current("bound"),
        phase => Health::in_progress(format!("claim is {phase}, not Bound")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, object};
    use super::*;
    use crate::Status::{Current, Failed, InProgress, Unknown};
    use crate::assess_at;
    use serde_json::json;

    fn crashing(reason: &str) -> Value {
        json!({"name": "web", "state": {"waiting": {"reason": reason}}})
    }

    #[test]
    fn a_pod_by_its_phase() {
        let phase = |phase: &str| json!({"status": {"phase": phase}});
        let ready = json!([{"type": "Ready", "status": "True"}]);
        check(
            "v1",
            "Pod",
            &[
                (json!({}), InProgress, "no phase yet"),
                (phase("Succeeded"), Current, "ended successfully"),
                (phase("Failed"), Current, "ended, but not successfully"),
                (phase("Running"), InProgress, "running, not ready yet"),
                (phase("Pending"), InProgress, "pending"),
                (phase("Dreaming"), Unknown, "unknown phase Dreaming"),
                (
                    json!({"status": {"phase": "Running", "conditions": ready,
                        "containerStatuses": [crashing("CrashLoopBackOff")]}}),
                    Current,
                    "ready",
                ),
            ],
        );
    }

    #[test]
    fn a_crash_loop_is_a_failure_and_another_wait_is_not() {
        let running =
            |statuses: Value| json!({"status": {"phase": "Running", "containerStatuses": statuses}});
        check(
            "v1",
            "Pod",
            &[
                (
                    running(json!([crashing("CrashLoopBackOff"), {"name": "side"}])),
                    Failed,
                    "containers crash again and again: web",
                ),
                (running(json!([crashing("ImagePullBackOff")])), InProgress, "running, not ready yet"),
                (
                    running(json!([{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}])),
                    InProgress,
                    "running, not ready yet",
                ),
                (
                    running(json!([{"name": "web", "state": {"running": {}}}])),
                    InProgress,
                    "running, not ready yet",
                ),
                (
                    running(json!([{"name": "web", "state": {"waiting": {}}}])),
                    InProgress,
                    "running, not ready yet",
                ),
                (running(json!(null)), Unknown, "status.containerStatuses is not a list"),
                (running(json!([{"name": 1}])), Unknown, "status.containerStatuses[].name is not a string"),
            ],
        );
    }

    #[test]
    fn an_unscheduled_pod_has_fifteen_seconds() {
        let pod = |metadata: Value| {
            let scheduled = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": "0/3 nodes are available"});
            let status = json!({"phase": "Pending", "conditions": [scheduled]});
            object("v1", "Pod", &json!({"metadata": metadata, "status": status}))
        };
        let born = json!({"creationTimestamp": "2026-01-01T00:00:00Z"});
        let at = |second: u8| format!("2026-01-01T00:00:{second:02}Z").parse().unwrap();

        let early = assess_at(&pod(born.clone()), at(14));
        assert_eq!(early, Health::in_progress("not scheduled yet: 0/3 nodes are available"));
        let late = assess_at(&pod(born.clone()), at(15));
        assert_eq!(late, Health::failed("cannot be scheduled: 0/3 nodes are available"));
        assert_eq!(assess_at(&pod(json!({})), at(1)).status, Failed);
        assert_eq!(crate::assess(&pod(born)).status, InProgress);
    }

    #[test]
    fn services_and_claims() {
        let waiting = "load balancer has no cluster address yet";
        check(
            "v1",
            "Service",
            &[
                (json!({}), Current, "ready"),
                (json!({"spec": {"type": "LoadBalancer"}}), InProgress, waiting),
                (json!({"spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1"}}), Current, "ready"),
            ],
        );
        let phase = |phase: &str| json!({"status": {"phase": phase}});
        check(
            "v1",
            "PersistentVolumeClaim",
            &[
                (json!({}), InProgress, "claim is unknown, not Bound"),
                (phase("Lost"), InProgress, "claim is Lost, not Bound"),
                (phase("Bound"), Current, "bound"),
            ],
        );
    }
}
