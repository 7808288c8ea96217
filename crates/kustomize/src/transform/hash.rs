//! Names that carry a hash of the content.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use towpath_yaml::{Content, Node};

use crate::error::Error;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::tree;

/// Puts the hash behind the names of the objects that need it.
pub fn add(resources: &mut Resources) -> Result<(), Error> {
    if !resources.list().iter().any(|resource| resource.memory.needs_hash) {
        return Ok(());
    }
    for resource in resources.list_mut() {
        if resource.memory.needs_hash {
            let name = format!("{}-{}", resource.name(), of(resource)?);
            resource.remember_id();
            tree::set_metadata(&mut resource.node, "name", Node::scalar(name));
        }
    }
    Ok(())
}

fn of(resource: &Resource) -> Result<String, Error> {
    let fields: &[&str] = match resource.kind() {
        "ConfigMap" => &["data", "binaryData"],
        "Secret" => &["type", "data", "stringData"],
        // Upstream hashes its own memory here, line numbers included.
        kind => return Err(Error::invalid(format!("a {kind} cannot have a hash in its name"))),
    };
    let mut map = Map::new();
    map.insert("kind".to_owned(), resource.kind().into());
    // Upstream means the name but looks it up in a place where it never is.
    map.insert("name".to_owned(), "".into());
    for field in fields {
        let value = resource.node.get(field).map(field_value).transpose()?;
        match (*field, value) {
            ("binaryData" | "stringData", Some(value @ Value::Object(_))) => {
                map.insert((*field).to_owned(), value)
            }
            ("binaryData" | "stringData", _) => None,
            (_, value) => map.insert((*field).to_owned(), value.unwrap_or_else(|| "".into())),
        };
    }
    Ok(short(&escaped(&sorted(Value::Object(map)).to_string())))
}

fn field_value(node: &Node) -> Result<Value, Error> {
    match node.content {
        Content::Scalar(_) => Ok(tree::raw(node).into()),
        _ => node.to_json().map_err(|error| Error::invalid(error.to_string())),
    }
}

/// Objects with their keys in plain order.
pub fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// JSON as Go writes it: with characters escaped that mean something to HTML and JavaScript.
pub fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            other => text.push(other),
        }
    }
    text
}

/// Ten letters that cannot form a word.
fn short(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    hex.chars()
        .map(|letter| match letter {
            '0' => 'g',
            '1' => 'h',
            '3' => 'k',
            'a' => 'm',
            'e' => 't',
            other => other,
        })
        .collect()
}
