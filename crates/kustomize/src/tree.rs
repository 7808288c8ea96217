//! Small steps on nodes that kustomize's library takes.

use towpath_yaml::{Content, Entry, Key, Node, Style, Tag};

use crate::error::Error;

/// The text of a scalar as it is written, even if it is null; nothing for a collection.
pub fn raw(node: &Node) -> &str {
    match &node.content {
        Content::Scalar(text) => text,
        _ => "",
    }
}

/// The text of a scalar; nothing for null and for a collection.
pub fn value(node: &Node) -> &str {
    if node.is_null() { "" } else { raw(node) }
}

/// Whether a scalar is a text, or has no type yet.
pub fn is_text(node: &Node) -> bool {
    matches!(node.content, Content::Scalar(_)) && matches!(node.tag, Tag::Str | Tag::None)
}

/// A map without entries.
pub fn empty_map() -> Node {
    Node::map(Vec::new())
}

/// What kyaml calls the kind of a node.
fn kind_name(node: &Node) -> &'static str {
    match node.content {
        Content::Scalar(_) => "ScalarNode",
        Content::List(_) => "SequenceNode",
        Content::Map(_) => "MappingNode",
    }
}

/// An error about a node of another kind.
pub fn wrong_kind(node: &Node, wanted: &str) -> Error {
    let content = towpath_yaml::write(node).unwrap_or_default();
    let kind = kind_name(node);
    Error::invalid(format!("wrong node kind: expected {wanted} but got {kind}: node contents:\n{content}"))
}

/// Puts another value in the place of a scalar; the style stays.
pub fn replace_scalar(node: &mut Node, mut new: Node) -> Result<(), Error> {
    if !matches!(node.content, Content::Scalar(_)) && !node.is_null() {
        return Err(wrong_kind(node, "ScalarNode"));
    }
    new.style = node.style;
    *node = new;
    Ok(())
}

/// Sets a field of a map. Nothing can be set in a null.
pub fn set_field(node: &mut Node, key: &str, value: Node) -> Result<(), Error> {
    if node.is_null() {
        return Ok(());
    }
    if !matches!(node.content, Content::Map(_)) {
        return Err(wrong_kind(node, "MappingNode"));
    }
    node.set(key, value);
    Ok(())
}

/// The map under a key; it is made where nothing is.
pub fn map_under<'n>(node: &'n mut Node, key: &str) -> Option<&'n mut Node> {
    let entries = node.entries_mut()?;
    let at = entries.iter().position(|entry| &*entry.key.text == key).unwrap_or_else(|| {
        entries.push(Entry { key: Key::new(key), value: empty_map() });
        entries.len() - 1
    });
    let value = &mut entries.get_mut(at)?.value;
    if value.is_null() {
        *value = empty_map();
    }
    matches!(value.content, Content::Map(_)).then_some(value)
}

/// Sets a field of the metadata.
pub fn set_metadata(node: &mut Node, field: &str, value: Node) {
    if let Some(metadata) = map_under(node, "metadata") {
        metadata.set(field, value);
    }
}

/// Sets the namespace; none removes the field.
pub fn set_namespace(node: &mut Node, namespace: &str) {
    if !namespace.is_empty() {
        set_metadata(node, "namespace", Node::scalar(namespace));
    } else if let Some(metadata) = node.get_mut("metadata") {
        metadata.remove("namespace");
    }
}

/// Labels or annotations as texts: what is no scalar is an empty text.
pub fn texts<'n>(node: &'n Node, field: &str) -> Vec<(&'n str, &'n str)> {
    let metadata = node.get("metadata").filter(|node| !node.is_empty());
    let entries = metadata.and_then(|metadata| metadata.get(field)).map(Node::entries).unwrap_or_default();
    entries.iter().map(|entry| (&*entry.key.text, raw(&entry.value))).collect()
}

/// Makes labels or annotations anew, sorted and all as texts; none removes the field.
pub fn set_texts(node: &mut Node, field: &str, mut texts: Vec<(String, String)>) {
    texts.sort();
    let Some(metadata) = map_under(node, "metadata") else { return };
    metadata.remove(field);
    if texts.is_empty() {
        return;
    }
    let mut map = empty_map();
    for (key, value) in texts {
        map.put(&key, long_text(value));
    }
    metadata.put(field, map);
}

/// A text; with line breaks in literal style, as a text that is set anew gets it.
pub fn long_text(value: String) -> Node {
    let style = if value.contains('\n') { Style::LITERAL } else { Style::PLAIN };
    Node { style, ..Node::text(value) }
}

#[cfg(test)]
mod tests {
    use towpath_yaml::{Dialect, Limits, read, write};

    use super::*;

    fn node(text: &str) -> Node {
        read(text.as_bytes(), Dialect::V3, &Limits::default()).unwrap().remove(0)
    }

    #[test]
    fn annotations_become_texts() {
        let mut object = node("metadata: {annotations: {b: 1, a: ~, c: {d: 1}}}\n");
        let all: Vec<_> = texts(&object, "annotations")
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        set_texts(&mut object, "annotations", all);
        assert_eq!(
            write(&object).unwrap(),
            "metadata:\n  annotations:\n    a: \"~\"\n    b: \"1\"\n    c: \"\"\n"
        );
        set_texts(&mut object, "annotations", Vec::new());
        assert_eq!(write(&object).unwrap(), "metadata: {}\n");
    }

    #[test]
    fn a_replaced_scalar_keeps_its_style() {
        let mut object = node("a: x\nb: \"x\"\n");
        for key in ["a", "b"] {
            replace_scalar(object.get_mut(key).unwrap(), Node::scalar("5")).unwrap();
        }
        assert_eq!(write(&object).unwrap(), "a: 5\nb: \"5\"\n");
        assert!(replace_scalar(&mut object, Node::scalar("5")).is_err());
    }
}
