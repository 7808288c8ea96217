//! Generated targets and live objects that have something in common.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use towpath_merge::{Element, FieldSet, ListKey, Path};

/// Names that mean something to a merge, and some that do not.
const NAMES: &[&str] = &[
    "a",
    "b",
    "name",
    "port",
    "protocol",
    "ports",
    "containers",
    "env",
    "value",
    "data",
    "stringData",
    "finalizers",
    "rules",
    "selector",
    "limits",
    "cpu",
    "replicas",
    "volumes",
    "subsets",
    "addresses",
    "status",
    "timeout",
    "aggregationRule",
    "resources",
    "containerPort",
    "x.y/z",
];

const TEXTS: &[&str] = &["", "a", "b", "TCP", "UDP", "1Gi", "1024Mi", "500m", "1h", "1h0m0s", "*"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => prop::sample::select(vec![0i64, 1, 2, 80, 443]).prop_map(Value::from),
        1 => prop::sample::select(vec![0.5, 1.0, 1e30]).prop_map(Value::from),
        4 => prop::sample::select(TEXTS).prop_map(Value::from),
    ]
}

fn mapping(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let name = prop_oneof![9 => prop::sample::select(NAMES).prop_map(String::from), 1 => ".{0,3}"];
    prop::collection::vec((name, inner), 0..5).prop_map(|entries| entries.into_iter().collect())
}

/// Any JSON.
pub fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(5, 48, 5, |inner| {
        let keys = prop::sample::select(vec!["name", "port", "containerPort", "ip", "mountPath"]);
        let keyed = (keys, scalar(), mapping(inner.clone())).prop_map(|(key, id, mut map)| {
            map.insert(key.into(), id);
            Value::Object(map)
        });
        prop_oneof![
            3 => mapping(inner.clone()).prop_map(Value::Object),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::Array),
            2 => prop::collection::vec(keyed, 0..4).prop_map(Value::Array),
        ]
    })
}

/// A target, and a live object that is another or a variation of it, with two managers that own parts of it.
pub fn pair() -> impl Strategy<Value = (Value, Value)> {
    let kinds = prop::sample::select(vec![
        ("v1", "Service"),
        ("v1", "Secret"),
        ("v1", "Endpoints"),
        ("apps/v1", "Deployment"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("example.com/v1", "Thing"),
    ]);
    (kinds, mapping(value()), mapping(value()), mapping(value()), any::<[u64; 3]>(), any::<bool>()).prop_map(
        |((version, kind), shared, mine, theirs, [one, two, three], copy)| {
            let object = |parts: [&Map<String, Value>; 2]| {
                let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "n"}});
                for part in parts {
                    object["spec"] = Value::Object(part.clone());
                    for (name, value) in part {
                        if !["metadata", "kind", "apiVersion"].contains(&name.as_str()) {
                            object[name] = value.clone();
                        }
                    }
                }
                object
            };
            let (target, mut live) = (object([&mine, &shared]), object([&shared, &theirs]));
            let owned = |mut bits: u64| {
                let source = if bits & 1 == 0 { &live } else { &target };
                let mut set = FieldSet::default();
                let mut pick = || {
                    bits = bits.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    bits & 4 == 0
                };
                paths(source, &Path::root(), &mut pick, &mut set);
                set.to_json()
            };
            let entry = |manager: &str, operation: &str, fields: Value| {
                json!({"manager": manager, "operation": operation, "apiVersion": version,
                    "fieldsType": "FieldsV1", "fieldsV1": fields})
            };
            let managers = json!([
                entry("towpath", "Apply", owned(one)),
                entry("kubectl-edit", "Update", owned(two)),
                entry("robot", "Update", owned(three))
            ]);
            if copy {
                let copy = object([&theirs, &mine]).to_string();
                live["metadata"]["annotations"] =
                    json!({"kubectl.kubernetes.io/last-applied-configuration": copy});
            } else {
                live["metadata"]["managedFields"] = managers;
            }
            (target, live)
        },
    )
}

/// Some of the paths of a value.
fn paths(value: &Value, above: &Path, pick: &mut impl FnMut() -> bool, set: &mut FieldSet) {
    let mut step = |element: Element, below: &Value| {
        let path = above.child(element);
        if pick() {
            set.insert(&path);
        }
        paths(below, &path, pick, set);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(name, below)| step(Element::field(name), below)),
        Value::Array(items) => items.iter().for_each(|item| match item.get("name") {
            Some(name) => step(Element::Key(ListKey::new([("name", name.clone())])), item),
            None => step(Element::Value(item.clone().into()), item),
        }),
        _ => {}
    }
}
