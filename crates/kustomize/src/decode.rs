//! Values to records, with the rules and words of Go's JSON decoder.
//!
//! In: a JSON value. Out: a record, or what Go would say of the first thing that does not fit. Field names are
//! matched exactly first and without regard to case second. `null` leaves a field as it is. An unknown field
//! is an error where the caller asks for that.

use std::collections::BTreeMap;

use serde_json::Value;

/// Whether unknown fields are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They are.
    Refused,
    /// They are skipped.
    Ignored,
}

/// Something that a value can be read into.
pub trait Decode {
    /// What Go calls the type.
    fn go_type() -> String;

    /// Reads the value; what does not fit is noted and left as it was.
    fn fill(&mut self, value: &Value, at: &mut Place);
}

/// A record with named fields.
pub trait Record: Decode + Default {
    /// Reads one field. `path` holds the names of the embedded records so far. Answers whether there is such a
    /// field.
    fn field(&mut self, name: &Name, value: &Value, at: &mut Place) -> bool;
}

/// The name of a field as it is looked for.
pub struct Name<'a> {
    text: &'a str,
    exact: bool,
}

impl Name<'_> {
    /// Whether a field of this name is meant.
    pub fn is(&self, field: &str) -> bool {
        if self.exact { self.text == field } else { self.text.eq_ignore_ascii_case(field) }
    }
}

/// Where the decoder is, and the first thing that was wrong.
pub struct Place {
    unknown: Unknown,
    record: &'static str,
    path: Vec<String>,
    error: Option<String>,
}

impl Place {
    fn note(&mut self, error: String) {
        self.error.get_or_insert(error);
    }

    /// Notes that a value has the wrong type.
    pub fn mismatch(&mut self, found: &str, wanted: &str) {
        let error = if self.path.is_empty() {
            format!("json: cannot unmarshal {found} into Go value of type {wanted}")
        } else {
            let path = self.path.join(".");
            let record = self.record;
            format!("json: cannot unmarshal {found} into Go struct field {record}.{path} of type {wanted}")
        };
        self.note(error);
    }

    /// Goes into a field of a record.
    pub fn enter<T: Decode>(&mut self, field: &'static str, target: &mut T, value: &Value) {
        self.path.push(field.to_owned());
        target.fill(value, self);
        self.path.pop();
    }

    /// Looks for a field in an embedded record, whose name is part of the path.
    pub fn embedded<T: Record>(
        &mut self,
        go_name: &'static str,
        target: &mut T,
        name: &Name,
        value: &Value,
    ) -> bool {
        self.path.push(go_name.to_owned());
        let found = target.field(name, value, self);
        self.path.pop();
        found
    }

    /// Reads all fields of an object into a record.
    pub fn record<T: Record>(&mut self, go_name: &'static str, target: &mut T, value: &Value) {
        let fields = match value {
            Value::Null => return,
            Value::Object(fields) => fields,
            other => return self.mismatch(kind(other), &T::go_type()),
        };
        let outer = std::mem::replace(&mut self.record, go_name);
        for key in sorted(fields.keys()) {
            let Some(value) = fields.get(key) else { continue };
            let found = target.field(&Name { text: key, exact: true }, value, self)
                || target.field(&Name { text: key, exact: false }, value, self);
            if !found && self.unknown == Unknown::Refused {
                self.note(format!("json: unknown field {key:?}"));
            }
        }
        self.record = outer;
    }
}

fn sorted<'a>(keys: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut keys: Vec<_> = keys.collect();
    keys.sort_unstable();
    keys
}

/// What JSON calls a value.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Reads a value into a record.
pub fn decode<T: Decode + Default>(value: &Value, unknown: Unknown) -> Result<T, String> {
    let mut target = T::default();
    let mut place = Place { unknown, record: "", path: Vec::new(), error: None };
    target.fill(value, &mut place);
    match place.error {
        Some(error) => Err(error),
        None => Ok(target),
    }
}

impl Decode for String {
    fn go_type() -> String {
        "string".to_owned()
    }

    fn fill(&mut self, value: &Value, at: &mut Place) {
        match value {
            Value::Null => {}
            Value::String(text) => self.clone_from(text),
            other => at.mismatch(kind(other), "string"),
        }
    }
}

impl Decode for bool {
    fn go_type() -> String {
        "bool".to_owned()
    }

    fn fill(&mut self, value: &Value, at: &mut Place) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => *self = *flag,
            other => at.mismatch(kind(other), "bool"),
        }
    }
}

/// Go's `int64` is `i64`, its `int` is `isize`.
macro_rules! whole_number {
    ($type:ty, $go:literal) => {
        impl Decode for $type {
            fn go_type() -> String {
                $go.to_owned()
            }

            fn fill(&mut self, value: &Value, at: &mut Place) {
                match value {
                    Value::Null => {}
                    Value::Number(number) => match number.as_i64().and_then(|whole| whole.try_into().ok()) {
                        Some(whole) => *self = whole,
                        None => at.mismatch(&format!("number {number}"), $go),
                    },
                    other => at.mismatch(kind(other), $go),
                }
            }
        }
    };
}

whole_number!(i64, "int64");
whole_number!(isize, "int");

impl<T: Decode + Default> Decode for Vec<T> {
    fn go_type() -> String {
        format!("[]{}", T::go_type())
    }

    fn fill(&mut self, value: &Value, at: &mut Place) {
        match value {
            Value::Null => self.clear(),
            Value::Array(items) => {
                self.clear();
                for item in items {
                    let mut one = T::default();
                    one.fill(item, at);
                    self.push(one);
                }
            }
            other => at.mismatch(kind(other), &Self::go_type()),
        }
    }
}

/// A pointer: absent and null are the same.
impl<T: Decode + Default> Decode for Option<T> {
    fn go_type() -> String {
        T::go_type()
    }

    fn fill(&mut self, value: &Value, at: &mut Place) {
        match value {
            Value::Null => *self = None,
            other => self.get_or_insert_default().fill(other, at),
        }
    }
}

impl<T: Decode + Default> Decode for BTreeMap<String, T> {
    fn go_type() -> String {
        format!("map[string]{}", T::go_type())
    }

    fn fill(&mut self, value: &Value, at: &mut Place) {
        match value {
            Value::Null => {}
            Value::Object(fields) => {
                for key in sorted(fields.keys()) {
                    let mut one = T::default();
                    if let Some(value) = fields.get(key) {
                        one.fill(value, at);
                    }
                    self.insert(key.clone(), one);
                }
            }
            other => at.mismatch(kind(other), &Self::go_type()),
        }
    }
}

impl Decode for Value {
    fn go_type() -> String {
        "interface {}".to_owned()
    }

    fn fill(&mut self, value: &Value, _: &mut Place) {
        *self = value.clone();
    }
}

/// Defines a record: its fields with their names, and the records embedded in it with their names in Go.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $name:ident = $go:literal {
            $( $(#[$field_doc:meta])* $field:ident: $type:ty = $json:literal, )*
            $( @ $(#[$inner_doc:meta])* $inner:ident: $inner_type:ty = $inner_go:literal, )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$field_doc])* pub $field: $type, )*
            $( $(#[$inner_doc])* pub $inner: $inner_type, )*
        }

        impl $crate::decode::Decode for $name {
            fn go_type() -> String {
                concat!("types.", $go).to_owned()
            }

            fn fill(&mut self, value: &serde_json::Value, at: &mut $crate::decode::Place) {
                at.record($go, self, value);
            }
        }

        impl $crate::decode::Record for $name {
            fn field(
                &mut self,
                name: &$crate::decode::Name,
                value: &serde_json::Value,
                at: &mut $crate::decode::Place,
            ) -> bool {
                $( if name.is($json) {
                    at.enter($json, &mut self.$field, value);
                    return true;
                } )*
                $( if at.embedded($inner_go, &mut self.$inner, name, value) {
                    return true;
                } )*
                false
            }
        }
    };
}
pub(crate) use record;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    record! {
        /// A record in a record.
        Inner = "Inner" {
            name: String = "name",
        }
    }

    record! {
        /// A record.
        Outer = "Outer" {
            list: Vec<String> = "list",
            count: i64 = "count",
            inners: Vec<Inner> = "inners",
            @ inner: Inner = "Inner",
        }
    }

    fn refused(value: &Value) -> String {
        decode::<Outer>(value, Unknown::Refused).unwrap_err()
    }

    #[test]
    fn names_are_found_without_regard_to_case() {
        let outer: Outer =
            decode(&json!({"List": ["a"], "NAME": "x", "count": null}), Unknown::Refused).unwrap();
        assert_eq!(outer.list, ["a"]);
        assert_eq!(outer.inner.name, "x");
    }

    #[test]
    fn errors_are_in_the_words_of_go() {
        assert_eq!(
            refused(&json!({"list": "a"})),
            "json: cannot unmarshal string into Go struct field Outer.list of type []string"
        );
        assert_eq!(
            refused(&json!({"inners": [{"name": 1}]})),
            "json: cannot unmarshal number into Go struct field Inner.inners.name of type string"
        );
        assert_eq!(
            refused(&json!({"name": 1})),
            "json: cannot unmarshal number into Go struct field Outer.Inner.name of type string"
        );
        assert_eq!(
            refused(&json!({"count": 1.5})),
            "json: cannot unmarshal number 1.5 into Go struct field Outer.count of type int64"
        );
        assert_eq!(refused(&json!({"z": 1, "b": 2})), r#"json: unknown field "b""#);
        assert_eq!(refused(&json!([])), "json: cannot unmarshal array into Go value of type types.Outer");
    }
}
