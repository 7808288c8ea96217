//! Nodes to YAML as go-yaml v3 writes them: in their order and their style, without line wrapping.
//!
//! In kustomize this text is seen where a replacement changes a value inside of a document inside of a text,
//! and in some error messages. Comments and tags that are not YAML's own are not written, because a node does
//! not have them.

use super::SIMPLE_KEY;
use super::scalar::Facts;
use super::writer::Writer;
use crate::node::{Content, Entry, Node, Style, Tag, implied};

/// A node as one document.
pub(crate) fn text(node: &Node) -> String {
    let mut emitter = Emitter { writer: Writer::new(String::new()) };
    emitter.node(node, None, Context { flow: false, mapping: false });
    emitter.writer.indent(0);
    emitter.writer.out
}

struct Emitter {
    writer: Writer,
}

#[derive(Clone, Copy)]
struct Context {
    /// Inside of brackets.
    flow: bool,
    /// The value of a key.
    mapping: bool,
}

impl Emitter {
    /// `indent` is the column of the collection around; none at the top.
    fn node(&mut self, node: &Node, indent: Option<usize>, context: Context) {
        let deeper = indent.map_or(0, |indent| indent + 2);
        match &node.content {
            Content::Scalar(text) => {
                self.scalar(
                    text,
                    node.tag,
                    node.style,
                    indent.map_or(2, |indent| indent + 2),
                    context.flow,
                    false,
                );
            }
            Content::List(items) if context.flow || node.style.has(Style::FLOW) || items.is_empty() => {
                self.writer.open('[');
                for (at, item) in items.iter().enumerate() {
                    self.separate(at);
                    self.node(item, Some(deeper), Context { flow: true, mapping: false });
                }
                self.writer.close(']');
            }
            Content::Map(entries) if context.flow || node.style.has(Style::FLOW) || entries.is_empty() => {
                self.writer.open('{');
                for (at, Entry { key, value }) in entries.iter().enumerate() {
                    self.separate(at);
                    self.scalar(&key.text, key.tag, key.style, deeper + 2, true, true);
                    self.writer.colon();
                    self.node(value, Some(deeper), Context { flow: true, mapping: true });
                }
                self.writer.close('}');
            }
            Content::List(items) => {
                let compact = context.mapping && self.writer.behind_key();
                let column = if compact { deeper.saturating_sub(2) } else { deeper };
                for item in items {
                    self.writer.indent(column);
                    self.writer.lead('-');
                    self.node(item, Some(column), Context { flow: false, mapping: false });
                }
            }
            Content::Map(entries) => {
                for entry in entries {
                    self.entry(entry, deeper);
                }
            }
        }
    }

    fn entry(&mut self, Entry { key, value }: &Entry, column: usize) {
        self.writer.indent(column);
        if Facts::of(&key.text).multiline || key.text.len() > SIMPLE_KEY {
            self.writer.lead('?');
            self.scalar(&key.text, key.tag, key.style, column + 2, false, false);
            self.writer.indent(column);
            self.writer.lead(':');
        } else {
            self.scalar(&key.text, key.tag, key.style, column + 2, false, true);
            self.writer.colon();
        }
        self.node(value, Some(column), Context { flow: false, mapping: true });
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.writer.comma();
        }
    }

    fn scalar(&mut self, text: &str, tag: Tag, style: Style, indent: usize, flow: bool, key: bool) {
        let implied = implied(text);
        let implicit = tag == Tag::None || tag == Tag::Other || tag == implied || tag == Tag::Str;
        if (style.has(Style::TAGGED) || !implicit) && !matches!(tag, Tag::None | Tag::Other) {
            self.writer.word(tag.name());
        }
        let facts = Facts::of(text);
        let quoted = |text: &str| {
            if facts.single_forbidden() || key && text.contains('\n') { Style::DOUBLE } else { Style::SINGLE }
        };
        let wanted = if style.is_quoted() {
            style
        } else if text.contains('\n') {
            Style::LITERAL
        } else if implied != Tag::Str && (tag == Tag::Str && !style.has(Style::TAGGED) || tag == Tag::Other) {
            // A tag that is not known made a text of it, and cannot be written.
            Style::DOUBLE
        } else {
            Style::PLAIN
        };
        let plain =
            if flow { facts.v3_plain() && !text.is_empty() && flow_safe(text) } else { facts.v3_plain() };
        let block = wanted.has(Style::LITERAL) || wanted.has(Style::FOLDED);
        if wanted.has(Style::DOUBLE) || key && facts.multiline {
            self.writer.double_quoted(text, indent, false);
        } else if wanted.has(Style::SINGLE) || !block && (!plain || text.is_empty() && key) {
            match quoted(text) {
                Style::DOUBLE => self.writer.double_quoted(text, indent, false),
                _ => self.writer.single_quoted(text, indent, false),
            }
        } else if !block {
            if !text.is_empty() {
                self.writer.plain(text, indent, false);
            }
        } else if facts.block_forbidden() || flow || key || text.is_empty() {
            self.writer.double_quoted(text, indent, false);
        } else if wanted.has(Style::LITERAL) {
            self.writer.literal(text, indent);
        } else {
            self.writer.folded(text, indent);
        }
    }
}

/// Whether a text has nothing that means more than itself inside of brackets.
fn flow_safe(text: &str) -> bool {
    !text.contains([',', '?', '[', ']', '{', '}', ':'])
}
