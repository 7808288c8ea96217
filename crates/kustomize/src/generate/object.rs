//! ConfigMaps and Secrets as nodes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use towpath_yaml::{Entry, Key, Node, Tag};

use super::pairs::{self, Made};
use crate::error::Error;
use crate::loader::Loader;
use crate::spec::{GeneratorArgs, GeneratorOptions, SecretArgs};
use crate::tree;

/// How long a line of encoded data is.
const LINE: usize = 70;

/// A ConfigMap.
pub fn config_map(loader: &Loader<'_>, args: &GeneratorArgs) -> Result<Node, Error> {
    let mut node = base("ConfigMap", args)?;
    let (mut data, mut binary) = (Vec::new(), Vec::new());
    for (key, value) in pairs::load(loader, args, Made::ConfigMap)? {
        match String::from_utf8(value) {
            Ok(text) => data.push(entry(key, text)),
            Err(error) => binary.push(entry(key, encoded(error.as_bytes()))),
        }
    }
    for (field, entries) in [("data", data), ("binaryData", binary)] {
        if !entries.is_empty() {
            node.put(field, Node::map(entries));
        }
    }
    decorate(&mut node, args.options.as_ref());
    Ok(node)
}

/// A Secret.
pub fn secret(loader: &Loader<'_>, args: &SecretArgs) -> Result<Node, Error> {
    let mut node = base("Secret", &args.common)?;
    let kind = if args.r#type.is_empty() { "Opaque" } else { &args.r#type };
    node.put("type", Node::text(kind));
    let pairs = pairs::load(loader, &args.common, Made::Secret)?;
    let data = pairs.into_iter().map(|(key, value)| entry(key, encoded(&value)));
    node.put("data", Node::map(data.collect()));
    decorate(&mut node, args.common.options.as_ref());
    Ok(node)
}

fn base(kind: &str, args: &GeneratorArgs) -> Result<Node, Error> {
    if args.name.is_empty() {
        return Err(Error::invalid("a configmap must have a name"));
    }
    let mut node = Node::map(vec![
        entry("apiVersion".to_owned(), "v1".to_owned()),
        entry("kind".to_owned(), kind.to_owned()),
    ]);
    tree::set_metadata(&mut node, "name", Node::scalar(args.name.as_str()));
    if !args.namespace.is_empty() {
        tree::set_metadata(&mut node, "namespace", Node::scalar(args.namespace.as_str()));
    }
    Ok(node)
}

fn entry(key: String, value: String) -> Entry {
    Entry { key: Key { tag: Tag::Str, ..Key::new(key) }, value: tree::long_text(value) }
}

fn decorate(node: &mut Node, options: Option<&GeneratorOptions>) {
    let Some(options) = options else { return };
    for (field, texts) in [("labels", &options.labels), ("annotations", &options.annotations)] {
        tree::set_texts(node, field, texts.clone().into_iter().collect());
    }
    if options.immutable {
        node.put("immutable", Node { tag: Tag::Bool, ..Node::scalar("true") });
    }
}

/// Base64; what is longer than a line is broken into lines.
pub fn encoded(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    if text.len() < LINE {
        return text;
    }
    let mut lines = String::with_capacity(text.len() + text.len() / LINE + 1);
    for (number, letter) in text.chars().enumerate() {
        if number > 0 && number % LINE == 0 {
            lines.push('\n');
        }
        lines.push(letter);
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_data_is_broken_into_lines() {
        assert_eq!(encoded(b"hello"), "aGVsbG8=");
        let text = encoded(&[b'x'; 60]);
        let lines: Vec<_> = text.split('\n').map(str::len).collect();
        assert_eq!(lines, [70, 10, 0]);
    }
}
