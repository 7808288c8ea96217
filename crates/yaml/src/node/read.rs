//! Bytes to nodes, in the two dialects of kustomize.

use std::borrow::Cow;

use super::meaning::implied;
use super::{Content, Entry, Key, Node, Style, Tag};
use crate::budget::{Budget, Spent};
use crate::document::{Limits, first_document};
use crate::error::{Error, Kind, Mark};
use crate::input;
use crate::parse::Parser;
use crate::tree::{Content as Parsed, Id, Scalar, Tree};

/// Which YAML a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// go-yaml v3 as kyaml uses it, for resources and strategic patches: `yes` is a text. Documents are cut at
    /// `---` lines, of each part the first document counts, and those that are null are left out.
    V3,
    /// go-yaml v2 as sigs.k8s.io/yaml uses it, for kustomization files, values and JSON patches: `yes` is
    /// true. Only the first document counts, and of a key that is written twice the last value.
    V2,
}

/// Reads the nodes of a text. Aliases and merge keys are expanded.
pub fn read(bytes: &[u8], dialect: Dialect, limits: &Limits) -> Result<Vec<Node>, Error> {
    match dialect {
        Dialect::V2 => {
            let document = first_document(bytes, limits)?;
            Ok(vec![document.map_or_else(Node::null, |document| Node::from_json(&document.value))])
        }
        Dialect::V3 => {
            let mut limits = Limits { depth: limits.depth.min(Limits::DEEPEST), ..limits.clone() };
            let text = input::decode(bytes)?;
            let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { text };
            let mut nodes = Vec::new();
            let mut line = 0;
            for part in (Parts { rest: Some(&text) }) {
                let (part, separators) = part.map_err(|message| Mark { line, column: 0 }.syntax(message))?;
                let (node, spent) = document(part, line, &limits)?;
                nodes.extend(node.filter(|node| !node.is_null()));
                // A text of many documents costs no more than one large document.
                limits.nodes = limits.nodes.saturating_sub(spent.nodes);
                limits.alias_bytes = limits.alias_bytes.saturating_sub(spent.alias_bytes);
                line += count_lines(part) + separators;
            }
            Ok(nodes)
        }
    }
}

/// The parts of a text between lines that start with `---`, which may bear nothing else but a comment.
struct Parts<'a> {
    rest: Option<&'a str>,
}

impl<'a> Iterator for Parts<'a> {
    /// The part with its last line break, and how many separator lines follow it.
    type Item = Result<(&'a str, u32), String>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let separator = rest.find("\n---").and_then(|at| {
            let line = rest.get(at + 1..)?;
            line.find('\n').map(|end| (at, line.get(..end).unwrap_or_default()))
        });
        let Some((at, line)) = separator else { return Some(Ok((rest, 0))) };
        let after = line.get(3..).unwrap_or_default().trim();
        if !after.is_empty() && !after.starts_with('#') {
            return Some(Err(format!("invalid document separator: {}", line.trim())));
        }
        self.rest = rest.get(at + 1 + line.len() + 1..);
        Some(Ok((rest.get(..=at).unwrap_or_default(), 1)))
    }
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The first document of a text that starts behind so many lines, and what it cost.
fn document(text: &str, before: u32, limits: &Limits) -> Result<(Option<Node>, Spent), Error> {
    let read = || {
        let Some((tree, root)) = Parser::new(text, limits.depth).document()? else {
            return Ok((None, Spent::default()));
        };
        let mut builder = Builder { tree: &tree, before, budget: Budget::new(limits) };
        let node = builder.node(root)?;
        Ok((Some(node), builder.budget.spent()))
    };
    read().map_err(|error: Error| Error { line: error.line + before, ..error })
}

struct Builder<'t, 'a> {
    tree: &'t Tree<'a>,
    before: u32,
    budget: Budget<'t>,
}

impl Builder<'_, '_> {
    fn node(&mut self, id: Id) -> Result<Node, Error> {
        let tree = self.tree;
        let node = tree.get(id);
        self.budget.count(node.mark)?;
        let line = node.mark.line + 1 + self.before;
        match &node.content {
            Parsed::Alias { target, name } => {
                self.budget.enter(id, name, node.mark)?;
                let node = self.node(*target)?;
                self.budget.leave();
                Ok(node)
            }
            Parsed::Scalar(scalar) => {
                self.budget.copy(scalar.text.len())?;
                let (tag, style) = kind(scalar);
                Ok(Node { content: Content::Scalar(scalar.text.as_ref().into()), tag, style, line })
            }
            Parsed::Sequence { items, flow } => {
                self.budget.deeper(node.mark)?;
                let items = items.iter().map(|item| self.node(*item)).collect::<Result<_, _>>()?;
                self.budget.shallower();
                Ok(Node { content: Content::List(items), tag: Tag::Seq, style: bracketed(*flow), line })
            }
            Parsed::Mapping { entries, flow } => {
                self.budget.deeper(node.mark)?;
                let entries = self.entries(entries)?;
                self.budget.shallower();
                Ok(Node { content: Content::Map(entries), tag: Tag::Map, style: bracketed(*flow), line })
            }
        }
    }

    fn entries(&mut self, entries: &[(Id, Id)]) -> Result<Vec<Entry>, Error> {
        let mut built: Vec<Entry> = Vec::with_capacity(entries.len());
        let mut merged = None;
        for (key, value) in entries {
            let key = self.key(*key)?;
            if key.tag == Tag::Merge {
                if merged.replace(*value).is_some() {
                    return Err(self.tree.get(*value).mark.syntax("duplicate merge key"));
                }
            } else {
                let value = self.node(*value)?;
                built.push(Entry { key, value });
            }
        }
        // kyaml does not find a null key again, and adds it a second time.
        let null = |entry: &&Entry| entry.key.tag == Tag::Null && !entry.key.text.is_empty();
        let again: Vec<Entry> = built.iter().filter(null).cloned().collect();
        built.extend(again);
        // It removes the first key of this name, merge or not.
        if merged.is_none()
            && let Some(at) = built.iter().position(|entry| &*entry.key.text == "<<")
        {
            built.remove(at);
        }
        if let Some(merged) = merged {
            let mut below = Vec::new();
            self.merge(merged, &mut below, true)?;
            for entry in below {
                if !built.iter().any(|known| known.key.text == entry.key.text) {
                    built.push(entry);
                }
            }
        }
        Ok(built)
    }

    /// Collects the entries that a merge key brings; of several maps the first has the last word.
    fn merge(&mut self, source: Id, below: &mut Vec<Entry>, lists: bool) -> Result<(), Error> {
        let tree = self.tree;
        let node = tree.get(source);
        let refuse =
            || node.mark.error(Kind::Value, "map merge requires map or sequence of maps as the value");
        match &node.content {
            Parsed::Sequence { items, .. } if lists => {
                items.iter().rev().try_for_each(|item| self.merge(*item, below, false))
            }
            Parsed::Mapping { .. } => {
                let Content::Map(entries) = self.node(source)?.content else { return Err(refuse()) };
                for entry in entries {
                    put(below, entry.key, entry.value);
                }
                Ok(())
            }
            Parsed::Alias { target, name } if matches!(tree.get(*target).content, Parsed::Mapping { .. }) => {
                self.budget.count(node.mark)?;
                self.budget.enter(source, name, node.mark)?;
                self.merge(*target, below, false)?;
                self.budget.leave();
                Ok(())
            }
            _ => Err(refuse()),
        }
    }

    fn key(&mut self, id: Id) -> Result<Key, Error> {
        let mark = self.tree.get(id).mark;
        let Node { content, tag, style, line } = self.node(id)?;
        match content {
            Content::Scalar(text) => Ok(Key { text, tag, style, line }),
            Content::List(_) => Err(mark.error(Kind::Value, "a list cannot be a key")),
            Content::Map(_) => Err(mark
                .error(Kind::Value, "a mapping cannot be a key")
                .hint("quote the text if it is a template")),
        }
    }
}

/// Sets an entry, the key included, where the key is already there.
fn put(entries: &mut Vec<Entry>, key: Key, value: Node) {
    match entries.iter_mut().find(|entry| entry.key.text == key.text) {
        Some(entry) => *entry = Entry { key, value },
        None => entries.push(Entry { key, value }),
    }
}

/// Tag and style as go-yaml v3 keeps them.
fn kind(scalar: &Scalar<'_>) -> (Tag, Style) {
    match scalar.tag.as_deref() {
        Some(name) if name != "!" => (Tag::new(name), scalar.style.with(Style::TAGGED)),
        _ if scalar.style.is_quoted() => (Tag::Str, scalar.style),
        _ if scalar.text == "<<" => (Tag::Merge, scalar.style),
        _ => (implied(&scalar.text), scalar.style),
    }
}

fn bracketed(flow: bool) -> Style {
    if flow { Style::FLOW } else { Style::PLAIN }
}
