//! Manifests to targets: each with the path the server serves it at, in its namespace, with the app's labels.
//!
//! Everything that can be known to be wrong before the first request is found here, all of it at once.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use towpath_object::{Digest, Key, Kinds, Object, Resource, digest};

use crate::{App, Manifest, Origin, Stage, rank};

/// The most that a server takes in one request.
/// <https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apiserver/pkg/server/config.go>
const MAX_REQUEST: usize = 3 * 1024 * 1024;
/// The most data that a ConfigMap or Secret may hold.
const MAX_DATA: usize = 1024 * 1024;

/// A manifest that is ready to be applied.
#[derive(Clone, Debug)]
pub struct Target {
    /// The object with its namespace and labels set.
    pub object: Object,
    /// How the server serves its kind.
    pub resource: Resource,
    /// Where it was written.
    pub origin: Origin,
    /// When it is applied.
    pub stage: Stage,
    /// The digest of the object, for telling whether it changed since the last run.
    pub digest: Digest,
}

impl Target {
    /// The identity of the object.
    pub fn key(&self) -> Key {
        self.object.key()
    }
}

/// Something that is wrong with a manifest, whatever the cluster's state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The server serves no such kind and no manifest defines it.
    #[error("{origin}: {key}: the cluster has no kind {kind} in {api_version}{advice}")]
    UnknownKind {
        /// Where it was written.
        origin: Origin,
        /// The object.
        key: Key,
        /// The kind that is unknown.
        kind: String,
        /// The version asked for.
        api_version: String,
        /// What may have been meant; empty or a clause that begins with a semicolon.
        advice: String,
    },
    /// Two manifests are the same object.
    #[error("{origin}: {key} is already defined at {first}; an object may be in one place only")]
    Duplicate {
        /// Where the second one was written.
        origin: Origin,
        /// The object.
        key: Key,
        /// Where the first one was written.
        first: Origin,
    },
    /// The server would not take so large an object.
    #[error("{origin}: {key}: {what} is {size} bytes; Kubernetes takes at most {limit}")]
    TooLarge {
        /// Where it was written.
        origin: Origin,
        /// The object.
        key: Key,
        /// What is too large.
        what: &'static str,
        /// How large it is.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
}

/// Resolves all manifests, in the order of application, or says everything that is wrong with them.
pub fn resolve(manifests: Vec<Manifest>, kinds: &Kinds, app: &App) -> Result<Vec<Target>, Vec<Problem>> {
    let mut kinds = kinds.clone();
    for manifest in manifests.iter().filter(|manifest| is_definition(&manifest.object)) {
        kinds.add_definition(manifest.object.value());
    }
    let labels = app.labels();
    let mut problems = Vec::new();
    let mut seen: BTreeMap<Key, Origin> = BTreeMap::new();
    let mut targets = Vec::with_capacity(manifests.len());
    for Manifest { mut object, origin } in manifests {
        let Some(resource) = kinds.get(&object.gvk()).cloned() else {
            problems.push(unknown(&kinds, &object, origin));
            continue;
        };
        if !resource.namespaced {
            object.set_namespace("");
        } else if object.namespace().is_empty() {
            object.set_namespace(&app.namespace);
        }
        let key = object.key();
        if let Some(first) = seen.get(&key) {
            problems.push(Problem::Duplicate { origin, key, first: first.clone() });
            continue;
        }
        seen.insert(key.clone(), origin.clone());
        if let Some((what, size, limit)) = excess(&object) {
            problems.push(Problem::TooLarge { origin, key, what, size, limit });
            continue;
        }
        object.add_labels(&labels);
        let object = fold_string_data(object);
        let (stage, _) = rank(&key.group, &key.kind);
        let digest = digest(object.value());
        targets.push(Target { object, resource, origin, stage, digest });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    targets.sort_by_cached_key(|target| {
        let key = target.key();
        (rank(&key.group, &key.kind), key)
    });
    Ok(targets)
}

/// Writes a Secret's `stringData` as `data`. The server does the same when it stores the object, but remembers that we
/// own `stringData`, which then does not exist: entries that are taken out of it would stay for ever.
#[expect(clippy::missing_panics_doc, reason = "it cannot: its identity does not change")]
pub fn fold_string_data(object: Object) -> Object {
    let gvk = object.gvk();
    let written = object.value().get("stringData").and_then(Value::as_object);
    let all_text = written.is_some_and(|entries| entries.values().all(Value::is_string));
    if !gvk.group.is_empty() || gvk.kind != "Secret" || !all_text {
        return object;
    }
    let mut value = object.into_value();
    if let Some(fields) = value.as_object_mut()
        && let Some(Value::Object(written)) = fields.remove("stringData")
        && let Some(data) = data_of(fields)
    {
        for (name, text) in written {
            data.insert(name, STANDARD.encode(text.as_str().unwrap_or_default()).into());
        }
    }
    Object::new(value).expect("its identity did not change")
}

/// The `data` of a Secret, made where it is missing or null.
fn data_of(fields: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    let data = fields.entry("data").or_insert(Value::Null);
    if data.is_null() {
        *data = Value::Object(Map::new());
    }
    data.as_object_mut()
}

fn is_definition(object: &Object) -> bool {
    let gvk = object.gvk();
    gvk.group == "apiextensions.k8s.io" && gvk.kind == "CustomResourceDefinition"
}

fn unknown(kinds: &Kinds, object: &Object, origin: Origin) -> Problem {
    let gvk = object.gvk();
    let served: Vec<String> =
        kinds.versions(&gvk.group, &gvk.kind).iter().map(|resource| resource.gvk.api_version()).collect();
    let elsewhere: Vec<String> = kinds.named(&gvk.kind).map(|resource| resource.gvk.to_string()).collect();
    let advice = match (served.is_empty(), elsewhere.is_empty()) {
        (false, _) => format!("; it serves {}", served.join(", ")),
        (true, false) => format!("; did you mean {}?", elsewhere.join(" or ")),
        (true, true) => "; install its CustomResourceDefinition first, or add it to these files".into(),
    };
    Problem::UnknownKind { origin, key: object.key(), api_version: gvk.api_version(), kind: gvk.kind, advice }
}

/// What is too large about an object: what, how large, how large it may be.
pub(crate) fn excess(object: &Object) -> Option<(&'static str, usize, usize)> {
    if object.gvk().group.is_empty() && matches!(object.kind(), "ConfigMap" | "Secret") {
        let data = data_size(object.value());
        if data > MAX_DATA {
            return Some(("its data", data, MAX_DATA));
        }
    }
    let size = json_size(object.value());
    (size > MAX_REQUEST).then_some(("it", size, MAX_REQUEST))
}

fn data_size(value: &Value) -> usize {
    let part = |name: &str, size: fn(usize) -> usize| -> usize {
        let entries = value.get(name).and_then(Value::as_object).into_iter().flatten();
        entries.map(|(name, value)| name.len() + size(value.as_str().map_or(0, str::len))).sum()
    };
    let base64 = |length: usize| length / 4 * 3;
    if value.get("kind").and_then(Value::as_str) == Some("Secret") {
        part("data", base64) + part("stringData", |length| length)
    } else {
        part("data", |length| length) + part("binaryData", base64)
    }
}

/// A lower bound of the object's size as JSON, without writing it out.
fn json_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| json_size(item) + 1).sum::<usize>(),
        Value::Object(entries) => {
            2 + entries.iter().map(|(name, item)| name.len() + 4 + json_size(item)).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AppName;
    use serde_json::json;
    use towpath_object::Gvk;

    fn app() -> App {
        App { name: AppName::new("shop").unwrap(), namespace: "web".into() }
    }

    fn kinds() -> Kinds {
        let mut kinds = Kinds::default();
        for (api_version, kind, plural, namespaced) in [
            ("v1", "ConfigMap", "configmaps", true),
            ("v1", "Namespace", "namespaces", false),
            ("v1", "Secret", "secrets", true),
            ("apps/v1", "Deployment", "deployments", true),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", false),
        ] {
            kinds.add(Resource { gvk: Gvk::new(api_version, kind), plural: plural.into(), namespaced });
        }
        kinds
    }

    fn manifest(line: u32, value: Value) -> Manifest {
        Manifest { object: Object::new(value).unwrap(), origin: Origin { file: "a.yaml".into(), line } }
    }

    fn simple(api_version: &str, kind: &str, name: &str) -> Value {
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})
    }

    #[test]
    fn targets_are_placed_labelled_and_ordered() {
        let targets = resolve(
            vec![
                manifest(1, simple("apps/v1", "Deployment", "api")),
                manifest(9, simple("v1", "ConfigMap", "settings")),
                manifest(12, json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web", "namespace": "x"}})),
            ],
            &kinds(),
            &app(),
        )
        .unwrap();
        let keys: Vec<_> = targets.iter().map(|target| target.key().to_string()).collect();
        assert_eq!(keys, ["Namespace/web", "ConfigMap/web/settings", "Deployment/web/api"]);
        assert!(targets.iter().all(|target| target.object.label(crate::APP_LABEL) == Some("shop")));
    }

    #[test]
    fn a_kind_may_be_defined_beside_its_objects() {
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "baskets.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
                     "versions": [{"name": "v1", "served": true}]},
        });
        let basket = manifest(1, simple("example.com/v1", "Basket", "b"));
        assert!(resolve(vec![basket.clone(), manifest(5, definition)], &kinds(), &app()).is_ok());
        let problems = resolve(vec![basket], &kinds(), &app()).unwrap_err();
        assert!(
            problems[0]
                .to_string()
                .starts_with("a.yaml:1: Basket/b: the cluster has no kind Basket in example.com/v1;")
        );
    }

    #[test]
    fn string_data_is_folded_into_data() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
                            "data": {"a": "MQ=="}, "stringData": {"b": "2"}});
        let targets = resolve(vec![manifest(1, secret)], &kinds(), &app()).unwrap();
        assert_eq!(targets[0].object.value()["data"], json!({"a": "MQ==", "b": "Mg=="}));
        assert!(targets[0].object.value().get("stringData").is_none());
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let mut large = simple("v1", "ConfigMap", "large");
        large["data"] = json!({"x": "y".repeat(5_000_000)});
        let problems = resolve(
            vec![
                manifest(1, simple("v1", "ConfigMap", "a")),
                manifest(7, json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "web"}})),
                manifest(13, simple("apps/v1beta1", "Deployment", "old")),
                manifest(20, large),
            ],
            &kinds(),
            &app(),
        )
        .unwrap_err();
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "a.yaml:7: ConfigMap/web/a is already defined at a.yaml:1; an object may be in one place only",
                "a.yaml:13: Deployment/old: the cluster has no kind Deployment in apps/v1beta1; it serves apps/v1",
                "a.yaml:20: ConfigMap/web/large: its data is 5000001 bytes; Kubernetes takes at most 1048576",
            ]
        );
    }
}
