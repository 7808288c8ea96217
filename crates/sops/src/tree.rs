//! A SOPS file as an ordered tree: what all formats are read into and written from.
//!
//! Text is kept as bytes: SOPS takes any, and a binary file is one text. `Debug` of a tree that may hold
//! plaintext shows its shape only.

use std::fmt;

use zeroize::Zeroize as _;

/// A value.
#[derive(Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Text(Vec<u8>),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// A point in time, in RFC 3339.
    Time(String),
    /// A comment between the items of a list; without its `#`.
    Comment(Vec<u8>),
    List(Vec<Value>),
    Branch(Branch),
}

/// The items of a mapping, in their order.
pub(crate) type Branch = Vec<Item>;

/// What stands in a mapping.
#[derive(Clone, PartialEq)]
pub(crate) enum Item {
    /// A comment between keys; without its `#`.
    Comment(Vec<u8>),
    Entry(Vec<u8>, Value),
}

impl Value {
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self::Text(text.into())
    }

    /// For messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "a text",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Boolean(_) => "a boolean",
            Self::Time(_) => "a time",
            Self::Comment(_) => "a comment",
            Self::List(_) => "a list",
            Self::Branch(_) => "a mapping",
        }
    }

    /// The same as JSON, comments left out: for the metadata, which is never secret.
    pub fn to_json(&self) -> serde_json::Value {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self {
            Self::Null | Self::Comment(_) => serde_json::Value::Null,
            Self::Text(text) => lossy(text).into(),
            Self::Integer(number) => (*number).into(),
            // JSON has floats only, and the metadata integers only.
            Self::Float(number) => format!("{number:.0}").parse::<i64>().map_or((*number).into(), Into::into),
            Self::Boolean(value) => (*value).into(),
            Self::Time(time) => time.clone().into(),
            Self::List(items) => items
                .iter()
                .filter(|item| !matches!(item, Self::Comment(_)))
                .map(Self::to_json)
                .collect::<Vec<_>>()
                .into(),
            Self::Branch(items) => {
                let entries = items.iter().filter_map(|item| match item {
                    Item::Entry(key, value) => Some((lossy(key), value.to_json())),
                    Item::Comment(_) => None,
                });
                serde_json::Value::Object(entries.collect())
            }
        }
    }
}

/// Overwrites all text: plaintext must not stay in memory that somebody else gets.
pub(crate) fn wipe(branch: &mut Branch) {
    for item in branch {
        match item {
            Item::Comment(text) => text.zeroize(),
            Item::Entry(_, value) => wipe_value(value),
        }
    }
}

fn wipe_value(value: &mut Value) {
    match value {
        Value::Text(text) | Value::Comment(text) => text.zeroize(),
        Value::Time(text) => text.zeroize(),
        Value::Integer(number) => number.zeroize(),
        Value::Float(number) => number.zeroize(),
        Value::Boolean(_) | Value::Null => {}
        Value::List(items) => items.iter_mut().for_each(wipe_value),
        Value::Branch(branch) => wipe(branch),
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Comment(_) => f.write_str("a comment"),
            Self::Entry(key, value) => write!(f, "{}: {value:?}", String::from_utf8_lossy(key)),
        }
    }
}
