//! The documents that say what is served, in the aggregated form and in the older one.
//! <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api>

use serde_json::{Value, json};

use super::{items, text};

/// How the client wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Everything in one document.
    Aggregated,
    /// An index, and a document for each group and version.
    Plain,
}

/// What every kind of a definition can do.
const VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The group of a definition with the versions that it serves.
pub(super) fn of_definition(definition: &Value) -> Value {
    let spec = definition.get("spec").unwrap_or(&Value::Null);
    let names = spec.get("names").unwrap_or(&Value::Null);
    let group = text(spec.get("group"));
    let versions = items(spec, "versions").filter(|version| version.get("served") == Some(&json!(true)));
    let versions = versions.map(|version| {
        let name = text(version.get("name"));
        let kind = json!({"group": group, "version": name, "kind": names.get("kind")});
        let mut resource = json!({
            "resource": names.get("plural"), "responseKind": kind, "scope": spec.get("scope"),
            "singularResource": names.get("singular"), "verbs": VERBS,
        });
        for field in ["shortNames", "categories"] {
            if let (Some(value), Some(resource)) = (names.get(field), resource.as_object_mut()) {
                resource.insert(field.into(), value.clone());
            }
        }
        let mut subresources = Vec::new();
        if version.pointer("/subresources/status").is_some() {
            subresources.push(
                json!({"subresource": "status", "responseKind": kind, "verbs": ["get", "patch", "update"]}),
            );
        }
        if let (false, Some(resource)) = (subresources.is_empty(), resource.as_object_mut()) {
            resource.insert("subresources".into(), subresources.into());
        }
        json!({"version": name, "freshness": "Current", "resources": [resource]})
    });
    json!({"metadata": {"name": group}, "versions": versions.collect::<Vec<_>>()})
}

/// The groups of both, those of the same name as one.
pub(super) fn merged<'a>(known: impl Iterator<Item = &'a Value>, more: Vec<Value>) -> Vec<Value> {
    let mut groups: Vec<Value> = known.cloned().collect();
    for group in more {
        let same = |known: &&mut Value| known.pointer("/metadata/name") == group.pointer("/metadata/name");
        match groups.iter_mut().find(same) {
            Some(known) => add_versions(known, &group),
            None => groups.push(group),
        }
    }
    groups
}

fn add_versions(group: &mut Value, more: &Value) {
    let Some(versions) = group.get_mut("versions").and_then(Value::as_array_mut) else { return };
    for version in items(more, "versions") {
        let same = |known: &&mut Value| known.get("version") == version.get("version");
        match versions.iter_mut().find(same) {
            Some(known) => {
                if let Some(resources) = known.get_mut("resources").and_then(Value::as_array_mut) {
                    resources.extend(items(version, "resources").cloned());
                }
            }
            None => versions.push(version.clone()),
        }
    }
}

/// The document at `path` among these groups.
pub(super) fn document(groups: &[Value], path: &str, form: Form) -> Option<Value> {
    let named = |name: &str| groups.iter().find(|group| text(group.pointer("/metadata/name")) == name);
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match (parts.as_slice(), form) {
        (["api"], Form::Aggregated) => Some(aggregated(groups.iter().filter(|group| is_core(group)))),
        (["apis"], Form::Aggregated) => Some(aggregated(groups.iter().filter(|group| !is_core(group)))),
        (["api"], Form::Plain) => Some(json!({"kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": []})),
        (["apis"], Form::Plain) => {
            let groups: Vec<Value> = groups.iter().filter(|group| !is_core(group)).map(index_of).collect();
            Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
        }
        (["api", version], _) => resources(named("")?, version),
        (["apis", group], _) => {
            let mut index = index_of(named(group)?);
            let fields = index.as_object_mut()?;
            fields.insert("kind".into(), json!("APIGroup"));
            fields.insert("apiVersion".into(), json!("v1"));
            Some(index)
        }
        (["apis", group, version], _) => resources(named(group)?, version),
        _ => None,
    }
}

fn is_core(group: &Value) -> bool {
    text(group.pointer("/metadata/name")).is_empty()
}

fn aggregated<'a>(groups: impl Iterator<Item = &'a Value>) -> Value {
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {},
        "items": groups.collect::<Vec<_>>()})
}

fn index_of(group: &Value) -> Value {
    let name = text(group.pointer("/metadata/name"));
    let version = |version: &Value| {
        let version = text(version.get("version"));
        json!({"groupVersion": format!("{name}/{version}"), "version": version})
    };
    let versions: Vec<Value> = items(group, "versions").map(version).collect();
    json!({"name": name, "preferredVersion": versions.first(), "versions": versions})
}

/// The `APIResourceList` of one version.
fn resources(group: &Value, version: &str) -> Option<Value> {
    let name = text(group.pointer("/metadata/name"));
    let served = items(group, "versions").find(|known| text(known.get("version")) == version)?;
    let mut resources = Vec::new();
    for resource in items(served, "resources") {
        let namespaced = text(resource.get("scope")) == "Namespaced";
        let plural = text(resource.get("resource"));
        let mut entry = json!({"name": plural, "singularName": resource.get("singularResource"),
            "namespaced": namespaced, "kind": resource.pointer("/responseKind/kind"), "verbs": resource.get("verbs")});
        for field in ["shortNames", "categories"] {
            if let (Some(value), Some(entry)) = (resource.get(field), entry.as_object_mut()) {
                entry.insert(field.into(), value.clone());
            }
        }
        resources.push(entry);
        for sub in items(resource, "subresources") {
            let (of_group, of_version) =
                (text(sub.pointer("/responseKind/group")), text(sub.pointer("/responseKind/version")));
            let mut entry = json!({"name": format!("{plural}/{}", text(sub.get("subresource"))), "singularName": "",
                "namespaced": namespaced, "kind": sub.pointer("/responseKind/kind"), "verbs": sub.get("verbs")});
            // A type of another group, as the scale of a Deployment is.
            if let (true, Some(entry)) =
                (!of_version.is_empty() && (of_group, of_version) != (name, version), entry.as_object_mut())
            {
                entry.insert("group".into(), json!(of_group));
                entry.insert("version".into(), json!(of_version));
            }
            resources.push(entry);
        }
    }
    let group_version = if name.is_empty() { version.into() } else { format!("{name}/{version}") };
    let mut list = json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": resources});
    if let (false, Some(list)) = (name.is_empty(), list.as_object_mut()) {
        list.insert("apiVersion".into(), json!("v1"));
    }
    Some(list)
}
