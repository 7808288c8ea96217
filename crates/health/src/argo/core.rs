//! Pods, Services and PersistentVolumeClaims.

use super::fields::{Fields, Unreadable};
use super::{Answer, Health, Status};

/// A pod that always restarts is a server; one that ends is a task, which is healthy only when it has ended.
/// Errors of a waiting container are for servers alone: a task may be a hook, and must not fail before its end.
pub(super) fn pod(fields: &Fields<'_>) -> Answer {
    let restart = fields.text("spec.restartPolicy")?;
    let containers = fields.list("status.containerStatuses")?;
    if restart == "Always" {
        let mut errors = Vec::new();
        for container in &containers {
            if is_error(container.text("state.waiting.reason")?) {
                errors.push(container.text("state.waiting.message")?);
            }
        }
        if !errors.is_empty() {
            return Ok(Health::new(Status::Degraded, errors.join(", ")));
        }
    }
    let message = fields.text("status.message")?;
    let status = match (fields.text("status.phase")?, restart) {
        ("Succeeded", _) => Status::Healthy,
        ("Failed", _) if message.is_empty() => {
            let init = fields.list("status.initContainerStatuses")?;
            return Ok(Health::new(Status::Degraded, first_failure(init.iter().chain(&containers))?));
        }
        ("Failed", _) => Status::Degraded,
        ("Running", "Always") if is_ready(fields)? => Status::Healthy,
        ("Running", "Always") if has_ended_before(&containers)? => Status::Degraded,
        ("Pending", _) | ("Running", "Always" | "OnFailure" | "Never") => Status::Progressing,
        _ => Status::Unknown,
    };
    Ok(Health::new(status, message))
}

fn is_error(reason: &str) -> bool {
    reason.starts_with("Err") || reason.ends_with("Error") || reason.ends_with("BackOff")
}

fn is_ready(fields: &Fields<'_>) -> Result<bool, Unreadable> {
    let ready = fields.conditions()?.into_iter().find(|condition| condition.kind == "Ready");
    Ok(ready.is_some_and(|condition| condition.status == "True"))
}

fn has_ended_before(containers: &[Fields<'_>]) -> Result<bool, Unreadable> {
    for container in containers {
        if container.has("lastState.terminated")? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the first container says that ended badly.
fn first_failure<'a>(containers: impl Iterator<Item = &'a Fields<'a>>) -> Result<String, Unreadable> {
    for container in containers {
        let message = container.text("state.terminated.message")?;
        if !message.is_empty() {
            return Ok(message.into());
        }
        let reason = container.text("state.terminated.reason")?;
        if reason == "OOMKilled" {
            return Ok(reason.into());
        }
        let code = container.count("state.terminated.exitCode")?;
        if code != 0 {
            return Ok(format!("container {} ended with exit code {code}", container.text("name")?));
        }
    }
    Ok(String::new())
}

/// Only load balancers are waited for, and any entry is enough, even one without address.
pub(super) fn service(fields: &Fields<'_>) -> Answer {
    let waits =
        fields.text("spec.type")? == "LoadBalancer" && fields.list("status.loadBalancer.ingress")?.is_empty();
    Ok(Health::new(if waits { Status::Progressing } else { Status::Healthy }, ""))
}

/// By its phase alone.
pub(super) fn persistent_volume_claim(fields: &Fields<'_>) -> Answer {
    let status = match fields.text("status.phase")? {
        "Lost" => Status::Degraded,
        "Pending" => Status::Progressing,
        "Bound" => Status::Healthy,
        _ => Status::Unknown,
    };
    Ok(Health::new(status, ""))
}

#[cfg(test)]
mod tests {
    use super::super::Status::{Degraded, Healthy, Progressing, Unknown};
    use super::super::tests::check;
    use serde_json::{Value, json};

    fn running(restart: &str, status: &Value) -> Value {
        let mut object = json!({"spec": {"restartPolicy": restart}, "status": status});
        object["status"]["phase"] = json!("Running");
        object
    }

    #[test]
    fn a_waiting_container_fails_servers_only() {
        let waiting = |reason: &str| {
            json!({"containerStatuses": [
                {"state": {"waiting": {"reason": reason, "message": "one"}}},
                {"state": {"waiting": {"reason": "ContainerCreating", "message": "two"}}},
                {"state": {"waiting": {"reason": "ErrImagePull", "message": "three"}}}]})
        };
        let in_init =
            json!({"initContainerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]});
        let cases = [
            (running("Always", &waiting("CrashLoopBackOff")), Degraded, "one, three"),
            (running("Always", &waiting("CreateContainerConfigError")), Degraded, "one, three"),
            (running("Always", &waiting("PodInitializing")), Degraded, "three"),
            (running("Never", &waiting("CrashLoopBackOff")), Progressing, ""),
            // Init containers are not looked at.
            (running("Always", &in_init), Progressing, ""),
        ];
        check("v1", "Pod", &cases);
    }

    #[test]
    fn a_pod_by_its_phase() {
        let failed = |statuses: Value| {
            json!({"status": {"phase": "Failed", "initContainerStatuses": [{"state": {}}],
                "containerStatuses": statuses}})
        };
        let ready = json!({"conditions": [{"type": "Ready", "status": "True"}]});
        let restarted = json!({"containerStatuses": [{"lastState": {"terminated": {"exitCode": 0}}}]});
        let ended = |state: Value| failed(json!([{"name": "web", "state": {"terminated": state}}]));
        let cases = [
            (json!({}), Unknown, ""),
            (json!({"status": {"phase": "Pending", "message": "m"}}), Progressing, "m"),
            (json!({"status": {"phase": "Succeeded"}}), Healthy, ""),
            (json!({"status": {"phase": "Failed", "message": "evicted"}}), Degraded, "evicted"),
            (ended(json!({"message": "said", "exitCode": 1})), Degraded, "said"),
            (ended(json!({"reason": "OOMKilled", "exitCode": 137})), Degraded, "OOMKilled"),
            (ended(json!({"exitCode": 2})), Degraded, "container web ended with exit code 2"),
            (ended(json!({"exitCode": 0})), Degraded, ""),
            (running("Always", &ready), Healthy, ""),
            (running("Always", &restarted), Degraded, ""),
            (running("Always", &json!({})), Progressing, ""),
            (running("OnFailure", &json!({})), Progressing, ""),
            (running("", &json!({})), Unknown, ""),
        ];
        check("v1", "Pod", &cases);
    }

    #[test]
    fn a_service_waits_for_any_entry() {
        let balancer = |entries: Value| json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": entries}}});
        let cases = [
            (json!({}), Healthy, ""),
            (balancer(json!(null)), Progressing, ""),
            (balancer(json!([])), Progressing, ""),
            (balancer(json!([{}])), Healthy, ""),
        ];
        check("v1", "Service", &cases);
    }

    #[test]
    fn a_claim_by_its_phase() {
        let phase = |phase: &str| json!({"status": {"phase": phase}});
        let cases = [
            (phase("Lost"), Degraded, ""),
            (phase("Pending"), Progressing, ""),
            (phase("Bound"), Healthy, ""),
            (json!({}), Unknown, ""),
        ];
        check("v1", "PersistentVolumeClaim", &cases);
    }
}
