//! The apps group: what keeps a number of pods running.
//!
//! Each rule compares counts in a fixed order and reports the first that is short, so that the message names
//! the step the rollout is at. Counts may be anything a server was made to store: subtraction wraps.

use super::Verdict;
use super::fields::Fields;
use crate::Health;

/// The deadline that stands for "none": the controller then never reports progress.
const NO_DEADLINE: i64 = i32::MAX as i64;

/// `Some` where fewer than `wanted` are there: `1 of 3 replicas ready`.
fn short(have: i64, wanted: i64, what: &str) -> Option<Health> {
    (wanted > have).then(|| Health::in_progress(format!("{have} of {wanted} {what}")))
}

/// `Some` where there are more pods than wanted: old ones that have not ended yet.
fn surplus(have: i64, wanted: i64) -> Option<Health> {
    (have > wanted).then(|| {
        let over = have.wrapping_sub(wanted);
        Health::in_progress(format!("{over} replicas still to end"))
    })
}

/// A deployment is current when all its replicas are of the new template and available, and failed when the
/// rollout made no progress within its deadline.
pub(super) fn deployment(fields: &Fields<'_>) -> Verdict {
    let mut progressed = fields.number("spec.progressDeadlineSeconds", NO_DEADLINE) == NO_DEADLINE;
    let mut available = false;
    for condition in fields.conditions()? {
        match condition.kind {
            "Progressing" if condition.reason == "ProgressDeadlineExceeded" => {
                let why = match condition.message {
                    "" => String::new(),
                    message => format!(": {message}"),
                };
                return Ok(Health::failed(format!("no progress within the deadline{why}")));
            }
            "Progressing" => {
                progressed |= condition.status == "True" && condition.reason == "NewReplicaSetAvailable";
            }
            "Available" => available |= condition.status == "True",
            _ => {}
        }
    }
    let wanted = fields.number("spec.replicas", 1);
    let created = fields.number("status.replicas", 0);
    let updated = fields.number("status.updatedReplicas", 0);
    let up = fields.number("status.availableReplicas", 0);
    let ready = fields.number("status.readyReplicas", 0);

    let waiting = short(created, wanted, "replicas created")
        .or_else(|| short(updated, wanted, "replicas updated"))
        .or_else(|| surplus(created, wanted))
        .or_else(|| short(up, updated, "updated replicas available"))
        .or_else(|| short(ready, wanted, "replicas ready"))
        .or_else(|| (!progressed).then(|| Health::in_progress("new replica set is not available yet")))
        .or_else(|| (!available).then(|| Health::in_progress("not available yet")));
    Ok(waiting.unwrap_or_else(|| Health::current(format!("{created} replicas available"))))
}

/// A replica set is current when all its replicas are labelled, available and ready.
pub(super) fn replica_set(fields: &Fields<'_>) -> Verdict {
    if let Some(condition) =
        fields.conditions()?.iter().find(|condition| condition.is("ReplicaFailure", "True"))
    {
        let why = match condition.message {
            "" => "look at its pods",
            message => message,
        };
        return Ok(Health::in_progress(format!("cannot create replicas: {why}")));
    }
    let wanted = fields.number("spec.replicas", 1);
    let created = fields.number("status.replicas", 0);
    let labelled = fields.number("status.fullyLabeledReplicas", 0);
    let available = fields.number("status.availableReplicas", 0);
    let ready = fields.number("status.readyReplicas", 0);

    let waiting = short(labelled, wanted, "replicas labelled")
        .or_else(|| short(available, wanted, "replicas available"))
        .or_else(|| short(ready, wanted, "replicas ready"))
        .or_else(|| surplus(created, wanted));
    Ok(waiting.unwrap_or_else(|| Health::current(format!("{created} replicas available"))))
}

/// A daemon set is current when every node that should run it does, with the new template. Both generations
/// have to be there: its controller always sets them, so their absence means that it has not looked yet.
pub(super) fn daemon_set(fields: &Fields<'_>) -> Verdict {
    for generation in ["metadata.generation", "status.observedGeneration"] {
        if fields.strict_number(generation)?.is_none() {
            return Ok(Health::in_progress(format!("{generation} is not set yet")));
        }
    }
    let wanted = fields.number("status.desiredNumberScheduled", -1);
    if wanted == -1 {
        return Ok(Health::in_progress("number of nodes is not known yet"));
    }
    let scheduled = fields.number("status.currentNumberScheduled", 0);
    let updated = fields.number("status.updatedNumberScheduled", 0);
    let available = fields.number("status.numberAvailable", 0);
    let ready = fields.number("status.numberReady", 0);

    let waiting = short(scheduled, wanted, "pods scheduled")
        .or_else(|| short(updated, wanted, "pods updated"))
        .or_else(|| short(available, wanted, "pods available"))
        .or_else(|| short(ready, wanted, "pods ready"));
    Ok(waiting.unwrap_or_else(|| Health::current(format!("{wanted} pods available"))))
}

/// A stateful set is current when all replicas (with a partition: those above it) are of the new revision.
/// Its controller reports no failures. With the strategy `OnDelete` people roll it out, so nothing is awaited.
pub(super) fn stateful_set(fields: &Fields<'_>) -> Health {
    if fields.text("spec.updateStrategy.type", "") == "OnDelete" {
        return Health::current("updated by hand: strategy is OnDelete");
    }
    let wanted = fields.number("spec.replicas", 1);
    let created = fields.number("status.replicas", 0);
    let ready = fields.number("status.readyReplicas", 0);
    let waiting = short(created, wanted, "replicas created")
        .or_else(|| short(ready, wanted, "replicas ready"))
        .or_else(|| surplus(created, wanted));
    if let Some(waiting) = waiting {
        return waiting;
    }

    let partition = fields.number("spec.updateStrategy.rollingUpdate.partition", -1);
    if partition != -1 {
        let updated = fields.number("status.updatedReplicas", 0);
        let above = wanted.wrapping_sub(partition);
        return short(updated, above, "replicas above the partition updated")
            .unwrap_or_else(|| Health::current(format!("{updated} replicas above the partition updated")));
    }

    let current = fields.number("status.currentReplicas", 0);
    if let Some(waiting) = short(current, wanted, "replicas of the current revision") {
        return waiting;
    }
    if fields.text("status.currentRevision", "") != fields.text("status.updateRevision", "") {
        return Health::in_progress("update revision is not the current one yet");
    }
    Health::current(format!("{created} replicas ready"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::Status::{Current, Failed, InProgress, Unknown};
    use serde_json::{Value, json};

    fn condition(kind: &str, status: &str, reason: &str) -> Value {
        json!({"type": kind, "status": status, "reason": reason, "message": "so"})
    }

    #[test]
    fn a_deployment_step_by_step() {
        // created, updated, available, ready of two wanted
        let counts = |counts: [i64; 4], conditions: Value| {
            let [created, updated, available, ready] = counts;
            json!({"spec": {"replicas": 2, "progressDeadlineSeconds": 600}, "status": {
                "replicas": created, "updatedReplicas": updated, "availableReplicas": available,
                "readyReplicas": ready, "conditions": conditions}})
        };
        let available = condition("Available", "True", "MinimumReplicasAvailable");
        let progressed = condition("Progressing", "True", "NewReplicaSetAvailable");
        let exceeded = condition("Progressing", "False", "ProgressDeadlineExceeded");
        let good = json!([available, progressed]);
        let of = |number: [i64; 4]| counts(number, good.clone());
        check(
            "apps/v1",
            "Deployment",
            &[
                (json!({}), InProgress, "0 of 1 replicas created"),
                (of([1, 0, 0, 0]), InProgress, "1 of 2 replicas created"),
                (of([2, 1, 0, 0]), InProgress, "1 of 2 replicas updated"),
                (of([3, 2, 0, 0]), InProgress, "1 replicas still to end"),
                (of([2, 2, 1, 0]), InProgress, "1 of 2 updated replicas available"),
                (of([2, 2, 2, 1]), InProgress, "1 of 2 replicas ready"),
                (of([2, 2, 2, 2]), Current, "2 replicas available"),
                (
                    counts([2, 2, 2, 2], json!([available])),
                    InProgress,
                    "new replica set is not available yet",
                ),
                (counts([2, 2, 2, 2], json!([progressed])), InProgress, "not available yet"),
                (
                    counts([2, 2, 2, 2], json!([available, exceeded])),
                    Failed,
                    "no progress within the deadline: so",
                ),
            ],
        );
    }

    #[test]
    fn a_deployment_without_deadline_needs_no_progress() {
        let available = condition("Available", "True", "");
        let status = json!({"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1,
            "conditions": [available]});
        for spec in [json!({}), json!({"progressDeadlineSeconds": 2_147_483_647})] {
            let rest = json!({"spec": spec, "status": status});
            check("apps/v1", "Deployment", &[(rest, Current, "1 replicas available")]);
        }
    }

    #[test]
    fn a_replica_set_step_by_step() {
        // created, labelled, available, ready of two wanted
        let of = |counts: [i64; 4]| {
            let [created, labelled, available, ready] = counts;
            json!({"spec": {"replicas": 2}, "status": {"replicas": created, "fullyLabeledReplicas": labelled,
                "availableReplicas": available, "readyReplicas": ready}})
        };
        let failure =
            json!({"status": {"conditions": [condition("ReplicaFailure", "True", "FailedCreate")]}});
        check(
            "apps/v1",
            "ReplicaSet",
            &[
                (failure, InProgress, "cannot create replicas: so"),
                (of([2, 1, 0, 0]), InProgress, "1 of 2 replicas labelled"),
                (of([2, 2, 1, 0]), InProgress, "1 of 2 replicas available"),
                (of([2, 2, 2, 1]), InProgress, "1 of 2 replicas ready"),
                (of([4, 2, 2, 2]), InProgress, "2 replicas still to end"),
                (of([2, 2, 2, 2]), Current, "2 replicas available"),
            ],
        );
    }

    #[test]
    fn a_daemon_set_step_by_step() {
        // scheduled, updated, available, ready of two wanted
        let of = |counts: [i64; 4]| {
            let [scheduled, updated, available, ready] = counts;
            json!({"metadata": {"generation": 1}, "status": {"observedGeneration": 1,
                "desiredNumberScheduled": 2, "currentNumberScheduled": scheduled,
                "updatedNumberScheduled": updated, "numberAvailable": available, "numberReady": ready}})
        };
        let odd = json!({"metadata": {"generation": 1}, "status": {"observedGeneration": null}});
        let nowhere = json!({"metadata": {"generation": 1}, "status": {"observedGeneration": 1}});
        check(
            "apps/v1",
            "DaemonSet",
            &[
                (json!({}), InProgress, "metadata.generation is not set yet"),
                (
                    json!({"metadata": {"generation": 1}}),
                    InProgress,
                    "status.observedGeneration is not set yet",
                ),
                (odd, Unknown, "status.observedGeneration is not a whole number"),
                (nowhere, InProgress, "number of nodes is not known yet"),
                (of([1, 0, 0, 0]), InProgress, "1 of 2 pods scheduled"),
                (of([2, 1, 0, 0]), InProgress, "1 of 2 pods updated"),
                (of([2, 2, 1, 0]), InProgress, "1 of 2 pods available"),
                (of([2, 2, 2, 1]), InProgress, "1 of 2 pods ready"),
                (of([2, 2, 2, 2]), Current, "2 pods available"),
            ],
        );
    }

    #[test]
    fn a_stateful_set_step_by_step() {
        let of = |strategy: Value, status: Value| json!({"spec": {"replicas": 3, "updateStrategy": strategy}, "status": status});
        let plain = |status: Value| of(json!({"type": "RollingUpdate"}), status);
        let parted = |updated: i64| {
            let status = json!({"replicas": 3, "readyReplicas": 3, "updatedReplicas": updated});
            of(json!({"rollingUpdate": {"partition": 1}}), status)
        };
        let revisions = |current: &str, update: &str| {
            plain(json!({"replicas": 3, "readyReplicas": 3, "currentReplicas": 3,
                "currentRevision": current, "updateRevision": update}))
        };
        check(
            "apps/v1",
            "StatefulSet",
            &[
                (
                    of(json!({"type": "OnDelete"}), json!({})),
                    Current,
                    "updated by hand: strategy is OnDelete",
                ),
                (plain(json!({})), InProgress, "0 of 3 replicas created"),
                (plain(json!({"replicas": 3})), InProgress, "0 of 3 replicas ready"),
                (plain(json!({"replicas": 4, "readyReplicas": 3})), InProgress, "1 replicas still to end"),
                (parted(1), InProgress, "1 of 2 replicas above the partition updated"),
                (parted(2), Current, "2 replicas above the partition updated"),
                (
                    plain(json!({"replicas": 3, "readyReplicas": 3, "currentReplicas": 2})),
                    InProgress,
                    "2 of 3 replicas of the current revision",
                ),
                (revisions("a", "b"), InProgress, "update revision is not the current one yet"),
                (revisions("a", "a"), Current, "3 replicas ready"),
            ],
        );
    }
}
