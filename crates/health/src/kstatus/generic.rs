//! What holds for every kind: deletion, generations, and the conditions that controllers share.

use super::Verdict;
use super::fields::{Fields, Malformed};
use crate::{Health, Status};

/// What decides before the kind is looked at; `None` where nothing does.
pub(super) fn before_the_kind(fields: &Fields<'_>) -> Result<Option<Health>, Malformed> {
    let deletion = fields.strict_text("metadata.deletionTimestamp")?;
    if deletion.is_some_and(|time| !time.is_empty()) {
        return Ok(Some(Health::new(Status::Terminating, "being deleted")));
    }
    if let Some(health) = stale(fields)? {
        return Ok(Some(health));
    }
    let decisive = fields.conditions()?.into_iter().find_map(|condition| {
        if condition.is("Reconciling", "True") {
            Some(Health::in_progress(condition.says()))
        } else if condition.is("Stalled", "True") {
            Some(Health::failed(condition.says()))
        } else {
            None
        }
    });
    Ok(decisive)
}

/// An object whose controller has not seen its latest generation says nothing about it yet.
fn stale(fields: &Fields<'_>) -> Result<Option<Health>, Malformed> {
    let Some(generation) = fields.strict_number("metadata.generation")? else {
        return Ok(None);
    };
    let observed = fields.strict_number("status.observedGeneration")?;
    Ok(observed.filter(|seen| *seen != generation).map(|seen| {
        Health::in_progress(format!(
            "generation {generation} is not observed yet, the latest observed is {seen}"
        ))
    }))
}

/// The answer for kinds without a rule of their own: what their `Ready` condition says.
pub(super) fn after_the_kind(fields: &Fields<'_>) -> Verdict {
    let ready =
        fields.conditions()?.into_iter().find_map(|condition| match (condition.kind, condition.status) {
            ("Ready", "True") => Some(Health::current("ready")),
            ("Ready", "False" | "Unknown") => Some(Health::in_progress(condition.says())),
            _ => None,
        });
    Ok(ready.unwrap_or_else(|| Health::current("nothing to wait for")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::Status::{Current, Failed, InProgress, Terminating, Unknown};
    use serde_json::{Value, json};

    fn conditions(entries: &[(&str, &str)]) -> Value {
        let list: Vec<_> = entries
            .iter()
            .map(|(kind, status)| json!({"type": kind, "status": status, "message": format!("{kind} it is")}))
            .collect();
        json!({"status": {"conditions": list}})
    }

    #[test]
    fn shared_conditions_decide_in_their_order() {
        check(
            "example.com/v1",
            "Widget",
            &[
                (json!({}), Current, "nothing to wait for"),
                (conditions(&[("Ready", "True")]), Current, "ready"),
                (conditions(&[("Ready", "False")]), InProgress, "Ready it is"),
                (conditions(&[("Ready", "Unknown")]), InProgress, "Ready it is"),
                (conditions(&[("Ready", "maybe")]), Current, "nothing to wait for"),
                (conditions(&[("Ready", "maybe"), ("Ready", "False")]), InProgress, "Ready it is"),
                (conditions(&[("Ready", "True"), ("Reconciling", "True")]), InProgress, "Reconciling it is"),
                (conditions(&[("Ready", "True"), ("Stalled", "True")]), Failed, "Stalled it is"),
                (conditions(&[("Stalled", "True"), ("Reconciling", "True")]), Failed, "Stalled it is"),
                (
                    conditions(&[("Reconciling", "True"), ("Stalled", "True")]),
                    InProgress,
                    "Reconciling it is",
                ),
                (
                    conditions(&[("Reconciling", "False"), ("Stalled", "False")]),
                    Current,
                    "nothing to wait for",
                ),
            ],
        );
    }

    #[test]
    fn deletion_and_generations_come_first() {
        let behind = "generation 3 is not observed yet, the latest observed is 2";
        let ahead = "generation 3 is not observed yet, the latest observed is 4";
        let seen = |observed: i64| {
            json!({"metadata": {"generation": 3}, "status": {"observedGeneration": observed,
                "conditions": [{"type": "Stalled", "status": "True", "message": "no"}]}})
        };
        let deleting = json!({"metadata": {"generation": 3, "deletionTimestamp": "2026-01-01T00:00:00Z"},
            "status": {"observedGeneration": 2}});
        check(
            "example.com/v1",
            "Widget",
            &[
                (deleting, Terminating, "being deleted"),
                (seen(2), InProgress, behind),
                (seen(4), InProgress, ahead),
                (seen(3), Failed, "no"),
                (json!({"metadata": {"generation": 3}}), Current, "nothing to wait for"),
                (json!({"status": {"observedGeneration": 3}}), Current, "nothing to wait for"),
            ],
        );
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        check(
            "example.com/v1",
            "Widget",
            &[
                (
                    json!({"metadata": {"deletionTimestamp": 1}}),
                    Unknown,
                    "metadata.deletionTimestamp is not a string",
                ),
                (
                    json!({"metadata": {"generation": "1"}}),
                    Unknown,
                    "metadata.generation is not a whole number",
                ),
                (
                    json!({"metadata": {"generation": 1}, "status": {"observedGeneration": 1.5}}),
                    Unknown,
                    "status.observedGeneration is not a whole number",
                ),
                (json!({"status": {"conditions": {}}}), Unknown, "status.conditions is not a list"),
            ],
        );
    }
}
