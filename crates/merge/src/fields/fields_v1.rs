//! FieldsV1, the JSON in which the server writes a field set.
//!
//! Each step is a key: `f:name`, `k:{"name":"web"}`, `v:"x"` or `i:0`; what is below it is its value. A key
//! `.` says that the path itself is in the set; so does an empty value. Steps of a kind that we do not know
//! are left out, as the server does: a later version may have added them.
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/>

use serde_json::{Map, Value};

use super::{Entry, FieldSet};
use crate::path::{Element, ListKey};

/// How many steps a path may have. A server's JSON is never deeper; what is deeper was made to hurt.
const MAX_DEPTH: usize = 128;

/// Why something is not a list of managed fields.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldsError {
    /// A value that has to be a mapping is another.
    #[error("{what} is not a mapping")]
    NotAMapping {
        /// What it is about.
        what: String,
    },
    /// A value that has to be a list is another.
    #[error("{what} is not a list")]
    NotAList {
        /// What it is about.
        what: String,
    },
    /// A key that does not name a field or item.
    #[error("field set has the key {key:?}: {why}")]
    Key {
        /// The key, shortened.
        key: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// More steps than any object has.
    #[error("field set is deeper than {MAX_DEPTH} steps")]
    TooDeep,
    /// A manager's entry whose format or operation we do not know.
    #[error("managed fields of {manager:?}: {field} is {found:?}")]
    Unsupported {
        /// The manager's name, shortened.
        manager: String,
        /// The field.
        field: &'static str,
        /// Its value, shortened.
        found: String,
    },
}

impl FieldSet {
    /// Reads FieldsV1.
    pub fn parse(json: &Value) -> Result<Self, FieldsError> {
        match json {
            Value::Object(map) => read(map, 0),
            _ => Err(not_a_mapping("field set")),
        }
    }

    /// Writes FieldsV1.
    pub fn to_json(&self) -> Value {
        let entries = self.entries.iter().map(|entry| {
            let mut below = match entry.below.to_json() {
                Value::Object(map) => map,
                _ => Map::new(),
            };
            if entry.owned && !below.is_empty() {
                below.insert(".".into(), Value::Object(Map::new()));
            }
            (key_of(&entry.element), Value::Object(below))
        });
        Value::Object(entries.collect())
    }
}

fn read(map: &Map<String, Value>, depth: usize) -> Result<FieldSet, FieldsError> {
    if depth > MAX_DEPTH {
        return Err(FieldsError::TooDeep);
    }
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map {
        if key == "." {
            continue;
        }
        let Some(element) = element_of(key)? else { continue };
        let (mark, below) = match value {
            Value::Null => (false, FieldSet::default()),
            Value::Object(map) => (map.contains_key("."), read(map, depth + 1)?),
            _ => return Err(not_a_mapping(&format!("{} of a field set", shorten(key)))),
        };
        let owned = mark || below.is_empty();
        entries.push(Entry { element, owned, below });
    }
    Ok(FieldSet { entries: merged(entries) })
}

/// Sorts the entries and joins those that two spellings of the same key made (`k:` with other order or `1.0`).
fn merged(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by(|left, right| left.element.cmp(&right.element));
    entries.dedup_by(|second, first| {
        let same = second.element == first.element;
        if same {
            first.owned |= second.owned;
            first.below = first.below.union(&second.below);
        }
        same
    });
    entries
}

/// The step that a key stands for; `None` for a kind of step that we do not know.
fn element_of(key: &str) -> Result<Option<Element>, FieldsError> {
    let wrong = |why| FieldsError::Key { key: shorten(key), why };
    let (kind, rest) = key
        .split_once(':')
        .filter(|(kind, _)| kind.len() == 1)
        .ok_or_else(|| wrong("expected a letter and a colon"))?;
    Ok(Some(match kind {
        "f" => Element::field(rest),
        "v" => {
            let value: Value = serde_json::from_str(rest).map_err(|_| wrong("expected a JSON value"))?;
            Element::Value(value.into())
        }
        "i" => Element::Index(rest.parse().map_err(|_| wrong("expected a place in a list"))?),
        "k" => match serde_json::from_str(rest) {
            Ok(Value::Object(fields)) if !fields.is_empty() => {
                let fields = fields.iter().map(|(name, value)| (name.as_str(), value.clone()));
                Element::Key(ListKey::new(fields))
            }
            _ => return Err(wrong("expected a JSON mapping of key fields")),
        },
        _ => return Ok(None),
    }))
}

fn key_of(element: &Element) -> String {
    match element {
        Element::Field(name) => format!("f:{name}"),
        Element::Value(literal) => format!("v:{literal}"),
        Element::Index(place) => format!("i:{place}"),
        Element::Key(key) => {
            let fields = key.fields().map(|(name, value)| (name.to_owned(), value.clone()));
            let literal = crate::Literal::from(Value::Object(fields.collect()));
            format!("k:{literal}")
        }
    }
}

fn not_a_mapping(what: &str) -> FieldsError {
    FieldsError::NotAMapping { what: what.into() }
}

/// Enough of a foreign text to find it again.
pub(crate) fn shorten(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_server_writes_is_read_and_written_back() {
        let fields = json!({
            "f:metadata": {"f:labels": {".": {}, "f:app.kubernetes.io/name": {}}, "f:finalizers": {
                ".": {}, "v:\"towpath.dev/hold\"": {}}},
            "f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:containers": {
                "k:{\"name\":\"web\"}": {".": {}, "f:image": {}, "f:ports": {
                    "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}}}}}},
            "f:list": {"i:0": {}, "v:1": {}, "v:null": {}, "v:true": {}},
        });
        assert_eq!(FieldSet::parse(&fields).unwrap().to_json(), fields);
    }

    #[test]
    fn several_spellings_are_one_set() {
        let plain = FieldSet::parse(&json!({"f:a": {}, "k:{\"a\":1,\"b\":2}": {"f:x": {}, "f:y": {}}}));
        let spelt = json!({".": {}, "f:a": {".": {}}, "z:future": {"f:b": 1},
            "k:{\"b\":2,\"a\":1}": {"f:x": {}}, "k:{\"a\":1.0,\"b\":2}": {"f:y": null}});
        assert_eq!(FieldSet::parse(&spelt), plain);
    }

    #[test]
    fn an_empty_set_is_an_empty_mapping() {
        assert_eq!(FieldSet::parse(&json!({})).unwrap(), FieldSet::default());
        assert_eq!(FieldSet::default().to_json(), json!({}));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let refused = |key: &str| match FieldSet::parse(&json!({ key: {} })) {
            Err(FieldsError::Key { why, .. }) => why,
            other => panic!("{key}: {other:?}"),
        };
        for key in ["", "f", "ff:a", "spec", ":a", "é:a"] {
            assert!(["expected a letter and a colon"].contains(&refused(key)), "{key}");
        }
        assert_eq!(refused("v:{"), "expected a JSON value");
        assert_eq!(refused("i:-1"), "expected a place in a list");
        for key in ["k:", "k:[]", "k:{}", "k:{\"a\":"] {
            assert_eq!(refused(key), "expected a JSON mapping of key fields");
        }
        for odd in [json!([]), json!("f:a"), json!({"f:a": 1}), json!({"f:a": {"f:b": []}})] {
            assert!(matches!(FieldSet::parse(&odd), Err(FieldsError::NotAMapping { .. })));
        }
    }

    #[test]
    fn depth_is_limited_and_errors_are_short() {
        let nested = |depth: usize| (0..depth).fold(json!({}), |below, _| json!({"f:a": below}));
        assert!(FieldSet::parse(&nested(128)).is_ok());
        assert_eq!(FieldSet::parse(&nested(129)), Err(FieldsError::TooDeep));
        let deep_key = format!("v:{}{}", "[".repeat(500), "]".repeat(500));
        assert!(FieldSet::parse(&json!({ deep_key: {} })).is_err());
        let long = FieldSet::parse(&json!({ "x".repeat(100_000): {} })).unwrap_err();
        assert!(long.to_string().len() < 200);
    }
}
