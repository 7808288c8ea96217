//! Objects and requests for the tests of this module.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::{Value, json};
use towpath_object::{Gvk, Kinds, Object, Resource};

use super::{Caller, Request, Rules, Selection, SyncOptions, Wanted};

/// An object with further metadata.
pub fn object(api_version: &str, kind: &str, namespace: &str, name: &str, metadata: Value) -> Object {
    let mut metadata = metadata;
    metadata["name"] = name.into();
    if !namespace.is_empty() {
        metadata["namespace"] = namespace.into();
    }
    Object::new(json!({"apiVersion": api_version, "kind": kind, "metadata": metadata})).unwrap()
}

/// A wanted object with further metadata.
pub fn wanted(api_version: &str, kind: &str, namespace: &str, name: &str, metadata: Value) -> Wanted {
    Wanted { object: object(api_version, kind, namespace, name, metadata), prefix: None, origin: None }
}

/// A Pod with annotations.
pub fn annotated(annotations: &[(&str, &str)]) -> Object {
    let map: BTreeMap<&str, &str> = annotations.iter().copied().collect();
    object("v1", "Pod", "web", "pod", json!({"annotations": map}))
}

pub static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let mut kinds = Kinds::default();
    for (api_version, kind, plural, namespaced) in [
        ("v1", "Namespace", "namespaces", false),
        ("v1", "Pod", "pods", true),
        ("v1", "ConfigMap", "configmaps", true),
        ("v1", "Secret", "secrets", true),
        ("v1", "Service", "services", true),
        ("apps/v1", "Deployment", "deployments", true),
        ("batch/v1", "Job", "jobs", true),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", false),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", false),
    ] {
        kinds.add(Resource { gvk: Gvk::new(api_version, kind), plural: plural.into(), namespaced });
    }
    kinds
});

pub static READABLE: BTreeMap<String, String> = BTreeMap::new();

/// A request with Argo CD's rules for the unit of the namespace `web`.
pub fn request(wanted: Vec<Wanted>, live: Vec<Object>) -> Request<'static> {
    Request {
        rules: Rules::Argo,
        options: SyncOptions::default(),
        namespace: "web".into(),
        namespace_metadata: None,
        wanted,
        live,
        selection: Selection::All,
        revision: "0123456789".into(),
        started: Timestamp::from_second(1_700_000_000).unwrap(),
        kinds: &KINDS,
        unreadable: &READABLE,
        caller: &() as &dyn Caller,
    }
}
