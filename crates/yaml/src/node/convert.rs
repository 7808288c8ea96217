//! Nodes from and to JSON values.

use serde_json::{Map, Value};

use super::meaning::implied;
use super::write::Seen;
use super::{Content, Entry, Key, Node, Style, Tag, WriteError};
use crate::emit;
use crate::number::format_float;
use crate::resolve::Resolved;

impl Node {
    /// The JSON value as kustomize sees it.
    pub fn to_json(&self) -> Result<Value, WriteError> {
        value(Seen { node: self, flow: false, top: true })
    }

    /// The node that kyaml makes of a value: floats in Go's short form, texts in the style they need.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let plain = |text: String| Self { tag: implied(&text), ..Self::scalar(text) };
        match value {
            Value::Null => Self::null(),
            Value::Bool(value) => plain(value.to_string()),
            Value::Number(number) => plain(match number.as_f64() {
                Some(float) if number.is_f64() => format_float(float),
                _ => number.to_string(),
            }),
            Value::String(text) => Self { style: emit::style(text), ..Self::text(text.as_str()) },
            Value::Array(items) => {
                let list = Self::list(items.iter().map(Self::from_json).collect());
                Self { style: brackets(items.is_empty()), ..list }
            }
            Value::Object(map) => {
                let entries = map.iter().map(|(key, value)| Entry {
                    key: Key { tag: Tag::Str, style: emit::style(key), ..Key::new(key.as_str()) },
                    value: Self::from_json(value),
                });
                let node = Self::map(entries.collect());
                Self { style: brackets(map.is_empty()), ..node }
            }
        }
    }
}

/// What is empty can only be written in brackets.
fn brackets(empty: bool) -> Style {
    if empty { Style::FLOW } else { Style::PLAIN }
}

fn value(seen: Seen<'_>) -> Result<Value, WriteError> {
    Ok(match &seen.node.content {
        Content::List(_) => Value::Array(seen.items().map(value).collect::<Result<_, _>>()?),
        Content::Map(_) => {
            let mut map = Map::new();
            for (key, child) in seen.entries()? {
                map.insert(key.to_owned(), value(child)?);
            }
            Value::Object(map)
        }
        Content::Scalar(_) => match seen.scalar()? {
            Resolved::Null | Resolved::Special(_) => Value::Null,
            Resolved::Bool(value) => Value::Bool(value),
            Resolved::Number(number) => number.to_value().unwrap_or(Value::Null),
            Resolved::Text(text) => Value::String(text.into_owned()),
        },
    })
}
