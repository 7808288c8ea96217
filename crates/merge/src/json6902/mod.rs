//! JSON patches (RFC 6902) as kustomize's library applies them.
//!
//! In: a patch in JSON or YAML 1.1, and a node. Out: the node after all operations. What differs from the
//! standard is the library's: negative indices count from the end, `replace` of a field that is not there adds
//! it, an operation without a value sets null. The node goes through JSON with all its numbers as floats, so
//! integers beyond 2^53 are rounded, in places that the patch does not touch as well.

mod apply;

use serde_json::{Map, Value};
use towpath_yaml::{Dialect, Limits, Node, WriteError};

/// Why a patch cannot be read or does not apply; the words are those of Go's library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is no patch.
    #[error("{0}")]
    Read(String),
    /// An operation does not fit the object.
    #[error("{0}")]
    Apply(String),
    /// The object has no JSON form.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A patch: operations, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    operations: Vec<Map<String, Value>>,
}

/// How many values the `copy` operations of a patch may copy: each may double what is there.
const COPIES: usize = 1_000_000;

impl Patch {
    /// Reads a patch. A text that starts with `[` must be JSON; anything else is YAML 1.1, of which the first
    /// document counts.
    pub fn read(text: &[u8]) -> Result<Self, Error> {
        let refuse = |message: String| Error::Read(message);
        let value = match text.first() {
            None => return Err(refuse("empty json patch operations".into())),
            Some(b'[') => {
                serde_json::from_slice::<serde::de::IgnoredAny>(text)
                    .map_err(|error| refuse(error.to_string()))?;
                let documents = towpath_yaml::documents(text, &Limits::default());
                documents
                    .map_err(|error| refuse(error.to_string()))?
                    .into_iter()
                    .next()
                    .map(|document| document.value)
            }
            Some(_) => {
                let nodes = towpath_yaml::read(text, Dialect::V2, &Limits::default());
                let node = nodes.map_err(|error| refuse(error.to_string()))?.into_iter().next();
                node.map(|node| node.to_json()).transpose()?
            }
        };
        let operations = match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => items.into_iter().map(operation).collect::<Result<_, _>>()?,
            Some(other) => {
                let kind = go_kind(&other);
                return Err(refuse(format!(
                    "json: cannot unmarshal {kind} into Go value of type jsonpatch.Patch"
                )));
            }
        };
        Ok(Self { operations })
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The node after all operations.
    pub fn apply(&self, node: &Node) -> Result<Node, Error> {
        let mut value = node.to_json()?;
        let mut copies = COPIES;
        for operation in &self.operations {
            apply::apply(&mut value, operation, &mut copies).map_err(Error::Apply)?;
        }
        if !value.is_object() {
            let kind = go_kind(&value);
            return Err(Error::Apply(format!(
                "json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
            )));
        }
        to_floats(&mut value);
        Ok(Node::from_json(&value))
    }
}

fn operation(value: Value) -> Result<Map<String, Value>, Error> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(Error::Read(format!(
            "json: cannot unmarshal {} into Go value of type jsonpatch.Operation",
            go_kind(&other)
        ))),
    }
}

fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn to_floats(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64() {
                *value = float.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(to_floats),
        Value::Object(map) => map.values_mut().for_each(to_floats),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(object: &str, patch: &str) -> Result<String, String> {
        let node = towpath_yaml::read(object.as_bytes(), Dialect::V3, &Limits::default()).unwrap().remove(0);
        let node = Patch::read(patch.as_bytes()).unwrap().apply(&node).map_err(|error| error.to_string())?;
        Ok(towpath_yaml::write(&node).unwrap())
    }

    #[test]
    fn operations() {
        for (patch, result) in [
            ("- {op: add, path: /a/-, value: 3}", "a:\n- 1\n- 2\n- 3\nb: x\n"),
            ("- {op: add, path: /a/-1, value: 3}", "a:\n- 1\n- 2\n- 3\nb: x\n"),
            ("- {op: remove, path: /a/-1}", "a:\n- 1\nb: x\n"),
            ("- {op: replace, path: /c, value: yes}", "a:\n- 1\n- 2\nb: x\nc: true\n"),
            ("- {op: add, path: /c~1d~0}", "a:\n- 1\n- 2\nb: x\nc/d~: null\n"),
            ("- {op: move, from: /b, path: /a/0}", "a:\n- x\n- 1\n- 2\n"),
            ("- {op: copy, from: /a/1, path: /b}", "a:\n- 1\n- 2\nb: 2\n"),
            ("[{\"op\": \"test\", \"path\": \"/b\", \"value\": \"x\"}]", "a:\n- 1\n- 2\nb: x\n"),
        ] {
            assert_eq!(patched("a: [1, 2]\nb: x\n", patch).as_deref(), Ok(result), "{patch}");
        }
    }

    #[test]
    fn refusals_are_in_the_words_of_the_library() {
        for (patch, message) in [
            (
                "- {op: replace, path: /d/e, value: 1}",
                "replace operation does not apply: doc is missing path: /d/e: missing value",
            ),
            (
                "- {op: add, path: /d/e, value: 1}",
                "add operation does not apply: doc is missing path: \"/d/e\": missing value",
            ),
            (
                "- {op: remove, path: /d}",
                "error in remove for path: '/d': Unable to remove nonexistent key: d: missing value",
            ),
            (
                "- {op: remove, path: /a/7}",
                "error in remove for path: '/a/7': Unable to access invalid index: 7: invalid index referenced",
            ),
            (
                "- {op: add, path: /a/x, value: 1}",
                "error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
            ),
            ("- {op: test, path: /b, value: y}", "testing value /b failed: test failed"),
            ("- {op: swap, path: /b}", "Unexpected kind: swap"),
        ] {
            assert_eq!(patched("a: [1, 2]\nb: x\n", patch), Err(message.into()), "{patch}");
        }
        let read = |text: &str| Patch::read(text.as_bytes()).unwrap_err().to_string();
        assert!(read("a: b").contains("cannot unmarshal object into Go value of type jsonpatch.Patch"));
        assert!(Patch::read(b"[{op: add}]").is_err());
    }

    #[test]
    fn all_numbers_become_floats() {
        let text =
            patched("a: 9007199254740993\nb: 1000650000\n", "- {op: add, path: /c, value: 010}").unwrap();
        assert_eq!(text, "a: 9007199254740992\nb: 1000650000\nc: 8\n");
    }
}
