//! Reading an object as kstatus does: most fields leniently, a few strictly.
//!
//! Lenient: a field that is missing, null or of another type has its default. Strict: null or another type is
//! [`Malformed`], because guessing there would call a broken object healthy.

use serde_json::{Map, Value};
use towpath_object::Object;

/// A field that is not what its kind allows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is not {expected}")]
pub(super) struct Malformed {
    /// The field's path.
    pub(super) field: String,
    /// What it has to be.
    pub(super) expected: &'static str,
}

/// One entry of `status.conditions`; what is missing is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Condition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

impl Condition<'_> {
    /// Whether it is of that type and has that status.
    pub(super) fn is(&self, kind: &str, status: &str) -> bool {
        self.kind == kind && self.status == status
    }
}

impl<'a> Condition<'a> {
    /// What it says to people: its message, or the reason where it has none.
    pub(super) fn says(&self) -> &'a str {
        if self.message.is_empty() { self.reason } else { self.message }
    }
}

/// The fields of one object.
pub(super) struct Fields<'a>(&'a Value);

impl<'a> Fields<'a> {
    /// The fields of `object`.
    pub(super) fn of(object: &'a Object) -> Self {
        Self(object.value())
    }

    /// A text, read leniently.
    pub(super) fn text(&self, path: &str, default: &'a str) -> &'a str {
        self.lenient(path).and_then(Value::as_str).unwrap_or(default)
    }

    /// A whole number, read leniently.
    pub(super) fn number(&self, path: &str, default: i64) -> i64 {
        self.lenient(path).and_then(Value::as_i64).unwrap_or(default)
    }

    /// A text, read strictly.
    pub(super) fn strict_text(&self, path: &str) -> Result<Option<&'a str>, Malformed> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| malformed(path, "a string"));
        self.strict(path)?.map(read).transpose()
    }

    /// A whole number, read strictly.
    pub(super) fn strict_number(&self, path: &str) -> Result<Option<i64>, Malformed> {
        let read = |value: &'a Value| value.as_i64().ok_or_else(|| malformed(path, "a whole number"));
        self.strict(path)?.map(read).transpose()
    }

    /// A list, read strictly.
    pub(super) fn strict_list(&self, path: &str) -> Result<Option<&'a [Value]>, Malformed> {
        let read = |value: &'a Value| {
            let items = value.as_array().map(Vec::as_slice);
            items.ok_or_else(|| malformed(path, "a list"))
        };
        self.strict(path)?.map(read).transpose()
    }

    /// The conditions in their order. Null stands for nothing at every depth; another type is an error.
    pub(super) fn conditions(&self) -> Result<Vec<Condition<'a>>, Malformed> {
        let status = match self.0.get("status") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Object(status)) => status,
            Some(_) => return Err(malformed("status", "a mapping")),
        };
        match status.get("conditions") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(condition).collect(),
            Some(_) => Err(malformed("status.conditions", "a list")),
        }
    }

    fn lenient(&self, path: &str) -> Option<&'a Value> {
        path.split('.').try_fold(self.0, |value, name| value.get(name))
    }

    fn strict(&self, path: &str) -> Result<Option<&'a Value>, Malformed> {
        let mut value = self.0;
        for name in path.split('.') {
            match value {
                Value::Null => return Ok(None),
                Value::Object(map) => match map.get(name) {
                    None => return Ok(None),
                    Some(next) => value = next,
                },
                _ => return Err(malformed(path, "in a mapping")),
            }
        }
        Ok(Some(value))
    }
}

fn condition(value: &Value) -> Result<Condition<'_>, Malformed> {
    match value {
        Value::Null => Ok(Condition::default()),
        Value::Object(entry) => Ok(Condition {
            kind: entry_text(entry, "type")?,
            status: entry_text(entry, "status")?,
            reason: entry_text(entry, "reason")?,
            message: entry_text(entry, "message")?,
        }),
        _ => Err(malformed("an entry of status.conditions", "a mapping")),
    }
}

fn entry_text<'a>(entry: &'a Map<String, Value>, name: &str) -> Result<&'a str, Malformed> {
    match entry.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(malformed(&format!("status.conditions[].{name}"), "a string")),
    }
}

/// `field` is not `expected`.
pub(super) fn malformed(field: &str, expected: &'static str) -> Malformed {
    Malformed { field: field.into(), expected }
}

#[cfg(test)]
mod tests {
    use super::super::tests::object;
    use super::*;
    use serde_json::json;

    #[test]
    fn lenient_and_strict_differ_on_null_and_on_types() {
        for odd in [json!(null), json!("1"), json!(1.5), json!([1])] {
            let object = object("v1", "Pod", &json!({"spec": {"replicas": odd}}));
            let fields = Fields::of(&object);
            assert_eq!(fields.number("spec.replicas", 7), 7);
            assert!(fields.strict_number("spec.replicas").is_err());
        }
    }

    #[test]
    fn a_null_on_the_way_is_nothing_and_a_scalar_is_an_error() {
        let object = object("v1", "Pod", &json!({"spec": null, "status": "fine"}));
        let fields = Fields::of(&object);
        assert_eq!(fields.strict_number("spec.replicas"), Ok(None));
        assert!(fields.strict_number("status.observedGeneration").is_err());
        assert!(fields.conditions().is_err());
    }

    #[test]
    fn conditions_are_read_strictly() {
        let read = |conditions: Value| {
            let object = object("v1", "Pod", &json!({"status": {"conditions": conditions}}));
            Fields::of(&object).conditions().map(|all| all.len())
        };
        assert_eq!(read(json!(null)), Ok(0));
        assert_eq!(read(json!([null, {"type": null}])), Ok(2));
        for odd in [json!({}), json!(["x"]), json!([{"type": 1}]), json!([{"reason": []}])] {
            assert!(read(odd).is_err());
        }
    }
}
