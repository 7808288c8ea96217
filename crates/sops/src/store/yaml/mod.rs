//! YAML with its comments, as SOPS holds and prints it: go-yaml v3 with an indentation of four.
//!
//! A comment is an item of the collection it stands in, before the item that follows it. Comments at the end of
//! a line of content, and those inside of brackets, are not kept: SOPS never writes them.

mod comments;
mod emit;
mod scalar;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use towpath_yaml::{Content, Dialect, Entry, Limits, Node, Tag};

use self::comments::Comments;
use super::{Stored, take_metadata};
use crate::error::Error;
use crate::format::Format;
use crate::tree::{Branch, Item, Value};

pub(super) fn read(bytes: &[u8]) -> Result<Stored, Error> {
    // What the reader says may quote a value.
    let nodes = towpath_yaml::read(bytes, Dialect::V3, &Limits::default())
        .map_err(|error| problem(error.line, "not YAML"))?;
    let text = String::from_utf8_lossy(bytes);
    let mut comments = Comments::of(&text, &nodes);
    let mut branches = Vec::new();
    for node in &nodes {
        match &node.content {
            Content::Map(entries) => branches.push(branch(entries, &mut comments)?),
            _ => return Err(problem(node.line, "a document that is not a mapping")),
        }
    }
    let metadata = take_metadata(&mut branches)?;
    Ok(Stored { metadata, branches })
}

pub(super) fn write(branches: &[Branch]) -> Vec<u8> {
    emit::documents(branches)
}

fn problem(line: u32, problem: &str) -> Error {
    Error::Read { format: Format::Yaml, problem: format!("line {line}: {problem}") }
}

fn branch(entries: &[Entry], comments: &mut Comments) -> Result<Branch, Error> {
    let mut items = Branch::new();
    for entry in entries {
        let here = comments.enter();
        items.extend(comments.before(here).into_iter().map(Item::Comment));
        if entry.key.tag != Tag::Str {
            return Err(problem(entry.key.line, "a key that is not a text"));
        }
        let value = value(&entry.value, comments)?;
        items.push(Item::Entry(entry.key.text.as_bytes().to_vec(), value));
        items.extend(comments.after(here).into_iter().map(Item::Comment));
    }
    Ok(items)
}

fn value(node: &Node, comments: &mut Comments) -> Result<Value, Error> {
    match &node.content {
        Content::Map(entries) => branch(entries, comments).map(Value::Branch),
        Content::List(nodes) => {
            let mut items = Vec::new();
            for item in nodes {
                let here = comments.enter();
                items.extend(comments.before(here).into_iter().map(Value::Comment));
                items.push(value(item, comments)?);
                items.extend(comments.after(here).into_iter().map(Value::Comment));
            }
            Ok(Value::List(items))
        }
        Content::Scalar(text) => scalar_value(node, text),
    }
}

fn scalar_value(node: &Node, text: &str) -> Result<Value, Error> {
    let malformed = || problem(node.line, "a value that is not of its type");
    Ok(match node.tag {
        Tag::Null => Value::Null,
        Tag::Bool => {
            Value::Boolean(node.to_json().ok().and_then(|value| value.as_bool()).ok_or_else(malformed)?)
        }
        Tag::Int => match node.to_json().ok().and_then(|value| value.as_i64()) {
            Some(number) => Value::Integer(number),
            None => return Err(problem(node.line, "an integer beyond 64 bits")),
        },
        Tag::Float => Value::Float(scalar::float(text).ok_or_else(malformed)?),
        Tag::Timestamp => Value::Time(
            node.to_json().ok().and_then(|value| value.as_str().map(str::to_owned)).ok_or_else(malformed)?,
        ),
        Tag::Binary => {
            let packed: String = text.split_ascii_whitespace().collect();
            Value::Text(STANDARD.decode(packed).map_err(|_| malformed())?)
        }
        _ => Value::text(text),
    })
}
