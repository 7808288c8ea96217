//! From what the server sends to what the cache keeps of it.
//!
//! In: the JSON text of an object, of which at first only the metadata is read. Out: [`Observed`]. Everything else
//! is read only where somebody needs it: managed objects, and the few kinds whose ownership is inferred.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use towpath_object::{Key, Object};

use super::{CacheSettings, GroupKind};

/// What is read of every object.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Metadata {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) uid: String,
    pub(crate) resource_version: String,
    generation: i64,
    deletion_timestamp: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    owner_references: Option<Vec<Reference>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reference {
    uid: String,
}

/// What the cache keeps of an object. It may be a Secret's content, so it cannot be printed.
#[derive(Clone, Default)]
pub(crate) struct Observed {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) version: String,
    pub(crate) generation: i64,
    pub(crate) leaving: bool,
    pub(crate) owners: Vec<OwnerText>,
    /// The names of a StatefulSet's volume claim templates.
    pub(crate) templates: Vec<String>,
    pub(crate) unit: Option<String>,
    pub(crate) kept: Option<KeptText>,
}

/// Who owns an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OwnerText {
    Uid(String),
    /// An object in the same namespace, of which only the name is known.
    Named(GroupKind, String),
}

/// A whole object, as it is kept.
#[derive(Clone)]
pub(crate) struct KeptText {
    pub(crate) json: Arc<[u8]>,
    pub(crate) owned: Option<String>,
    pub(crate) managers: Vec<String>,
}

/// What to keep of an object of that kind. `whole` reads all of it; where that fails only the metadata is kept.
pub(crate) fn observe(
    kind: &GroupKind,
    metadata: Metadata,
    settings: &CacheSettings,
    whole: impl Fn() -> Option<Value>,
) -> Observed {
    let named = settings.unit_of.as_ref().and_then(|unit_of| {
        let key = Key::new(&kind.group, &kind.kind, &metadata.namespace, &metadata.name);
        unit_of(&key, &whole()?)
    });
    let unit = named.or_else(|| unit(metadata.labels.as_ref(), &settings.unit_labels));
    let keep = unit.is_some() || kind.is("apiextensions.k8s.io", "CustomResourceDefinition");
    let infers = kind.is("", "Secret")
        || kind.is("operators.coreos.com", "ClusterServiceVersion")
        || (kind.kind == "StatefulSet" && matches!(kind.group.as_str(), "apps" | "extensions"));
    let object = if keep || infers { whole() } else { None };
    let mut owners: Vec<OwnerText> = metadata
        .owner_references
        .unwrap_or_default()
        .into_iter()
        .filter(|reference| !reference.uid.is_empty())
        .map(|reference| OwnerText::Uid(reference.uid))
        .collect();
    owners.extend(inferred(kind, &metadata.name, owners.is_empty(), object.as_ref()));
    Observed {
        namespace: metadata.namespace,
        name: metadata.name,
        uid: metadata.uid,
        version: metadata.resource_version,
        generation: metadata.generation,
        leaving: metadata.deletion_timestamp.is_some(),
        owners,
        templates: object.as_ref().map(templates).unwrap_or_default(),
        unit,
        kept: object.filter(|_| keep).and_then(|object| kept(kind, object, settings)),
    }
}

/// The unit that labels name: the values of all the keys, joined by `/`.
fn unit(labels: Option<&BTreeMap<String, String>>, keys: &[String]) -> Option<String> {
    let labels = labels?;
    let values: Option<Vec<&str>> = keys.iter().map(|key| labels.get(key).map(String::as_str)).collect();
    values.filter(|values| !values.is_empty()).map(|values| values.join("/"))
}

/// Owners that the object does not name itself.
fn inferred(kind: &GroupKind, name: &str, ownerless: bool, object: Option<&Value>) -> Option<OwnerText> {
    if kind.is("", "Endpoints") {
        return ownerless.then(|| OwnerText::Named(GroupKind::new("", "Service"), name.into()));
    }
    let object = object?;
    let annotation = |name: &str| {
        object.get("metadata")?.get("annotations")?.get(name)?.as_str().filter(|text| !text.is_empty())
    };
    if kind.is("", "Secret") {
        annotation("kubernetes.io/service-account.name")?;
        let uid = annotation("kubernetes.io/service-account.uid")?;
        // Where only metadata is watched the type is not known; nobody else uses both annotations.
        let of_type =
            object.get("type").and_then(Value::as_str).unwrap_or("kubernetes.io/service-account-token");
        return (of_type == "kubernetes.io/service-account-token").then(|| OwnerText::Uid(uid.into()));
    }
    if kind.is("operators.coreos.com", "ClusterServiceVersion") {
        let group = annotation("olm.operatorGroup")?;
        return Some(OwnerText::Named(GroupKind::new("operators.coreos.com", "OperatorGroup"), group.into()));
    }
    None
}

fn templates(object: &Value) -> Vec<String> {
    let templates =
        object.pointer("/spec/volumeClaimTemplates").and_then(Value::as_array).into_iter().flatten();
    templates.filter_map(|template| template.pointer("/metadata/name")?.as_str().map(Into::into)).collect()
}

/// The object without its managed fields; of those only the digest of our own and the managers' names. Nothing where
/// it is not the object but its metadata alone.
fn kept(kind: &GroupKind, mut object: Value, settings: &CacheSettings) -> Option<KeptText> {
    if object.get("kind").and_then(Value::as_str) != Some(&kind.kind) {
        return None;
    }
    let owned = (settings.owned)(&object);
    let fields = object
        .get_mut("metadata")
        .and_then(Value::as_object_mut)
        .and_then(|fields| fields.remove("managedFields"));
    let mut managers: Vec<String> = Vec::new();
    for entry in fields.as_ref().and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = entry.get("manager").and_then(Value::as_str)
            && !managers.iter().any(|known| known == name)
        {
            managers.push(name.into());
        }
    }
    let object = Object::new(object).ok()?;
    Some(KeptText { json: object.value().to_string().into_bytes().into(), owned, managers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(group: &str, kind: &str, object: &Value) -> Observed {
        let kind = GroupKind::new(group, kind);
        let settings = CacheSettings {
            unit_labels: vec!["unit-namespace".into(), "unit".into()],
            owned: Arc::new(|object| object.pointer("/metadata/managedFields").map(|_| "digest".into())),
            ..CacheSettings::default()
        };
        let metadata = Metadata::deserialize(&object["metadata"]).unwrap();
        observe(&kind, metadata, &settings, || Some(object.clone()))
    }

    #[test]
    fn only_managed_objects_are_kept_and_without_managed_fields() {
        let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "labels": {"unit": "shop"}, "managedFields": [
                {"manager": "towpath"}, {"manager": "kubelet"}, {"manager": "towpath"}]}, "data": {"x": "1"}});
        let half = seen("", "ConfigMap", &object);
        assert!(half.unit.is_none() && half.kept.is_none(), "one of two labels names no unit");
        object["metadata"]["labels"]["unit-namespace"] = json!("web");
        let whole = seen("", "ConfigMap", &object);
        assert_eq!(whole.unit.as_deref(), Some("web/shop"));
        let kept = whole.kept.unwrap();
        assert_eq!(
            (kept.owned.as_deref(), kept.managers),
            (Some("digest"), vec!["towpath".into(), "kubelet".into()])
        );
        let read: Value = serde_json::from_slice(&kept.json).unwrap();
        assert_eq!(
            (read.pointer("/data/x"), read.pointer("/metadata/managedFields")),
            (Some(&json!("1")), None)
        );
        object["kind"] = json!("PartialObjectMetadata");
        let metadata = seen("", "ConfigMap", &object);
        assert!(metadata.unit.is_some() && metadata.kept.is_none());
    }

    #[test]
    fn owners_that_are_not_named_are_inferred() {
        let endpoints = json!({"metadata": {"name": "api"}});
        let service = OwnerText::Named(GroupKind::new("", "Service"), "api".into());
        assert_eq!(seen("", "Endpoints", &endpoints).owners, [service]);
        let owned = json!({"metadata": {"name": "api", "ownerReferences": [{"uid": "u"}]}});
        assert_eq!(seen("", "Endpoints", &owned).owners, [OwnerText::Uid("u".into())]);

        let annotations =
            json!({"kubernetes.io/service-account.name": "s", "kubernetes.io/service-account.uid": "su"});
        let mut secret = json!({"metadata": {"name": "t", "annotations": annotations},
            "type": "kubernetes.io/service-account-token"});
        assert_eq!(seen("", "Secret", &secret).owners, [OwnerText::Uid("su".into())]);
        secret["type"] = json!("Opaque");
        assert_eq!(seen("", "Secret", &secret).owners, []);

        let version = json!({"metadata": {"name": "v", "annotations": {"olm.operatorGroup": "og"}}});
        let group = OwnerText::Named(GroupKind::new("operators.coreos.com", "OperatorGroup"), "og".into());
        assert_eq!(seen("operators.coreos.com", "ClusterServiceVersion", &version).owners, [group]);
    }

    #[test]
    fn a_broken_object_still_has_its_metadata() {
        let metadata = Metadata { name: "a".into(), ..Metadata::default() };
        let seen = observe(&GroupKind::new("", "Secret"), metadata, &CacheSettings::default(), || None);
        assert_eq!((seen.name.as_str(), seen.owners.len()), ("a", 0));
    }
}
