//! Substitution in one object.
//!
//! In Flux's way an object becomes YAML, the YAML is the template, and the result is read again: a value can
//! become a number, a boolean, a list, or break the text. Typed substitution fills in each string and key on
//! its own, and a string stays a string unless the caller knows that another type is expected there.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::parse::Template;
use crate::variables::Variables;

/// The label or annotation by which an object opts out.
const SUBSTITUTE: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// What a variable stands for that has neither a value nor a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// An error: Flux's strict mode.
    Refused,
    /// Nothing.
    Empty,
}

/// How values come into an object.
#[derive(Clone, Copy)]
pub enum Mode<'e> {
    /// Through the object's text, as Flux does.
    Text,
    /// String by string. Says for the keys and indices that lead to a string what belongs there.
    Typed(&'e dyn Fn(&[Cow<'_, str>]) -> Expected),
}

/// What belongs at a place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A string, whatever it looks like.
    String,
    /// A number or a boolean, where the result reads as one.
    Scalar,
}

/// Substitutes in an object; `None` where nothing is to be done: it opted out, or has no template in it.
pub fn object(
    object: &Value,
    variables: &Variables,
    unset: Unset,
    mode: Mode<'_>,
) -> Result<Option<Value>, Error> {
    if opted_out(object) {
        return Ok(None);
    }
    variables.check()?;
    if !mentions_dollar(object) {
        return Ok(None);
    }
    let fill = |text: &[u8]| fill(text, variables, unset);
    match mode {
        Mode::Text => whole_text(object, fill).map(Some),
        Mode::Typed(expected) => Walk { fill, expected, path: Vec::new() }.value(object).map(Some),
    }
}

fn opted_out(object: &Value) -> bool {
    let metadata = object.get("metadata");
    let says_so = |map: &str| {
        let map = metadata.and_then(|metadata| metadata.get(map));
        map.and_then(|map| map.get(SUBSTITUTE)).and_then(Value::as_str) == Some("disabled")
    };
    says_so("labels") || says_so("annotations")
}

/// Every template has a `$`; without one the text would come back as it is.
fn mentions_dollar(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('$'),
        Value::Array(items) => items.iter().any(mentions_dollar),
        Value::Object(map) => map.iter().any(|(key, value)| key.contains('$') || mentions_dollar(value)),
        _ => false,
    }
}

fn fill(text: &[u8], variables: &Variables, unset: Unset) -> Result<Vec<u8>, Error> {
    let template = Template::parse(text).map_err(Error::Parse)?;
    let lookup = |name: &str| match (variables.get(name), unset) {
        (Some(value), _) => Some(Cow::Borrowed(value)),
        (None, Unset::Empty) => Some(Cow::Borrowed(&[][..])),
        (None, Unset::Refused) => None,
    };
    template.expand(lookup).map_err(Error::Expand)
}

fn whole_text(object: &Value, fill: impl Fn(&[u8]) -> Result<Vec<u8>, Error>) -> Result<Value, Error> {
    let text = fill(towpath_yaml::to_string(object).as_bytes())?;
    let documents =
        towpath_yaml::documents(&text, &towpath_yaml::Limits::default()).map_err(|error| Error::Yaml {
            line: usize::try_from(error.line).unwrap_or(usize::MAX),
            column: usize::try_from(error.column).unwrap_or(usize::MAX),
        })?;
    match <[_; 1]>::try_from(documents) {
        Ok([document]) => Ok(document.value),
        Err(_) => Err(Error::Yaml { line: 1, column: 1 }),
    }
}

struct Walk<'a, 'e, F> {
    fill: F,
    expected: &'e dyn Fn(&[Cow<'_, str>]) -> Expected,
    path: Vec<Cow<'a, str>>,
}

impl<'a, F: Fn(&[u8]) -> Result<Vec<u8>, Error>> Walk<'a, '_, F> {
    fn value(&mut self, value: &'a Value) -> Result<Value, Error> {
        match value {
            Value::String(text) if text.contains('$') => {
                let text = self.text(text)?;
                Ok(match (self.expected)(&self.path) {
                    Expected::String => Value::String(text),
                    Expected::Scalar => scalar(text),
                })
            }
            Value::Array(items) => {
                let mut filled = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Cow::Owned(index.to_string()));
                    filled.push(self.value(item)?);
                    self.path.pop();
                }
                Ok(Value::Array(filled))
            }
            Value::Object(map) => {
                let mut filled = Map::new();
                for (key, item) in map {
                    self.path.push(Cow::Borrowed(key));
                    let key = if key.contains('$') { self.text(key)? } else { key.clone() };
                    let item = self.value(item)?;
                    self.path.pop();
                    if filled.insert(key, item).is_some() {
                        return Err(Error::SameKey(self.place()));
                    }
                }
                Ok(Value::Object(filled))
            }
            other => Ok(other.clone()),
        }
    }

    fn text(&self, text: &str) -> Result<String, Error> {
        String::from_utf8((self.fill)(text.as_bytes())?).map_err(|_| Error::NotText(self.place()))
    }

    fn place(&self) -> String {
        self.path.join(".")
    }
}

/// The number or boolean that a text is, by JSON's rules; else the text.
fn scalar(text: String) -> Value {
    match serde_json::from_str(&text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::String(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use towpath_failure::{Failure as _, chain};

    use super::*;
    use crate::error::{ExpandError, ParseError};

    fn variables() -> Variables {
        [("port", "8080"), ("flag", "true"), ("star", "*secret"), ("name", "web"), ("lines", "a\nb")]
            .into_iter()
            .collect()
    }

    fn flux(value: &Value) -> Result<Option<Value>, Error> {
        object(value, &variables(), Unset::Refused, Mode::Text)
    }

    fn typed(value: &Value) -> Result<Option<Value>, Error> {
        let expected = |path: &[Cow<'_, str>]| match path.last() {
            Some(last) if last == "replicas" => Expected::Scalar,
            _ => Expected::String,
        };
        object(value, &variables(), Unset::Refused, Mode::Typed(&expected))
    }

    #[test]
    fn flux_reads_the_text_again() {
        let filled = flux(&json!({"a": "${port}", "b": "x-${name}", "${name}": "$${port}", "l": "${lines}"}));
        assert_eq!(filled.unwrap(), Some(json!({"a": 8080, "b": "x-web", "web": "${port}", "l": "ab"})));
    }

    #[test]
    fn typed_strings_stay_strings() {
        let filled = typed(&json!({
            "value": "${port}", "on": "${flag}", "star": "${star}", "replicas": "${port}", "${name}": ["${lines}", 1]
        }));
        let expected =
            json!({"value": "8080", "on": "true", "star": "*secret", "replicas": 8080, "web": ["ab", 1]});
        assert_eq!(filled.unwrap(), Some(expected));
    }

    #[test]
    fn a_broken_text_is_refused_without_the_value() {
        let error = flux(&json!({"a": "${star}"})).unwrap_err();
        assert_eq!(error, Error::Yaml { line: 1, column: 4 });
        assert!(!chain(&error).contains("secret") && error.hint().is_some());
    }

    #[test]
    fn objects_opt_out_by_label_or_annotation_with_the_exact_word() {
        for place in ["labels", "annotations"] {
            let out = json!({"metadata": {place: {SUBSTITUTE: "disabled"}}, "a": "${unknown}"});
            assert_eq!(flux(&out), Ok(None));
            let shouted = json!({"metadata": {place: {SUBSTITUTE: "Disabled"}}, "a": "${name}"});
            assert_eq!(flux(&shouted).unwrap().unwrap()["a"], "web");
        }
    }

    #[test]
    fn errors_are_flux_words() {
        let error = flux(&json!({"a": "${unknown}"})).unwrap_err();
        assert_eq!(error, Error::Expand(ExpandError::NotSet("unknown".into())));
        assert_eq!(
            chain(&error),
            "variable substitution failed: variable not set (strict mode): \"unknown\""
        );
        let empty = object(&json!({"a": "x${unknown}"}), &variables(), Unset::Empty, Mode::Text);
        assert_eq!(empty.unwrap(), Some(json!({"a": "x"})));
        assert_eq!(flux(&json!({"a": "${name"})), Err(Error::Parse(ParseError::ClosingBrace)));
        let bad = [("1a", "x")].into_iter().collect();
        let error = object(&json!({}), &bad, Unset::Refused, Mode::Text).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'1a' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'"
        );
        let same = typed(&json!({"web": 1, "${name}": 2}));
        assert_eq!(same, Err(Error::SameKey(String::new())));
    }

    #[test]
    fn nothing_to_do_is_nothing_done() {
        assert_eq!(flux(&json!({"a": 1.0, "b": "text"})), Ok(None));
        assert!(!format!("{:?}", variables()).contains("8080"));
    }
}
