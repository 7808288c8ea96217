//! Autoscalers, API services, Ingresses and Argo's Workflows.

use serde_json::Value;

use super::fields::{Condition, Fields, parsed, wrong};
use super::{Answer, Health, Status};

/// Where version 1 of the autoscaler keeps its conditions.
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// Types and reasons that are failures, whatever the condition's status is.
const FAILURES: &[(&str, &str)] = &[
    ("AbleToScale", "FailedGetScale"),
    ("AbleToScale", "FailedUpdateScale"),
    ("ScalingActive", "FailedGetResourceMetric"),
    ("ScalingActive", "InvalidSelector"),
];

pub(super) fn autoscaler(fields: &Fields<'_>) -> Answer {
    Ok(by_conditions(&fields.conditions()?))
}

/// As [`autoscaler`], from an annotation.
pub(super) fn autoscaler_v1(fields: &Fields<'_>) -> Answer {
    let Some(text) = fields.annotation(CONDITIONS) else { return Ok(by_conditions(&[])) };
    let list: Value = serde_json::from_str(text).map_err(|_| wrong(CONDITIONS, "JSON"))?;
    let conditions =
        parsed(&list, CONDITIONS)?.iter().map(Fields::condition).collect::<Result<Vec<_>, _>>()?;
    Ok(by_conditions(&conditions))
}

/// The first condition decides that says anything.
fn by_conditions(conditions: &[Condition<'_>]) -> Health {
    for condition in conditions {
        if FAILURES.contains(&(condition.kind, condition.reason)) {
            return Health::new(Status::Degraded, condition.message);
        }
        if matches!(condition.kind, "AbleToScale" | "ScalingLimited") && condition.status == "True" {
            return Health::new(Status::Healthy, condition.message);
        }
    }
    Health::new(Status::Progressing, "has not scaled yet")
}

/// Never degraded.
pub(super) fn api_service(fields: &Fields<'_>) -> Answer {
    let available = fields.conditions()?.into_iter().find(|condition| condition.kind == "Available");
    Ok(match available {
        None => Health::new(Status::Progressing, "not processed yet"),
        Some(condition) => {
            let status = if condition.status == "True" { Status::Healthy } else { Status::Progressing };
            Health::new(status, format!("{}: {}", condition.reason, condition.message))
        }
    })
}

/// Any entry is enough, even one without address.
pub(super) fn ingress(fields: &Fields<'_>) -> Health {
    let entries = fields.raw("/status/loadBalancer/ingress").and_then(Value::as_array);
    let assigned = entries.is_some_and(|entries| !entries.is_empty());
    Health::new(if assigned { Status::Healthy } else { Status::Progressing }, "")
}

/// By its phase alone.
pub(super) fn workflow(fields: &Fields<'_>) -> Health {
    let text = |pointer| fields.raw(pointer).and_then(Value::as_str).unwrap_or_default();
    let status = match text("/status/phase") {
        "" | "Pending" | "Running" => Status::Progressing,
        "Succeeded" => Status::Healthy,
        "Failed" | "Error" => Status::Degraded,
        _ => Status::Unknown,
    };
    Health::new(status, text("/status/message"))
}

#[cfg(test)]
mod tests {
    use super::super::Status::{Degraded, Healthy, Progressing, Unknown};
    use super::super::tests::check;
    use super::*;
    use serde_json::json;

    fn condition(kind: &str, status: &str, reason: &str) -> Value {
        json!({"type": kind, "status": status, "reason": reason, "message": "m"})
    }

    #[test]
    fn the_first_condition_that_says_anything_decides_an_autoscaler() {
        let good = condition("AbleToScale", "True", "Succeeded");
        let bad = condition("ScalingActive", "False", "FailedGetResourceMetric");
        let dull = condition("ScalingActive", "True", "Valid");
        let lists = [
            (json!([]), Progressing, "has not scaled yet"),
            (json!([dull]), Progressing, "has not scaled yet"),
            (json!([dull, good, bad]), Healthy, "m"),
            (json!([bad, good]), Degraded, "m"),
            (json!([condition("AbleToScale", "True", "FailedGetScale")]), Degraded, "m"),
            (json!([condition("ScalingLimited", "True", "TooFew")]), Healthy, "m"),
        ];
        for (list, status, message) in lists {
            for version in ["v2", "v2beta1", "v2beta2"] {
                let object = json!({"status": {"conditions": list}});
                check(
                    &format!("autoscaling/{version}"),
                    "HorizontalPodAutoscaler",
                    &[(object, status, message)],
                );
            }
            let object = json!({"metadata": {"annotations": {CONDITIONS: list.to_string()}}});
            check("autoscaling/v1", "HorizontalPodAutoscaler", &[(object, status, message)]);
        }
        let annotated = |text: &str| json!({"metadata": {"annotations": {CONDITIONS: text}}});
        let cases = [
            (json!({}), Progressing, "has not scaled yet"),
            (annotated("null"), Progressing, "has not scaled yet"),
            (annotated("["), Unknown, "autoscaling.alpha.kubernetes.io/conditions is not JSON"),
            (annotated("{}"), Unknown, "autoscaling.alpha.kubernetes.io/conditions is not a list in JSON"),
        ];
        check("autoscaling/v1", "HorizontalPodAutoscaler", &cases);
    }

    #[test]
    fn an_api_service() {
        let available =
            |status: &str| json!({"status": {"conditions": [condition("Available", status, "R")]}});
        let cases = [
            (json!({}), Progressing, "not processed yet"),
            (available("True"), Healthy, "R: m"),
            (available("False"), Progressing, "R: m"),
        ];
        check("apiregistration.k8s.io/v1", "APIService", &cases);
        check("apiregistration.k8s.io/v1beta1", "APIService", &cases);
    }

    #[test]
    fn an_ingress_waits_for_any_entry() {
        let entries = |entries: Value| json!({"status": {"loadBalancer": {"ingress": entries}}});
        let cases = [
            (json!({}), Progressing, ""),
            (entries(json!("odd")), Progressing, ""),
            (entries(json!([])), Progressing, ""),
            (entries(json!([{}])), Healthy, ""),
        ];
        check("networking.k8s.io/v1", "Ingress", &cases);
        check("extensions/v1beta1", "Ingress", &cases);
    }

    #[test]
    fn a_workflow_by_its_phase() {
        let phase = |phase: &str| json!({"status": {"phase": phase, "message": "m"}});
        let cases = [
            (json!({}), Progressing, ""),
            (phase("Running"), Progressing, "m"),
            (phase("Succeeded"), Healthy, "m"),
            (phase("Error"), Degraded, "m"),
            (phase("Odd"), Unknown, "m"),
        ];
        check("argoproj.io/v1alpha1", "Workflow", &cases);
    }
}
