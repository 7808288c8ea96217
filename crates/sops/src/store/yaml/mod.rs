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
    let text = String::from_utf8_lossy(bytes);
    let mut branches = Vec::new();
    let mut before = 0;
    for part in documents(&text) {
        // What the reader says may quote a value.
        let nodes = towpath_yaml::read(part.as_bytes(), Dialect::V3, &Limits::default())
            .map_err(|error| problem(before + error.line, "not YAML"))?;
        let mut comments = Comments::of(part, &nodes);
        for node in &nodes {
            let Content::Map(entries) = &node.content else {
                return Err(problem(before + node.line, "a document that is not a mapping"));
            };
            branches.push(branch(entries, &mut comments)?);
        }
        before += u32::try_from(part.matches('\n').count()).unwrap_or(u32::MAX);
    }
    let metadata = take_metadata(&mut branches)?;
    Ok(Stored { metadata, branches })
}

/// The documents of a text, each with the `---` line that it starts with.
pub(crate) fn documents(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n---") {
        let (part, behind) = rest.split_at(at + 1);
        parts.push(part);
        rest = behind;
    }
    parts.push(rest);
    parts
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
