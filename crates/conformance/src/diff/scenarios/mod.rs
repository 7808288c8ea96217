//! What is applied, changed by somebody else, and applied again.

mod config;
mod custom;
mod network;
mod workloads;

use serde_json::{Value, json};

/// One story of an object.
pub(super) struct Scenario {
    pub(super) name: String,
    /// Where the server has it.
    pub(super) path: String,
    /// A definition that has to be there first, and where.
    pub(super) definition: Option<(String, Value)>,
    /// What is applied.
    pub(super) first: Value,
    /// What somebody else changes then, as a merge patch.
    pub(super) edit: Option<Value>,
    /// What is to be applied now.
    pub(super) second: Value,
}

/// A kind with its first form and the changes to it: name, patch from first to second, edit by somebody else.
struct Story {
    plural: &'static str,
    first: Value,
    changes: Vec<(&'static str, Value, Option<Value>)>,
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let stories = [
        workloads::deployment(),
        network::service(),
        config::settings(),
        config::secret(),
        config::role(),
        network::ingress(),
        workloads::stateful(),
        network::policy(),
        workloads::scaler(),
        custom::custom(),
    ];
    stories.into_iter().flat_map(told).collect()
}

fn told(story: Story) -> Vec<Scenario> {
    let text = |name: &str| story.first.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let root = if version.contains('/') { "/apis" } else { "/api" };
    let path = format!("{root}/{version}/namespaces/NAMESPACE/{}/x", story.plural);
    let definition = (kind == "Basket").then(|| {
        (
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/baskets.example.com".to_owned(),
            custom::basket(),
        )
    });
    let same = ("is the same", json!({}), None);
    let changes = std::iter::once(same).chain(story.changes);
    changes
        .map(|(name, patch, edit)| Scenario {
            name: format!("{kind} {name}"),
            path: path.clone(),
            definition: definition.clone(),
            first: story.first.clone(),
            edit,
            second: patched(story.first.clone(), &patch),
        })
        .collect()
}

/// A merge patch: null takes away. `"NULL"` stands for a null that is really written.
fn patched(mut value: Value, patch: &Value) -> Value {
    let Value::Object(fields) = patch else { return patch.clone() };
    if !value.is_object() {
        value = json!({});
    }
    if let Some(map) = value.as_object_mut() {
        for (name, patch) in fields {
            if patch.is_null() {
                map.remove(name);
            } else if patch == "NULL" {
                map.insert(name.clone(), Value::Null);
            } else {
                let old = map.remove(name).unwrap_or_default();
                map.insert(name.clone(), patched(old, patch));
            }
        }
    }
    value
}
