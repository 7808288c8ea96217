//! Nodes to YAML, in the bytes of `kustomize build`.

use std::borrow::Cow;
use std::collections::HashSet;

use super::meaning::{self, Place, WriteError, scalar};
use super::{Content, Entry, Node, Style, Tag};
use crate::emit::{self, Shape, View};
use crate::resolve::Resolved;

/// Writes a node as one YAML document, without `---`.
pub fn write(node: &Node) -> Result<String, WriteError> {
    let mut text = String::new();
    write_to(node, &mut text)?;
    Ok(text)
}

/// Appends a node as one YAML document, without `---`. After an error the text is lost.
pub fn write_to(node: &Node, text: &mut String) -> Result<(), WriteError> {
    emit::document(Seen { node, flow: false, top: true }, text)
}

/// A node as go-yaml v3 writes it: in its own order and style. kustomize shows this where a replacement changes
/// a value inside of a document inside of a text, and in error messages.
#[must_use]
pub fn write_v3(node: &Node) -> String {
    emit::v3_text(node)
}

/// A node where it stands.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub node: &'a Node,
    /// Inside of brackets.
    pub flow: bool,
    /// The whole document, whose keys may be more than texts.
    pub top: bool,
}

impl<'a> Seen<'a> {
    pub fn scalar(self) -> Result<Resolved<'a>, WriteError> {
        let Content::Scalar(text) = &self.node.content else { return Ok(Resolved::Null) };
        let place = if self.flow { Place::Flow } else { Place::Block };
        let resolved = scalar(text, self.node.tag, self.node.style, place).map_err(|m| self.error(m))?;
        match resolved {
            Resolved::Special(number) => {
                let name = if number.is_nan() {
                    "NaN"
                } else if number > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                };
                Err(self.error(format!("json: unsupported value: {name}")))
            }
            other => Ok(other),
        }
    }

    /// Whether the text is a number that is written as it is: most are.
    fn is_plain_number(self, text: &str) -> bool {
        let digits = text.as_bytes();
        self.node.style == Style::PLAIN
            && (1..=18).contains(&digits.len())
            && digits.iter().all(u8::is_ascii_digit)
            && (digits.first() != Some(&b'0') || digits.len() == 1)
    }

    pub fn child(self, node: &'a Node) -> Self {
        Self { node, flow: self.flow || self.node.style.has(Style::FLOW), top: false }
    }

    pub fn items(self) -> Items<'a> {
        Items { seen: self, items: self.node.items().iter() }
    }

    /// The entries that count, each key once.
    pub fn entries(self) -> Result<Vec<(&'a str, Self)>, WriteError> {
        let mut entries = Vec::with_capacity(self.node.entries().len());
        for Entry { key, value } in self.node.entries() {
            if key.tag != Tag::Str {
                let resolved = scalar(&key.text, key.tag, key.style, Place::Key);
                let odd = matches!(key.tag, Tag::Other | Tag::Binary | Tag::Map | Tag::Seq);
                match resolved.map_err(|message| WriteError { line: key.line, message })? {
                    Resolved::Text(_) if self.top || !odd => {}
                    // Where the keys are known to be texts, null is none, and anything else is its text.
                    Resolved::Null if self.top => {
                        let same = self.node.entries().iter().filter(|entry| entry.key.text == key.text);
                        if same.count() > 1 {
                            return Err(self.duplicate(&key.text));
                        }
                        continue;
                    }
                    _ if self.top => {}
                    _ => {
                        let message = "json: unsupported type: map[interface {}]interface {}".into();
                        return Err(WriteError { line: key.line, message });
                    }
                }
            }
            entries.push((&*key.text, self.child(value)));
        }
        match twice(&entries) {
            None => Ok(entries),
            Some(key) => Err(self.duplicate(key)),
        }
    }

    fn duplicate(self, key: &str) -> WriteError {
        let lines = self.node.entries().iter().filter(|entry| &*entry.key.text == key);
        let mut lines = lines.map(|entry| entry.key.line);
        let (first, line) = (lines.next().unwrap_or(0), lines.next().unwrap_or(0));
        let message = format!(
            "yaml: unmarshal errors:\n  line {line}: mapping key {key:?} already defined at line {first}"
        );
        WriteError { line, message }
    }

    fn error(self, message: String) -> WriteError {
        WriteError { line: self.node.line, message }
    }
}

/// A key that is there twice.
fn twice<'a, V>(entries: &[(&'a str, V)]) -> Option<&'a str> {
    if entries.len() > 12 {
        let mut known = HashSet::with_capacity(entries.len());
        return entries.iter().map(|(key, _)| *key).find(|key| !known.insert(*key));
    }
    let mut before = entries.iter().enumerate();
    before.find_map(|(at, (key, _))| entries.get(..at)?.iter().any(|(known, _)| known == key).then_some(*key))
}

/// The items of a list where they stand.
pub(super) struct Items<'a> {
    seen: Seen<'a>,
    items: std::slice::Iter<'a, Node>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Seen<'a>;

    fn next(&mut self) -> Option<Seen<'a>> {
        self.items.next().map(|item| self.seen.child(item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl ExactSizeIterator for Items<'_> {}

impl<'a> View<'a> for Seen<'a> {
    type Error = WriteError;
    type Items = Items<'a>;

    fn shape(self) -> Result<Shape<'a, Self>, WriteError> {
        Ok(match &self.node.content {
            Content::List(_) => Shape::List(self.items()),
            Content::Map(_) => Shape::Map(self.entries()?),
            Content::Scalar(text) if self.node.tag == Tag::Int && self.is_plain_number(text) => {
                Shape::Word(Cow::Borrowed(text))
            }
            Content::Scalar(_) => match self.scalar()? {
                Resolved::Null | Resolved::Special(_) => Shape::Word("null".into()),
                Resolved::Bool(value) => Shape::Word(if value { "true" } else { "false" }.into()),
                Resolved::Number(number) => Shape::Word(Cow::Owned(number.written())),
                Resolved::Text(text) if text.contains(|c| matches!(c, '\u{7F}'..='\u{9F}')) => {
                    let read = meaning::through_json(&text);
                    let refused = || self.error("yaml: control characters are not allowed".into());
                    Shape::Text(Cow::Owned(read.ok_or_else(refused)?))
                }
                Resolved::Text(text) => Shape::Text(text),
            },
        })
    }
}
