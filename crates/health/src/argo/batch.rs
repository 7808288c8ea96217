//! Jobs.

use super::fields::Fields;
use super::{Answer, Health, Status};

/// Conditions count whatever their status is; only a suspension must be true. So a Job that was resumed reads
/// as healthy while it runs, as its condition `Suspended` stays.
pub(super) fn job(fields: &Fields<'_>) -> Answer {
    let (mut ended, mut suspended, mut failure, mut message) = (false, false, None, "");
    for condition in fields.conditions()? {
        match condition.kind {
            "Failed" => failure = Some(condition.message),
            "Complete" => (ended, message) = (true, condition.message),
            "Suspended" => {
                (ended, message) = (true, condition.message);
                suspended |= condition.status == "True";
            }
            _ => {}
        }
    }
    Ok(match failure {
        Some(why) => Health::new(Status::Degraded, why),
        None if suspended => Health::new(Status::Suspended, message),
        None if ended => Health::new(Status::Healthy, message),
        None => Health::new(Status::Progressing, message),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Status::{Degraded, Healthy, Progressing, Suspended};
    use super::super::tests::check;
    use serde_json::{Value, json};

    fn with(conditions: &[(&str, &str)]) -> Value {
        let entry = |(kind, status): &(&str, &str)| json!({"type": kind, "status": status, "message": kind.to_lowercase()});
        json!({"status": {"conditions": conditions.iter().map(entry).collect::<Vec<_>>()}})
    }

    #[test]
    fn a_job_by_its_conditions() {
        let cases = [
            (json!({}), Progressing, ""),
            (with(&[("FailureTarget", "True"), ("SuccessCriteriaMet", "True")]), Progressing, ""),
            (with(&[("Complete", "True")]), Healthy, "complete"),
            (with(&[("Failed", "False")]), Degraded, "failed"),
            (with(&[("Complete", "True"), ("Failed", "True")]), Degraded, "failed"),
            (with(&[("Suspended", "True")]), Suspended, "suspended"),
            (with(&[("Suspended", "False")]), Healthy, "suspended"),
        ];
        check("batch/v1", "Job", &cases);
    }
}
