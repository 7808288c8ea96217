//! Kinds that definitions add.

use http::Method;
use serde_json::{Value, json};

use crate::bed::Bed;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const BASKETS: &str = "/apis/shop.example.com/v1/namespaces/default/baskets";

fn definition() -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "baskets.shop.example.com"},
        "spec": {"group": "shop.example.com", "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 3},
                        "items": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}}},
                    "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}}]}})
}

#[tokio::test]
async fn a_definition_is_served_at_once_and_takes_its_objects_with_it() {
    let bed = Bed::start().await.unwrap();
    assert_eq!(bed.send(Method::GET, BASKETS, "", &Value::Null).await.unwrap().0, 404);
    bed.api.post(DEFINITIONS, &definition()).await.unwrap();
    let path = format!("{DEFINITIONS}/baskets.shop.example.com");
    let served = bed.api.get(&path).await.unwrap();
    assert_eq!(served["status"]["conditions"][1]["type"], "Established");

    let basket = json!({"apiVersion": "shop.example.com/v1", "kind": "Basket", "metadata": {"name": "mine"},
        "spec": {"items": ["a"], "odd": 1}, "status": {"ready": true}});
    let created = bed.api.post(BASKETS, &basket).await.unwrap();
    assert_eq!(created["spec"], json!({"items": ["a"], "size": 3}));
    assert_eq!((created.get("status"), &created["metadata"]["generation"]), (None, &json!(1)));
    let wrong = json!({"metadata": {"name": "bad"}, "spec": {"size": "big"}});
    assert_eq!(bed.send(Method::POST, BASKETS, "application/json", &wrong).await.unwrap().0, 422);
    let listed = bed.api.get(BASKETS).await.unwrap();
    assert_eq!((&listed["kind"], &listed["items"][0]["kind"]), (&json!("BasketList"), &json!("Basket")));

    bed.api.delete(&path).await.unwrap();
    assert_eq!(bed.api.find(&path).await.unwrap(), None);
    assert_eq!(bed.send(Method::GET, BASKETS, "", &Value::Null).await.unwrap().0, 404);
}
