//! The batch group: jobs.

use super::Verdict;
use super::fields::Fields;
use crate::Health;

/// A job is current from its start on, unless it fails: kstatus does not wait for its end.
pub(super) fn job(fields: &Fields<'_>) -> Verdict {
    let parallelism = fields.number("spec.parallelism", 1);
    let wanted = fields.number("spec.completions", parallelism);
    let succeeded = fields.number("status.succeeded", 0);
    let failed = fields.number("status.failed", 0);

    for condition in fields.conditions()? {
        if condition.is("Complete", "True") {
            return Ok(Health::current(format!("complete, {succeeded} of {wanted} succeeded")));
        }
        if condition.is("Failed", "True") {
            let why = match condition.message {
                "" => String::new(),
                message => format!(": {message}"),
            };
            return Ok(Health::failed(format!("{failed} failed, {wanted} wanted{why}")));
        }
    }
    if fields.text("status.startTime", "").is_empty() {
        return Ok(Health::in_progress("not started yet"));
    }
    let active = fields.number("status.active", 0);
    Ok(Health::current(format!("running: {active} active, {succeeded} succeeded, {failed} failed")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::Status::{Current, Failed, InProgress};
    use serde_json::json;

    #[test]
    fn a_job_from_start_to_end() {
        let ended = |kind: &str, status: &str| {
            json!({"spec": {"parallelism": 2}, "status": {"succeeded": 2, "failed": 1, "startTime": "now",
                "conditions": [{"type": kind, "status": status, "message": "so it is"}]}})
        };
        let running = "running: 0 active, 2 succeeded, 1 failed";
        check(
            "batch/v1",
            "Job",
            &[
                (json!({}), InProgress, "not started yet"),
                (
                    json!({"status": {"startTime": "now", "active": 1}}),
                    Current,
                    "running: 1 active, 0 succeeded, 0 failed",
                ),
                (ended("Complete", "True"), Current, "complete, 2 of 2 succeeded"),
                (ended("Complete", "False"), Current, running),
                (ended("Failed", "True"), Failed, "1 failed, 2 wanted: so it is"),
                (ended("Failed", "False"), Current, running),
                (ended("Suspended", "True"), Current, running),
            ],
        );
    }
}
