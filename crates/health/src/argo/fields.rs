//! Reading an object as Go does when it fills a typed structure: what is missing or null is the type's zero,
//! another type is an error.

use serde_json::Value;
use towpath_object::{Gvk, Object};

/// Why a built-in rule cannot judge an object.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("there is no rule for {0}")]
    Version(Gvk),
    #[error("{field} is not {expected}")]
    Field { field: String, expected: &'static str },
}

/// The fields of one object, or of one entry of a list in it.
pub(super) struct Fields<'a>(&'a Value);

/// One entry of `status.conditions`; what is missing is empty.
pub(super) struct Condition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

impl<'a> Fields<'a> {
    /// The fields of `object`.
    pub(super) fn of(object: &'a Object) -> Self {
        Self(object.value())
    }

    /// A text; empty where there is none.
    pub(super) fn text(&self, path: &str) -> Result<&'a str, Unreadable> {
        match self.value(path)? {
            None => Ok(""),
            Some(value) => value.as_str().ok_or_else(|| wrong(path, "a string")),
        }
    }

    /// A whole number.
    pub(super) fn whole(&self, path: &str) -> Result<Option<i64>, Unreadable> {
        let read = |value: &Value| whole(value).ok_or_else(|| wrong(path, "a whole number"));
        self.value(path)?.map(read).transpose()
    }

    /// A whole number; zero where there is none.
    pub(super) fn count(&self, path: &str) -> Result<i64, Unreadable> {
        Ok(self.whole(path)?.unwrap_or_default())
    }

    /// A truth; false where there is none.
    pub(super) fn flag(&self, path: &str) -> Result<bool, Unreadable> {
        match self.value(path)? {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| wrong(path, "true or false")),
        }
    }

    /// Whether there is a mapping.
    pub(super) fn has(&self, path: &str) -> Result<bool, Unreadable> {
        match self.value(path)? {
            None => Ok(false),
            Some(value) if value.is_object() => Ok(true),
            Some(_) => Err(wrong(path, "a mapping")),
        }
    }

    /// The entries of a list.
    pub(super) fn list(&self, path: &str) -> Result<Vec<Fields<'a>>, Unreadable> {
        match self.value(path)? {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items.iter().map(Fields).collect()),
            Some(_) => Err(wrong(path, "a list")),
        }
    }

    /// The conditions in their order.
    pub(super) fn conditions(&self) -> Result<Vec<Condition<'a>>, Unreadable> {
        self.list("status.conditions")?.iter().map(Fields::condition).collect()
    }

    /// These fields as a condition.
    pub(super) fn condition(&self) -> Result<Condition<'a>, Unreadable> {
        Ok(Condition {
            kind: self.text("type")?,
            status: self.text("status")?,
            reason: self.text("reason")?,
            message: self.text("message")?,
        })
    }

    /// The annotation's value.
    pub(super) fn annotation(&self, name: &str) -> Option<&'a str> {
        self.0.get("metadata")?.get("annotations")?.get(name)?.as_str()
    }

    /// Whatever is there, without any check.
    pub(super) fn raw(&self, pointer: &str) -> Option<&'a Value> {
        self.0.pointer(pointer)
    }

    fn value(&self, path: &str) -> Result<Option<&'a Value>, Unreadable> {
        let mut value = self.0;
        for name in path.split('.') {
            match value {
                Value::Null => return Ok(None),
                Value::Object(map) => match map.get(name) {
                    None => return Ok(None),
                    Some(next) => value = next,
                },
                _ => return Err(wrong(path, "in a mapping")),
            }
        }
        Ok(Some(value).filter(|value| !value.is_null()))
    }
}

/// The entries of a JSON list that stands in a text.
pub(super) fn parsed<'a>(list: &'a Value, field: &str) -> Result<Vec<Fields<'a>>, Unreadable> {
    match list {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => Ok(items.iter().map(Fields).collect()),
        _ => Err(wrong(field, "a list in JSON")),
    }
}

/// `field` is not `expected`.
pub(super) fn wrong(field: &str, expected: &'static str) -> Unreadable {
    Unreadable::Field { field: field.into(), expected }
}

/// `3`, and `3.0` too.
fn whole(value: &Value) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    let from_float = |number: f64| (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(from_float))
}

#[cfg(test)]
mod tests {
    use super::super::tests::object;
    use super::*;
    use serde_json::json;

    #[test]
    fn null_is_zero_and_another_type_is_an_error() {
        let object = object("v1", "Pod", &json!({"spec": null, "status": {"a": null, "b": "x", "c": 3.0}}));
        let fields = Fields::of(&object);
        assert_eq!(fields.whole("spec.replicas"), Ok(None));
        assert_eq!(fields.text("status.a"), Ok(""));
        assert_eq!(fields.whole("status.c"), Ok(Some(3)));
        assert_eq!(fields.flag("status.b"), Err(wrong("status.b", "true or false")));
        assert!(fields.list("status.b").is_err());
        assert!(fields.text("status.b.c").is_err());
    }
}
