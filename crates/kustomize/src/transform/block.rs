//! A document as text with the order, the quotes and the line breaks that it had; comments are lost.

use towpath_yaml::{Content, Node, Style, Tag, is_yaml_1_1_non_string};

use crate::tree;

/// The text, ending in a line break.
pub fn to_text(node: &Node) -> String {
    let mut out = String::new();
    value(node, 0, Place::Top, &mut out);
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Top,
    /// Behind `key:`.
    Field,
    /// Behind `-`.
    Item,
}

fn value(node: &Node, indent: usize, place: Place, out: &mut String) {
    match &node.content {
        Content::Scalar(_) => {
            if place == Place::Field {
                out.push(' ');
            }
            scalar(node, indent, out);
        }
        Content::List(items) if items.is_empty() || node.style.has(Style::FLOW) => flow(node, place, out),
        Content::Map(entries) if entries.is_empty() || node.style.has(Style::FLOW) => flow(node, place, out),
        Content::List(items) => {
            if place == Place::Field {
                out.push('\n');
            }
            for (number, item) in items.iter().enumerate() {
                if place != Place::Item || number > 0 {
                    pad(indent, out);
                }
                out.push_str("- ");
                value(item, indent + 2, Place::Item, out);
            }
        }
        Content::Map(entries) => {
            if place == Place::Field {
                out.push('\n');
            }
            for (number, entry) in entries.iter().enumerate() {
                if place != Place::Item || number > 0 {
                    pad(indent, out);
                }
                let key = Node {
                    tag: entry.key.tag,
                    style: entry.key.style,
                    ..Node::scalar(entry.key.text.clone())
                };
                out.push_str(&inline(&key));
                out.push(':');
                // Lists are not indented below their key.
                let deeper =
                    if matches!(entry.value.content, Content::List(_)) { indent } else { indent + 2 };
                value(&entry.value, deeper, Place::Field, out);
            }
        }
    }
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn flow(node: &Node, place: Place, out: &mut String) {
    if place == Place::Field {
        out.push(' ');
    }
    out.push_str(&brackets(node));
    out.push('\n');
}

fn brackets(node: &Node) -> String {
    match &node.content {
        Content::Scalar(_) => inline(node),
        Content::List(items) => format!("[{}]", items.iter().map(brackets).collect::<Vec<_>>().join(", ")),
        Content::Map(entries) => {
            let fields: Vec<_> = entries
                .iter()
                .map(|entry| format!("{}: {}", entry.key.text, brackets(&entry.value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

fn scalar(node: &Node, indent: usize, out: &mut String) {
    let text = tree::raw(node);
    let quoted = node.style.has(Style::DOUBLE) || node.style.has(Style::SINGLE);
    if !text.contains('\n') || quoted {
        out.push_str(&inline(node));
        out.push('\n');
        return;
    }
    let body = text.trim_end_matches('\n');
    let breaks = text.len() - body.len();
    out.push_str(match breaks {
        0 => "|-",
        1 => "|",
        _ => "|+",
    });
    for line in body.split('\n').chain(std::iter::repeat_n("", breaks.saturating_sub(1))) {
        out.push('\n');
        if !line.is_empty() {
            pad(indent.max(2), out);
            out.push_str(line);
        }
    }
    out.push('\n');
}

/// A scalar on one line.
fn inline(node: &Node) -> String {
    let text = tree::raw(node);
    if node.style.has(Style::DOUBLE) || text.contains('\n') {
        return serde_json::Value::String(text.to_owned()).to_string();
    }
    if node.style.has(Style::SINGLE) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let plain = Node::scalar(text);
    let reads_as_text = matches!(plain.to_json(), Ok(serde_json::Value::String(read)) if read == text);
    match node.tag {
        Tag::Str if !reads_as_text => serde_json::Value::String(text.to_owned()).to_string(),
        Tag::Int | Tag::Float | Tag::Bool if reads_as_text => format!("{} {text}", node.tag.name()),
        Tag::Str if !is_yaml_1_1_non_string(text) => {
            // Quoted if its first letters or what follows a colon would mean something.
            let written = towpath_yaml::to_string(&serde_json::Value::String(text.to_owned()));
            if written.starts_with('\'') {
                format!("'{}'", text.replace('\'', "''"))
            } else {
                text.to_owned()
            }
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fieldpath::parsed;

    #[test]
    fn a_document_keeps_its_form() {
        for text in [
            "b: 1\na: \"x\"\nlist:\n- one\n- two: 'x'\n  three: {a: 1, b: [1, 2]}\nempty: {}\nnone: null\n",
            "- a: |\n    one\n    two\n- - 1\n  - 2\n",
            "text: |-\n  one\n\n  two\n",
            "y: yes\nn: \"1\"\nq: '- a'\n",
        ] {
            assert_eq!(to_text(&parsed(text).unwrap().unwrap()), text);
        }
    }
}
