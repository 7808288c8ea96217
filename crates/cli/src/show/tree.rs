//! An app's objects as a tree, with their health.

use serde_json::{Value, json};
use towpath_engine::{Node, Tree};
use towpath_health::Status;

use crate::screen::style;
use crate::show::{Cell, table};

/// The tree for people.
pub fn tree_text(tree: &Tree) -> String {
    let mut rows = Vec::new();
    for node in &tree.roots {
        add(&mut rows, node, "", "");
    }
    table(&["NAMESPACE", "OBJECT", "HEALTH", "MESSAGE"], &rows)
}

fn add(rows: &mut Vec<Vec<Cell>>, node: &Node, lead: &str, below: &str) {
    let (mark, style) = match node.health.status {
        Status::Current => ("ready", style::GOOD),
        Status::InProgress => ("progressing", style::CHANGE),
        Status::Terminating => ("terminating", style::CHANGE),
        Status::Failed => ("failed", style::BAD),
        Status::NotFound => ("missing", style::BAD),
        Status::Unknown => ("unknown", style::CHANGE),
    };
    let namespace = if node.key.namespace.is_empty() { "-" } else { &node.key.namespace };
    let message = if node.health.status == Status::Current { "" } else { &node.health.message };
    rows.push(vec![
        namespace.into(),
        format!("{lead}{}/{}", node.key.kind, node.key.name).into(),
        Cell::styled(mark, style),
        message.into(),
    ]);
    for (index, child) in node.children.iter().enumerate() {
        let last = index + 1 == node.children.len();
        let (branch, further) = if last { ("└─", "  ") } else { ("├─", "│ ") };
        add(rows, child, &format!("{below}{branch}"), &format!("{below}{further}"));
    }
}

/// The tree for programs.
pub fn tree_value(node: &Node) -> Value {
    let api_version = if node.key.group.is_empty() {
        node.version.clone()
    } else {
        format!("{}/{}", node.key.group, node.version)
    };
    json!({
        "apiVersion": api_version,
        "kind": node.key.kind,
        "namespace": node.key.namespace,
        "name": node.key.name,
        "health": {"status": node.health.status.to_string(), "message": node.health.message},
        "children": node.children.iter().map(tree_value).collect::<Vec<_>>(),
    })
}
