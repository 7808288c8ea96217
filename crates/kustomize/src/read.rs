//! Bytes to objects.

use serde_json::Value;
use towpath_yaml::{Content, Dialect, Kind, Limits, Node};

use crate::error::Error;
use crate::kinds::Kinds;
use crate::resource::Resource;
use crate::tree;

/// The objects of a file: its documents, with lists taken apart.
pub fn objects(bytes: &[u8], kinds: &Kinds, limits: &Limits) -> Result<Vec<Resource>, Error> {
    let mut nodes = towpath_yaml::read(bytes, Dialect::V3, limits).map_err(|error| malformed(&error))?;
    if let [only] = nodes.as_mut_slice() {
        let kind = only.get("kind").map_or("", tree::raw);
        if matches!(kind, "List" | "ResourceList")
            && (only.get("items").or(only.get("functionConfig"))).is_some()
        {
            let items = only.get_mut("items").and_then(Node::items_mut).map(std::mem::take);
            nodes = items.unwrap_or_default();
        }
    }
    let mut queue = usable(nodes)?;
    let mut objects = Vec::with_capacity(queue.len());
    while !queue.is_empty() {
        let mut inner = Vec::new();
        for mut node in queue {
            let kind = node.get("kind").map_or("", tree::raw).to_owned();
            match node.get_mut("items") {
                Some(items) if kind.ends_with("List") => inner.extend(expand(items, &kind)?),
                _ => objects.push(Resource::new(node, kinds)),
            }
        }
        queue = usable(inner)?;
    }
    Ok(objects)
}

fn malformed(error: &towpath_yaml::Error) -> Error {
    if error.message.starts_with("invalid document separator") {
        return Error::invalid(error.message.clone());
    }
    if error.kind == Kind::Limit {
        return Error::Limit(format!("line {}: {}", error.line, error.message));
    }
    Error::Malformed(format!("MalformedYAMLError: yaml: line {}: {}", error.line, error.message))
}

fn expand(items: &mut Node, kind: &str) -> Result<Vec<Node>, Error> {
    if items.is_null() {
        return Ok(Vec::new());
    }
    let found = match &mut items.content {
        Content::List(items) => return Ok(std::mem::take(items)),
        Content::Map(_) => "map[string]interface {}",
        Content::Scalar(_) => "string",
    };
    Err(Error::invalid(format!("expected array in {kind}/items, but found {found}")))
}

/// Leaves out what is empty; the rest must have a kind and a name.
fn usable(nodes: Vec<Node>) -> Result<Vec<Node>, Error> {
    let mut kept = Vec::with_capacity(nodes.len());
    for node in nodes {
        if node.is_empty() {
            continue;
        }
        check_metadata(&node)?;
        kept.push(node);
    }
    Ok(kept)
}

/// An object must have a kind and, unless it is a list, a name.
fn check_metadata(node: &Node) -> Result<(), Error> {
    let present = |node: &&Node| !node.is_empty();
    let field = |name: &str| node.get(name).filter(present).map_or("", tree::value);
    let (api_version, kind) = (field("apiVersion"), field("kind"));
    let metadata = node.get("metadata").filter(present);
    let known = metadata.is_some_and(|metadata| {
        ["name", "namespace", "labels", "annotations"]
            .into_iter()
            .any(|name| metadata.get(name).as_ref().is_some_and(present))
    });
    let typed = ["apiVersion", "kind"].into_iter().any(|name| node.get(name).as_ref().is_some_and(present));
    if !typed && !known {
        return Err(Error::invalid("missing Resource metadata"));
    }
    let name = metadata.and_then(|metadata| metadata.get("name")).filter(present).map_or("", tree::raw);
    let missing = if kind.is_empty() {
        "kind"
    } else if name.is_empty() && !kind.ends_with("List") {
        "metadata.name"
    } else {
        return Ok(());
    };
    let namespace =
        metadata.and_then(|metadata| metadata.get("namespace")).filter(present).map_or("", tree::value);
    let map = |field: &str| {
        let mut texts = tree::texts(node, field);
        texts.sort_unstable();
        let pairs: Vec<_> = texts.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        format!("map[{}]", pairs.join(" "))
    };
    let (labels, annotations) = (map("labels"), map("annotations"));
    Err(Error::invalid(format!(
        "missing {missing} in object {{{{{api_version} {kind}}} {{{{{name} {namespace}}} {labels} {annotations}}}}}"
    )))
}

/// A value in the other dialect: kustomization files, configurations, JSON patches.
pub fn value(bytes: &[u8], limits: &Limits) -> Result<Value, Error> {
    let nodes = towpath_yaml::read(bytes, Dialect::V2, limits)
        .map_err(|error| Error::invalid(format!("yaml: line {}: {}", error.line, error.message)))?;
    match nodes.first() {
        None => Ok(Value::Null),
        Some(node) => node.to_json().map_err(|error| Error::invalid(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        objects(text.as_bytes(), &Kinds::default(), &Limits::default())
            .unwrap()
            .iter()
            .map(|object| object.name().to_owned())
            .collect()
    }

    fn refused(text: &str) -> String {
        objects(text.as_bytes(), &Kinds::default(), &Limits::default()).unwrap_err().to_string()
    }

    #[test]
    fn lists_are_taken_apart() {
        let one = |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}");
        let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n", one("a"), one("b"));
        assert_eq!(names(&list), ["a", "b"]);
        let two = format!("{}\n---\n{}", list.replace("kind: List", "kind: ConfigMapList"), one("c"));
        assert_eq!(names(&two), ["c", "a", "b"]);
        assert_eq!(names("apiVersion: v1\nkind: FooList\nmetadata: {name: x}\n"), ["x"]);
        assert_eq!(names("apiVersion: v1\nkind: FooList\nitems:\n---\n"), [""; 0]);
    }

    #[test]
    fn what_has_no_name_is_refused() {
        assert_eq!(
            refused("apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {b: c, a: b}}\n"),
            "missing metadata.name in object {{v1 ConfigMap} {{ } map[a:b b:c] map[]}}"
        );
        assert_eq!(refused("a: b\n"), "missing Resource metadata");
        assert!(refused("a: [\n").starts_with("MalformedYAMLError: yaml: line "));
    }
}
