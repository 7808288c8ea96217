//! Digests over a canonical form: two values that are equal as data have the same digest, whatever the
//! order of their keys.

use std::fmt;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A SHA-256 over the canonical form of a value. It is no place to hide a secret: short values can be guessed
/// back from it, so the digest of a Secret is never written where others can read it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The first 128 bits in hexadecimal: short enough to store a thousand, long enough never to collide.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(32);
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The digest of `value`.
pub fn digest(value: &Value) -> Digest {
    let mut hasher = Sha256::new();
    walk(value, &mut |bytes| hasher.update(bytes));
    Digest(hasher.finalize().into())
}

/// Feeds `value` in an unambiguous form: a type tag, a length where there is one, then the content; mapping
/// entries sorted by key.
fn walk(value: &Value, feed: &mut dyn FnMut(&[u8])) {
    match value {
        Value::Null => feed(b"n"),
        Value::Bool(true) => feed(b"t"),
        Value::Bool(false) => feed(b"f"),
        Value::Number(number) => string(b"d", &number.to_string(), feed),
        Value::String(text) => string(b"s", text, feed),
        Value::Array(items) => {
            feed(b"a");
            feed(&(items.len() as u64).to_le_bytes());
            for item in items {
                walk(item, feed);
            }
        }
        Value::Object(map) => {
            feed(b"o");
            feed(&(map.len() as u64).to_le_bytes());
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            for (name, item) in entries {
                string(b"k", name, feed);
                walk(item, feed);
            }
        }
    }
}

fn string(tag: &[u8], text: &str, feed: &mut dyn FnMut(&[u8])) {
    feed(tag);
    feed(&(text.len() as u64).to_le_bytes());
    feed(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_order_does_not_matter_and_content_does() {
        assert_eq!(digest(&json!({"a": 1, "b": [true]})), digest(&json!({"b": [true], "a": 1})));
        assert_ne!(digest(&json!(["ab", "c"])), digest(&json!(["a", "bc"])));
        assert_ne!(digest(&json!("1")), digest(&json!(1)));
    }
}
