//! How results look: tables, diffs and trees for people, documents for programs.

mod changes;
mod diff;
mod table;
mod tree;

use serde_json::Value;
use towpath_object::Key;

use crate::args::Output;
use crate::screen::Screen;

pub use changes::{change_table, changes_value, summary_words};
pub use diff::diff_text;
use diff::explained;
pub use table::{Cell, table};
pub use tree::{tree_text, tree_value};

/// Prints a result for programs; without a form for programs, nothing.
pub fn document(value: &Value, output: Option<Output>, screen: &mut Screen) {
    match output {
        Some(Output::Json) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            screen.print(&format!("{text}\n"));
        }
        Some(Output::Yaml) => screen.print(&towpath_yaml::to_string(value)),
        Some(Output::Name) | None => {}
    }
}

/// One name a line.
pub fn names<'a>(keys: impl IntoIterator<Item = &'a Key>) -> String {
    keys.into_iter().map(|key| format!("{}\n", name(key))).collect()
}

/// `deployment.apps/api`, as `kubectl -o name` writes it.
fn name(key: &Key) -> String {
    let kind = key.kind.to_lowercase();
    if key.group.is_empty() {
        format!("{kind}/{}", key.name)
    } else {
        format!("{kind}.{}/{}", key.group, key.name)
    }
}
