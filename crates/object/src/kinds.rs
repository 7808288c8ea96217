//! What a server serves: for each kind its path, its scope and its versions, as data.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Gvk, Key};

/// How a server serves one version of a kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    /// Group, version and kind.
    pub gvk: Gvk,
    /// The last part of the path: `deployments`.
    pub plural: String,
    /// True when its objects live in namespaces.
    pub namespaced: bool,
}

impl Resource {
    /// The key of the object of this kind with that name; cluster-scoped kinds drop the namespace.
    pub fn key(&self, namespace: &str, name: &str) -> Key {
        Key::new(&self.gvk.group, &self.gvk.kind, if self.namespaced { namespace } else { "" }, name)
    }
}

/// The kinds a server serves, and the versions of each in the server's order of preference.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    by_kind: BTreeMap<(String, String), Vec<Resource>>,
}

impl Kinds {
    /// Exactly this version of the kind.
    pub fn get(&self, gvk: &Gvk) -> Option<&Resource> {
        self.versions(&gvk.group, &gvk.kind).iter().find(|resource| resource.gvk.version == gvk.version)
    }

    /// All served versions of a kind, preferred first.
    pub fn versions(&self, group: &str, kind: &str) -> &[Resource] {
        self.by_kind.get(&(group.to_string(), kind.to_string())).map_or(&[], Vec::as_slice)
    }

    /// The kind in any group, for telling a person what they may have meant.
    pub fn named(&self, kind: &str) -> impl Iterator<Item = &Resource> {
        self.by_kind
            .iter()
            .filter(move |((_, name), _)| name.eq_ignore_ascii_case(kind))
            .filter_map(|(_, versions)| versions.first())
    }

    /// Every kind in its preferred version.
    pub fn preferred(&self) -> impl Iterator<Item = &Resource> {
        self.by_kind.values().filter_map(|versions| versions.first())
    }

    /// Adds a version after those already there; a version that is there stays as it is.
    pub fn add(&mut self, resource: Resource) {
        let versions =
            self.by_kind.entry((resource.gvk.group.clone(), resource.gvk.kind.clone())).or_default();
        if !versions.iter().any(|known| known.gvk.version == resource.gvk.version) {
            versions.push(resource);
        }
    }

    /// Adds what an aggregated discovery document (`APIGroupDiscoveryList`) lists.
    /// <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>
    pub fn add_discovery(&mut self, document: &Value) {
        for group in list(document, "items") {
            let name = str_of(group.pointer("/metadata/name"));
            for version in list(group, "versions") {
                for served in list(version, "resources") {
                    self.add(Resource {
                        gvk: Gvk {
                            group: text_or(served.pointer("/responseKind/group"), name),
                            version: text_or(
                                served.pointer("/responseKind/version"),
                                str_of(version.get("version")),
                            ),
                            kind: str_of(served.pointer("/responseKind/kind")).into(),
                        },
                        plural: str_of(served.get("resource")).into(),
                        namespaced: served.get("scope").and_then(Value::as_str) == Some("Namespaced"),
                    });
                }
            }
        }
    }

    /// Adds what an `APIResourceList` of one group and version lists: the older form of discovery.
    pub fn add_resource_list(&mut self, document: &Value) {
        let group_version = str_of(document.get("groupVersion"));
        for served in list(document, "resources") {
            let plural = str_of(served.get("name"));
            if !plural.contains('/') {
                self.add(Resource {
                    gvk: Gvk::new(group_version, str_of(served.get("kind"))),
                    plural: plural.into(),
                    namespaced: served.get("namespaced").and_then(Value::as_bool) == Some(true),
                });
            }
        }
    }

    /// Adds the kinds that a CustomResourceDefinition will define, so that its objects can be planned before
    /// the server knows them.
    pub fn add_definition(&mut self, definition: &Value) {
        let spec = definition.get("spec").unwrap_or(&Value::Null);
        for version in list(spec, "versions") {
            if version.get("served").and_then(Value::as_bool) == Some(true) {
                self.add(Resource {
                    gvk: Gvk {
                        group: str_of(spec.get("group")).into(),
                        version: str_of(version.get("name")).into(),
                        kind: str_of(spec.pointer("/names/kind")).into(),
                    },
                    plural: str_of(spec.pointer("/names/plural")).into(),
                    namespaced: spec.get("scope").and_then(Value::as_str) == Some("Namespaced"),
                });
            }
        }
    }
}

fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn str_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// The core group's discovery leaves the group out, so an absent text falls back.
fn text_or(value: Option<&Value>, fallback: &str) -> String {
    match str_of(value) {
        "" => fallback.into(),
        text => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn discovery_keeps_the_servers_preference() {
        let mut kinds = Kinds::default();
        kinds.add_discovery(&json!({"items": [{
            "metadata": {"name": "autoscaling"},
            "versions": [
                {"version": "v2", "resources": [{
                    "resource": "horizontalpodautoscalers", "scope": "Namespaced",
                    "responseKind": {"group": "", "version": "", "kind": "HorizontalPodAutoscaler"}}]},
                {"version": "v1", "resources": [{
                    "resource": "horizontalpodautoscalers", "scope": "Namespaced",
                    "responseKind": {"group": "autoscaling", "version": "v1", "kind": "HorizontalPodAutoscaler"}}]},
            ],
        }]}));
        let versions = kinds.versions("autoscaling", "HorizontalPodAutoscaler");
        assert_eq!(versions.iter().map(|r| r.gvk.version.as_str()).collect::<Vec<_>>(), ["v2", "v1"]);
        assert!(kinds.get(&Gvk::new("autoscaling/v1", "HorizontalPodAutoscaler")).is_some());
    }

    #[test]
    fn a_definition_defines_only_what_it_serves() {
        let mut kinds = Kinds::default();
        kinds.add_definition(&json!({"spec": {
            "group": "shop.example.com", "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
            "versions": [{"name": "v1", "served": true}, {"name": "v1alpha1", "served": false}],
        }}));
        assert!(kinds.get(&Gvk::new("shop.example.com/v1", "Basket")).is_some_and(|r| r.namespaced));
        assert!(kinds.get(&Gvk::new("shop.example.com/v1alpha1", "Basket")).is_none());
    }
}
