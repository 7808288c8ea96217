//! Nodes from and to JSON values.

use serde_json::{Map, Value};

use super::meaning::implied;
use super::write::Seen;
use super::{Content, Entry, Key, Node, Style, Tag, WriteError};
use crate::emit::number_text;
use crate::resolve::Resolved;

impl Node {
    /// The JSON value as kustomize sees it.
    pub fn to_json(&self) -> Result<Value, WriteError> {
        value(Seen { node: self, flow: false, top: true })
    }

    /// A node that is written as the value is.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let plain = |text: String, tag| Self { tag, ..Self::scalar(text) };
        match value {
            Value::Null => Self::null(),
            Value::Bool(value) => plain(value.to_string(), Tag::Bool),
            Value::Number(number) => {
                let text = number_text(number);
                let tag = implied(&text);
                plain(text, tag)
            }
            Value::String(text) => Self::text(text.as_str()),
            Value::Array(items) => Self::list(items.iter().map(Self::from_json).collect()),
            Value::Object(map) => Self::map(
                map.iter()
                    .map(|(key, value)| Entry {
                        key: Key { tag: Tag::Str, style: Style::PLAIN, ..Key::new(key.as_str()) },
                        value: Self::from_json(value),
                    })
                    .collect(),
            ),
        }
    }
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
