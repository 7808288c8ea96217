//! JSON, in the order of the file, and binary files wrapped into it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Stored, take_metadata, write_error};
use crate::error::Error;
use crate::format::Format;
use crate::number;
use crate::tree::{Item, Value};

pub(super) fn read(bytes: &[u8], format: Format) -> Result<Stored, Error> {
    let problem = |problem: &str| Error::Read { format, problem: problem.to_owned() };
    // The reader's own message may quote a value.
    let value: Ordered = serde_json::from_slice(bytes)
        .map_err(|error| problem(&format!("not JSON at line {}, column {}", error.line(), error.column())))?;
    let Value::Branch(branch) = value.0 else { return Err(problem("it is not a JSON object")) };
    let mut branches = vec![branch];
    let metadata = take_metadata(&mut branches)?;
    Ok(Stored { metadata, branches })
}

/// What a binary file was before: the one text of its `data`.
pub(super) fn binary(branch: &[Item]) -> Result<Vec<u8>, Error> {
    let data = branch.iter().find_map(|item| match item {
        Item::Entry(key, value) if key == b"data" => Some(value),
        _ => None,
    });
    match data {
        Some(Value::Text(data)) => Ok(data.clone()),
        Some(_) => Err(write_error(Format::Binary, "`data` is not a text")),
        None => Err(write_error(Format::Binary, "there is no `data`")),
    }
}

/// As Go writes it, with tabs.
pub(super) fn write(branch: &[Item]) -> Vec<u8> {
    let mut out = String::new();
    object(branch, 0, &mut out);
    out.push('\n');
    out.into_bytes()
}

fn object(branch: &[Item], depth: usize, out: &mut String) {
    let entries = branch.iter().filter_map(|item| match item {
        Item::Entry(key, value) => Some((key, value)),
        Item::Comment(_) => None,
    });
    collection(['{', '}'], entries, depth, out, |(key, item), out| {
        string(key, out);
        out.push_str(": ");
        value(item, depth + 1, out);
    });
}

fn collection<T>(
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    depth: usize,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    out.push(open);
    let mut empty = true;
    for item in items {
        out.push_str(if empty { "\n" } else { ",\n" });
        empty = false;
        indent(depth + 1, out);
        write(item, out);
    }
    if !empty {
        out.push('\n');
        indent(depth, out);
    }
    out.push(close);
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n('\t', depth));
}

fn value(of: &Value, depth: usize, out: &mut String) {
    match of {
        Value::Null | Value::Comment(_) => out.push_str("null"),
        Value::Text(text) => string(text, out),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&number::json(*number)),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Time(time) => string(time.as_bytes(), out),
        Value::List(items) => {
            let items = items.iter().filter(|item| !matches!(item, Value::Comment(_)));
            collection(['[', ']'], items, depth, out, |item, out| value(item, depth + 1, out));
        }
        Value::Branch(branch) => object(branch, depth, out),
    }
}

/// With Go's escapes, which keep a text harmless inside HTML as well.
fn string(text: &[u8], out: &mut String) {
    out.push('"');
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{C}' => out.push_str("\\f"),
                '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    out.extend([format!("\\u{:04x}", u32::from(character))]);
                }
                other => out.push(other),
            }
        }
        out.extend(chunk.invalid().iter().map(|_| "\\ufffd"));
    }
    out.push('"');
}

/// A JSON value whose objects keep their order. All numbers are floats, as in SOPS.
struct Ordered(Value);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrderedVisitor).map(Ordered)
    }
}

struct OrderedVisitor;

impl<'de> Visitor<'de> for OrderedVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "SOPS loses it as well")]
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Float(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "SOPS loses it as well")]
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Ordered(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut branch = Vec::new();
        while let Some((key, Ordered(value))) = entries.next_entry::<String, Ordered>()? {
            branch.push(Item::Entry(key.into_bytes(), value));
        }
        Ok(Value::Branch(branch))
    }
}
