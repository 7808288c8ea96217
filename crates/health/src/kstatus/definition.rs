//! Custom resource definitions.

use super::Verdict;
use super::fields::Fields;
use crate::Health;

/// A definition is current when the server serves it, and failed when its names or its schema are refused.
pub(super) fn crd(fields: &Fields<'_>) -> Verdict {
    for condition in fields.conditions()? {
        if condition.is("NamesAccepted", "False") {
            return Ok(Health::failed(condition.says()));
        }
        if condition.is("Established", "False") && condition.reason != "Installing" {
            return Ok(Health::failed(condition.says()));
        }
        if condition.is("Established", "True") {
            return Ok(Health::current("established"));
        }
    }
    Ok(Health::in_progress("not established yet"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::Status::{Current, Failed, InProgress};
    use serde_json::{Value, json};

    #[test]
    fn a_definition_until_it_is_established() {
        let with = |entries: &[(&str, &str, &str)]| -> Value {
            let list: Vec<_> = entries
                .iter()
                .map(|(kind, status, reason)| {
                    json!({"type": kind, "status": status, "reason": reason, "message": format!("{reason}!")})
                })
                .collect();
            json!({"status": {"conditions": list}})
        };
        check(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            &[
                (json!({}), InProgress, "not established yet"),
                (with(&[("NamesAccepted", "False", "Conflict")]), Failed, "Conflict!"),
                (
                    with(&[("NamesAccepted", "True", "Ok"), ("Established", "True", "Ok")]),
                    Current,
                    "established",
                ),
                (with(&[("Established", "False", "Installing")]), InProgress, "not established yet"),
                (with(&[("Established", "False", "NotAccepted")]), Failed, "NotAccepted!"),
                (with(&[("Established", "Unknown", "Ok")]), InProgress, "not established yet"),
            ],
        );
    }
}
