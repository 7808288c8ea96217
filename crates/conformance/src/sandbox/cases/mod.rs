//! The sequences, written by hand.

mod apply;
mod change;
mod custom;
mod delete;
mod read;
mod write;

use serde_json::{Value, json};

use super::sequence::Sequence;

pub use custom::definition;

const MAPS: &str = "/api/v1/namespaces/NAMESPACE/configmaps";
const MAP: &str = "/api/v1/namespaces/NAMESPACE/configmaps/a";

/// All of them.
pub fn all() -> Vec<Sequence> {
    [write::all(), read::all(), change::all(), apply::all(), delete::all(), custom::all()]
        .into_iter()
        .flatten()
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "it reads better at the call")]
fn map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}
