//! A custom resource with every kind of list.

use serde_json::{Value, json};

use super::{Story, patched};

pub(super) fn basket() -> Value {
    let text = json!({"type": "string"});
    let item = json!({"type": "object", "properties": {"id": {"type": "integer"}, "v": text, "way": {"type": "string", "default": "left"}}});
    let list = |kind: &str| {
        patched(json!({"type": "array", "items": item.clone()}), &json!({"x-kubernetes-list-type": kind}))
    };
    let mut keyed = list("map");
    if let Some(keyed) = keyed.as_object_mut() {
        keyed.insert("x-kubernetes-list-map-keys".into(), json!(["id"]));
        if let Some(Value::Object(item)) = keyed.get_mut("items") {
            item.insert("required".into(), json!(["id"]));
        }
    }
    let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "keyed": keyed, "atomic": list("atomic"), "plain": {"type": "array", "items": item},
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
        "size": {"type": "integer", "default": 3}, "wait": text}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "baskets.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Basket", "plural": "baskets"}, "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}})
}

pub(super) fn custom() -> Story {
    Story {
        plural: "baskets",
        first: json!({"apiVersion": "example.com/v1", "kind": "Basket", "metadata": {"name": "x"}, "spec": {
            "keyed": [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}], "atomic": [{"id": 1}, {"id": 2}], "plain": [{"id": 1}],
            "tags": ["a", "b"], "wait": "1h", "free": {"deep": {"x": 1, "list": [1, {"a": 1}]}}}}),
        changes: vec![
            ("loses a keyed item", json!({"spec": {"keyed": [{"id": 2, "v": "b"}]}}), None),
            ("loses an atomic item", json!({"spec": {"atomic": [{"id": 2}]}}), None),
            ("changes an atomic item", json!({"spec": {"atomic": [{"id": 1, "v": "n"}, {"id": 2}]}}), None),
            ("has other tags", json!({"spec": {"tags": ["c", "a"]}}), None),
            ("changes something deep", json!({"spec": {"free": {"deep": {"x": 2}}}}), None),
            ("changes a list deep", json!({"spec": {"free": {"deep": {"list": [1, {"a": 2}]}}}}), None),
            ("loses something deep", json!({"spec": {"free": {"deep": {"x": null}}}}), None),
            ("loses all that is free", json!({"spec": {"free": null}}), None),
            ("writes what is empty", json!({"spec": {"empty": [], "nothing": {}, "text": ""}}), None),
            (
                "got a keyed item by hand",
                json!({}),
                Some(json!({"spec": {"keyed": [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}, {"id": 3}]}})),
            ),
            (
                "got an atomic item by hand",
                json!({}),
                Some(json!({"spec": {"atomic": [{"id": 1}, {"id": 2}, {"id": 3}]}})),
            ),
            (
                "got a tag by hand",
                json!({"spec": {"tags": ["b"]}}),
                Some(json!({"spec": {"tags": ["a", "b", "h"]}})),
            ),
            (
                "got something deep by hand",
                json!({}),
                Some(json!({"spec": {"free": {"deep": {"hand": true}}}})),
            ),
        ],
    }
}
