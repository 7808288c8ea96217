//! Deployments, StatefulSets, ReplicaSets and DaemonSets.

use super::fields::Fields;
use super::{Answer, Health, Status};

/// Only a missed deadline is a failure.
pub(super) fn deployment(fields: &Fields<'_>) -> Answer {
    if fields.flag("spec.paused")? {
        return Ok(Health::new(Status::Suspended, "paused"));
    }
    if let Some(behind) = not_observed(fields)? {
        return Ok(behind);
    }
    let progress = fields.conditions()?.into_iter().find(|condition| condition.kind == "Progressing");
    if progress.is_some_and(|condition| condition.reason == "ProgressDeadlineExceeded") {
        return Ok(Health::new(Status::Degraded, "exceeded its progress deadline"));
    }
    let replicas = fields.count("status.replicas")?;
    let updated = fields.count("status.updatedReplicas")?;
    let available = fields.count("status.availableReplicas")?;
    Ok(match fields.whole("spec.replicas")? {
        Some(wanted) if updated < wanted => progressing(format!("{updated} of {wanted} replicas updated")),
        _ if replicas > updated => progressing(format!("{} old replicas still there", replicas - updated)),
        _ if available < updated => progressing(format!("{available} of {updated} replicas available")),
        _ => Health::new(Status::Healthy, ""),
    })
}

/// Never degraded.
pub(super) fn stateful_set(fields: &Fields<'_>) -> Answer {
    if fields.count("status.observedGeneration")? == 0 {
        return Ok(progressing("no generation is observed yet"));
    }
    if let Some(behind) = not_observed(fields)? {
        return Ok(behind);
    }
    let wanted = fields.whole("spec.replicas")?;
    let ready = fields.count("status.readyReplicas")?;
    let updated = fields.count("status.updatedReplicas")?;
    if let Some(wanted) = wanted.filter(|wanted| ready < *wanted) {
        return Ok(progressing(format!("{ready} of {wanted} pods ready")));
    }
    let strategy = fields.text("spec.updateStrategy.type")?;
    if strategy == "RollingUpdate" && fields.has("spec.updateStrategy.rollingUpdate")? {
        let partition = fields.whole("spec.updateStrategy.rollingUpdate.partition")?;
        let wanted = wanted.zip(partition).map(|(wanted, partition)| wanted - partition);
        return Ok(match wanted {
            Some(wanted) if updated < wanted => {
                progressing(format!("{updated} of {wanted} pods of the partition updated"))
            }
            _ => Health::new(Status::Healthy, format!("{updated} pods of the partition updated")),
        });
    }
    if strategy == "OnDelete" {
        return Ok(Health::new(Status::Healthy, format!("{ready} pods ready")));
    }
    let current = fields.text("status.currentRevision")?;
    let next = fields.text("status.updateRevision")?;
    if next != current {
        return Ok(progressing(format!("{updated} pods at revision {next}")));
    }
    let pods = fields.count("status.currentReplicas")?;
    Ok(Health::new(Status::Healthy, format!("{pods} pods at revision {current}")))
}

/// Degraded where pods cannot be created.
pub(super) fn replica_set(fields: &Fields<'_>) -> Answer {
    if let Some(behind) = not_observed(fields)? {
        return Ok(behind);
    }
    let failure = fields.conditions()?.into_iter().find(|condition| condition.kind == "ReplicaFailure");
    if let Some(failure) = failure.filter(|condition| condition.status == "True") {
        return Ok(Health::new(Status::Degraded, failure.message));
    }
    let available = fields.count("status.availableReplicas")?;
    Ok(match fields.whole("spec.replicas")? {
        Some(wanted) if available < wanted => {
            progressing(format!("{available} of {wanted} replicas available"))
        }
        _ => Health::new(Status::Healthy, ""),
    })
}

/// Never degraded.
pub(super) fn daemon_set(fields: &Fields<'_>) -> Answer {
    if let Some(behind) = not_observed(fields)? {
        return Ok(behind);
    }
    let wanted = fields.count("status.desiredNumberScheduled")?;
    let updated = fields.count("status.updatedNumberScheduled")?;
    let available = fields.count("status.numberAvailable")?;
    let updated_of = format!("{updated} of {wanted} pods updated");
    if fields.text("spec.updateStrategy.type")? == "OnDelete" {
        return Ok(Health::new(Status::Healthy, updated_of));
    }
    if updated < wanted {
        return Ok(progressing(updated_of));
    }
    if available < wanted {
        return Ok(progressing(format!("{available} of {wanted} pods available")));
    }
    Ok(Health::new(Status::Healthy, ""))
}

/// What to say while the controller has not seen the latest change.
fn not_observed(fields: &Fields<'_>) -> Result<Option<Health>, super::Unreadable> {
    let generation = fields.count("metadata.generation")?;
    let observed = fields.count("status.observedGeneration")?;
    let message =
        || format!("generation {generation} is not observed yet, the latest observed is {observed}");
    Ok((generation > observed).then(|| progressing(message())))
}

fn progressing(message: impl Into<String>) -> Health {
    Health::new(Status::Progressing, message)
}

#[cfg(test)]
mod tests {
    use super::super::Status::{Degraded, Healthy, Progressing, Suspended, Unknown};
    use super::super::tests::check;
    use serde_json::json;

    #[test]
    fn a_deployment() {
        let cases = [
            (json!({}), Healthy, ""),
            (json!({"spec": {"paused": true}, "metadata": {"generation": 9}}), Suspended, "paused"),
            (
                json!({"metadata": {"generation": 2}, "status": {"observedGeneration": 1}}),
                Progressing,
                "generation 2 is not observed yet, the latest observed is 1",
            ),
            (
                // Whatever the condition's own status is.
                json!({"status": {"conditions": [
                    {"type": "Progressing", "status": "Unknown", "reason": "ProgressDeadlineExceeded"}]}}),
                Degraded,
                "exceeded its progress deadline",
            ),
            (
                json!({"spec": {"replicas": 3}, "status": {"updatedReplicas": 1}}),
                Progressing,
                "1 of 3 replicas updated",
            ),
            (
                json!({"status": {"replicas": 4, "updatedReplicas": 3}}),
                Progressing,
                "1 old replicas still there",
            ),
            (
                json!({"status": {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 2}}),
                Progressing,
                "2 of 3 replicas available",
            ),
            (json!({"spec": {"replicas": "3"}}), Unknown, "spec.replicas is not a whole number"),
        ];
        check("apps/v1", "Deployment", &cases);
    }

    #[test]
    fn a_stateful_set() {
        let partitioned = |updated: u32| {
            json!({"spec": {"replicas": 3, "updateStrategy": {"type": "RollingUpdate",
                    "rollingUpdate": {"partition": 1}}},
                "status": {"observedGeneration": 1, "readyReplicas": 3, "updatedReplicas": updated}})
        };
        let cases = [
            (json!({}), Progressing, "no generation is observed yet"),
            (
                json!({"spec": {"replicas": 3}, "status": {"observedGeneration": 1, "readyReplicas": 2}}),
                Progressing,
                "2 of 3 pods ready",
            ),
            (partitioned(1), Progressing, "1 of 2 pods of the partition updated"),
            (partitioned(2), Healthy, "2 pods of the partition updated"),
            (
                json!({"spec": {"updateStrategy": {"type": "OnDelete"}}, "status": {"observedGeneration": 1,
                    "updateRevision": "b"}}),
                Healthy,
                "0 pods ready",
            ),
            (
                json!({"status": {"observedGeneration": 1, "currentRevision": "a", "updateRevision": "b",
                    "updatedReplicas": 1}}),
                Progressing,
                "1 pods at revision b",
            ),
            (
                json!({"status": {"observedGeneration": 1, "currentRevision": "a", "updateRevision": "a",
                    "currentReplicas": 2}}),
                Healthy,
                "2 pods at revision a",
            ),
        ];
        check("apps/v1", "StatefulSet", &cases);
    }

    #[test]
    fn a_replica_set() {
        let failing = |status: &str| {
            json!({"status": {"conditions": [
                {"type": "ReplicaFailure", "status": status, "message": "quota"}]}})
        };
        let cases = [
            (json!({}), Healthy, ""),
            (failing("True"), Degraded, "quota"),
            (failing("False"), Healthy, ""),
            (json!({"spec": {"replicas": 2}}), Progressing, "0 of 2 replicas available"),
        ];
        check("apps/v1", "ReplicaSet", &cases);
    }

    #[test]
    fn a_daemon_set() {
        let status = |updated: u32, available: u32| {
            json!({"status": {"desiredNumberScheduled": 3, "updatedNumberScheduled": updated,
                "numberAvailable": available}})
        };
        let mut on_delete = status(1, 0);
        on_delete["spec"] = json!({"updateStrategy": {"type": "OnDelete"}});
        let cases = [
            (status(2, 0), Progressing, "2 of 3 pods updated"),
            (status(3, 1), Progressing, "1 of 3 pods available"),
            (status(3, 3), Healthy, ""),
            (on_delete, Healthy, "1 of 3 pods updated"),
        ];
        check("apps/v1", "DaemonSet", &cases);
    }
}
