//! A custom kind.

use serde_json::{Value, json};

use crate::sandbox::sequence::{MERGE, STRATEGIC, Sequence};

const BASKETS: &str = "/apis/shop.example.com/v1/namespaces/NAMESPACE/baskets";
const BASKET: &str = "/apis/shop.example.com/v1/namespaces/NAMESPACE/baskets/a";

/// Defines it.
pub fn definition() -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "baskets.shop.example.com"},
        "spec": {"group": "shop.example.com", "scope": "Namespaced",
            "names": {"kind": "Basket", "plural": "baskets", "shortNames": ["bs"]},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "size": {"type": "integer", "default": 3},
                        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                        "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
                            "items": {"type": "object", "required": ["id"], "properties": {
                                "id": {"type": "string"}, "count": {"type": "integer"}}}}}},
                    "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}}]}})
}

#[expect(clippy::needless_pass_by_value, reason = "it reads better at the call")]
fn basket(spec: Value) -> Value {
    json!({"apiVersion": "shop.example.com/v1", "kind": "Basket", "metadata": {"name": "a"}, "spec": spec})
}

pub fn all() -> Vec<Sequence> {
    let new = |name| Sequence::new("custom", name);
    let one = |name| new(name).post(BASKETS, basket(json!({"size": 1})));
    let status = format!("{BASKET}/status");
    vec![
        one("created").get(BASKET),
        new("defaults and unknown fields").post(BASKETS, basket(json!({"odd": 1, "free": {"any": [1]}}))),
        new("without a spec").post(BASKETS, json!({"metadata": {"name": "a"}, "kind": "Basket", "apiVersion": "shop.example.com/v1"})),
        new("status is not created").post(
            BASKETS,
            json!({"apiVersion": "shop.example.com/v1", "kind": "Basket", "metadata": {"name": "a"}, "status": {"ready": true}}),
        ),
        one("listed").get(BASKETS),
        one("generation").patch(BASKET, MERGE, json!({"spec": {"size": 2}})).patch(BASKET, MERGE, json!({"metadata": {"labels": {"l": "1"}}})),
        one("status").patch(&status, MERGE, json!({"status": {"ready": true}, "spec": {"size": 9}})).get(&status),
        one("status is not the object").patch(BASKET, MERGE, json!({"status": {"ready": true}})),
        one("replaced without a version").put(BASKET, basket(json!({"size": 2}))),
        one("strategic patch").patch(BASKET, STRATEGIC, json!({"spec": {"size": 2}})),
        one("deleted").delete(BASKET, json!(null)),
        one("watched").get(&format!("{BASKETS}?watch=true&timeoutSeconds=1&resourceVersion=0")),
        new("applied").apply(BASKET, "one", basket(json!({"size": 1, "tags": ["b", "a"], "items": [{"id": "x", "count": 1}]}))),
        new("lists merged by key and as sets")
            .apply(BASKET, "one", basket(json!({"tags": ["a"], "items": [{"id": "x", "count": 1}]})))
            .apply(BASKET, "two", basket(json!({"tags": ["b"], "items": [{"id": "y", "count": 2}]})))
            .apply(BASKET, "one", basket(json!({"tags": [], "items": [{"id": "x"}]}))),
        new("applied conflict in a list")
            .apply(BASKET, "one", basket(json!({"items": [{"id": "x", "count": 1}]})))
            .apply(BASKET, "two", basket(json!({"items": [{"id": "x", "count": 2}]}))),
        new("status applied")
            .apply(BASKET, "one", basket(json!({"size": 1})))
            .apply(&status, "two", json!({"apiVersion": "shop.example.com/v1", "kind": "Basket", "metadata": {"name": "a"}, "status": {"ready": true}})),
        new("wrong type").post(BASKETS, basket(json!({"size": "big"}))),
        new("missing key").post(BASKETS, basket(json!({"items": [{"count": 1}]}))),
        new("strict").post(&format!("{BASKETS}?fieldValidation=Strict"), basket(json!({"odd": 1}))),
    ]
}
