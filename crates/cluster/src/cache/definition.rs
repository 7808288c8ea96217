//! Objects that change what a server serves: CustomResourceDefinitions and APIServices.
//!
//! Most of their changes do not: a definition is only what matters, so that comparing two of them tells whether the
//! server has to be asked.

use serde_json::Value;
use towpath_object::{Kinds, Resource};

use super::GroupKind;

/// What a definition says about what is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// A custom kind with its served versions; served once it is established.
    Custom { kind: GroupKind, versions: Vec<Resource>, established: bool },
    /// A group and version that another server serves.
    Aggregated { group: String, version: String, available: bool },
    /// Of no interest.
    Nothing,
}

const CUSTOM: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");
const AGGREGATED: (&str, &str) = ("apiregistration.k8s.io", "APIService");

/// The kinds whose objects are definitions.
pub(super) fn kinds() -> [GroupKind; 2] {
    [CUSTOM, AGGREGATED].map(|(group, kind)| GroupKind::new(group, kind))
}

/// Whether objects of this kind are definitions.
pub(super) fn defines(kind: &GroupKind) -> bool {
    kind.is(CUSTOM.0, CUSTOM.1) || kind.is(AGGREGATED.0, AGGREGATED.1)
}

/// What an object of such a kind defines.
pub(super) fn read(kind: &GroupKind, object: &Value) -> Option<Definition> {
    let spec = object.get("spec")?;
    let text = |field: &str| spec.get(field).and_then(Value::as_str).unwrap_or_default().to_string();
    if kind.is(AGGREGATED.0, AGGREGATED.1) {
        // Without a service the server answers itself; what it serves there is known otherwise.
        if spec.get("service").is_none_or(Value::is_null) {
            return Some(Definition::Nothing);
        }
        let available = condition(object, "Available");
        return Some(Definition::Aggregated { group: text("group"), version: text("version"), available });
    }
    let mut kinds = Kinds::default();
    kinds.add_definition(object);
    let defined = GroupKind::new(&text("group"), spec.pointer("/names/kind")?.as_str()?);
    let mut versions = kinds.versions(&defined.group, &defined.kind).to_vec();
    versions.sort_by_key(|resource| std::cmp::Reverse(priority(&resource.gvk.version)));
    Some(Definition::Custom { kind: defined, versions, established: condition(object, "Established") })
}

fn condition(object: &Value, of_type: &str) -> bool {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten();
    conditions
        .filter(|condition| condition.get("type").and_then(Value::as_str) == Some(of_type))
        .any(|condition| condition.get("status").and_then(Value::as_str) == Some("True"))
}

/// The order in which a server prefers versions: `v2`, `v1`, `v1beta1`, `v1alpha1`, anything else.
/// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority>
fn priority(version: &str) -> (u8, u64, u64) {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let parse = || {
        let rest = version.strip_prefix('v')?;
        let (major, rest) = rest.split_at_checked(digits(rest))?;
        let major = major.parse().ok()?;
        if rest.is_empty() {
            return Some((3, major, 0));
        }
        let (rank, minor) = match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
            (Some(minor), _) => (2, minor),
            (_, Some(minor)) => (1, minor),
            _ => return None,
        };
        Some((rank, major, minor.parse().ok()?))
    };
    parse().unwrap_or((0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn custom(object: &Value) -> Definition {
        read(&kinds()[0], object).unwrap()
    }

    fn basket() -> Value {
        json!({
            "metadata": {"name": "baskets.shop.example.com", "annotations": {}},
            "spec": {"group": "shop.example.com", "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
                "versions": [{"name": "v1beta1", "served": true}, {"name": "v1", "served": true}, {"name": "v2", "served": false}]},
            "status": {"conditions": [{"type": "Established", "status": "True"}]},
        })
    }

    #[test]
    fn only_what_matters_makes_a_difference() {
        let before = custom(&basket());
        let mut same = basket();
        same["metadata"]["annotations"] = json!({"touched": "now"});
        same["status"]["conditions"][0]["lastTransitionTime"] = json!("now");
        assert_eq!(custom(&same), before);
        let mut other = basket();
        other["spec"]["versions"][2]["served"] = json!(true);
        assert_ne!(custom(&other), before);
        let Definition::Custom { versions, established: true, .. } = before else { panic!("{before:?}") };
        assert_eq!(
            versions.iter().map(|resource| resource.gvk.version.as_str()).collect::<Vec<_>>(),
            ["v1", "v1beta1"]
        );
    }

    #[test]
    fn an_api_service_matters_when_another_server_answers() {
        let service = |service: Value, status: &str| {
            read(
                &kinds()[1],
                &json!({
                    "spec": {"group": "metrics.k8s.io", "version": "v1beta1", "service": service},
                    "status": {"conditions": [{"type": "Available", "status": status}]},
                }),
            )
            .unwrap()
        };
        assert_eq!(service(Value::Null, "True"), Definition::Nothing);
        let of = |available| Definition::Aggregated {
            group: "metrics.k8s.io".into(),
            version: "v1beta1".into(),
            available,
        };
        assert_eq!(service(json!({"name": "m"}), "False"), of(false));
        assert_eq!(service(json!({"name": "m"}), "True"), of(true));
    }

    #[test]
    fn versions_in_the_servers_order() {
        let mut versions = ["v1alpha1", "odd", "v10", "v2", "v1beta2", "v1beta1", "v11alpha2"];
        versions.sort_by_key(|version| std::cmp::Reverse(priority(version)));
        assert_eq!(versions, ["v10", "v2", "v1beta2", "v1beta1", "v11alpha2", "v1alpha1", "odd"]);
    }
}
