//! Types made from Go.

use serde_json::{Value, json};
use towpath_object::Gvk;
use towpath_schema::{Kind, Schemas};

/// A document with a Deployment as the server describes it, much shortened, and a Secret.
fn schemas() -> Schemas {
    let reference =
        |name: &str| json!({"default": {}, "allOf": [{"$ref": format!("#/components/schemas/{name}")}]});
    let container = json!({
        "type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "default": ""},
            "image": {"type": "string"},
            "imagePullPolicy": {"type": "string", "enum": ["Always", "Never"]},
            "cpu": reference("io.k8s.apimachinery.pkg.api.resource.Quantity"),
            "port": reference("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
            "next": {"$ref": "#/components/schemas/io.k8s.api.core.v1.Container"},
            "ports": {
                "type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
                "items": reference("io.k8s.api.core.v1.ContainerPort"),
            },
        },
    });
    let document = json!({"openapi": "3.0.0", "paths": {"/apis": {"get": {}}}, "components": {"schemas": {
        "io.k8s.api.apps.v1.Deployment": {
            "type": "object", "description": "a deployment",
            "properties": {
                "apiVersion": {"type": "string"}, "kind": {"type": "string"},
                "metadata": reference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
                "spec": reference("io.k8s.api.apps.v1.DeploymentSpec"),
                "status": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
            },
            "x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "Deployment"}],
        },
        "io.k8s.api.apps.v1.DeploymentSpec": {
            "type": "object", "required": ["selector", "unimportant"],
            "properties": {
                "replicas": {"type": "integer", "format": "int32"}, "selector": {"type": "object"},
                "unimportant": {"type": "string"}, "paused": {"type": "boolean"},
                "containers": {
                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                    "items": reference("io.k8s.api.core.v1.Container"),
                },
            },
        },
        "io.k8s.api.core.v1.Container": container,
        "io.k8s.api.core.v1.ContainerPort": {
            "type": "object", "required": ["containerPort"], "properties": {
                "containerPort": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"},
            },
        },
        "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
            "format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}],
        },
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object", "properties": {
            "name": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        }},
        "io.k8s.api.core.v1.Secret": {
            "type": "object",
            "properties": {
                "data": {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}},
                "stringData": {"type": "object", "additionalProperties": {"type": "string"}},
                "circle": {"$ref": "#/components/schemas/circle"},
            },
            "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Secret"}],
        },
        "circle": {"$ref": "#/components/schemas/circle"},
    }}});
    let mut schemas = Schemas::default();
    schemas.add_openapi(document.to_string().as_bytes()).expect("the document is one");
    schemas
}

fn deployment(spec: &Value) -> Vec<String> {
    let found = schemas().check(&Gvk::new("apps/v1", "Deployment"), &json!({"spec": spec}));
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn wrong_types_are_named_with_the_value() {
    assert_eq!(
        deployment(&json!({"selector": {}, "replicas": "three"})),
        [r#"spec.replicas: expected an integer, found the string "three""#]
    );
    assert_eq!(
        deployment(&json!({"selector": {}, "paused": "yes", "containers": {"name": "a"}})),
        [
            "spec.containers: expected a list, found a mapping",
            r#"spec.paused: expected true or false, found the string "yes""#
        ]
    );
    assert!(deployment(&json!({"selector": {"anything": 1}, "replicas": 2.0, "paused": null})).is_empty());
}

#[test]
fn an_unknown_field_comes_with_the_one_that_was_meant() {
    assert_eq!(
        deployment(&json!({"selector": {}, "replcias": 1, "zzz": 1})),
        [r#"spec.replcias: unknown field, did you mean "replicas"?"#, "spec.zzz: unknown field"]
    );
}

#[test]
fn of_the_required_fields_only_those_count_that_the_server_requires() {
    assert_eq!(deployment(&json!({})), ["spec.selector: is required"]);
    let found = schemas().check(&Gvk::new("apps/v1", "Deployment"), &json!({"status": {"n": 1.5}}));
    assert!(found.is_empty(), "the status is dropped: {found:?}");
}

#[test]
fn items_of_lists_are_told_apart_by_their_keys() {
    let spec = |containers: Value| deployment(&json!({"selector": {}, "containers": containers}));
    assert_eq!(
        spec(json!([{"name": "a"}, {"name": "a"}])),
        [r#"spec.containers[1]: is the same item as [0]: name "a""#]
    );
    assert_eq!(spec(json!([{"image": "a"}])), ["spec.containers[0].name: is required"]);
    assert_eq!(spec(json!([null])), ["spec.containers[0]: expected an item, found null"]);
    let ports = json!([{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53}]);
    assert_eq!(
        spec(json!([{"name": "a", "ports": ports}])),
        [r#"spec.containers[0].ports[1]: is the same item as [0]: containerPort 53, protocol "TCP""#]
    );
}

#[test]
fn values_quantities_and_ports() {
    let spec = |container: Value| deployment(&json!({"selector": {}, "containers": [container]}));
    assert_eq!(
        spec(json!({"name": "a", "cpu": "1GB", "port": 1.5, "imagePullPolicy": "Sometimes"})),
        [
            r#"spec.containers[0].cpu: expected a quantity such as 500m or 1Gi, found the string "1GB""#,
            concat!(
                r#"spec.containers[0].imagePullPolicy: expected one of "Always", "Never", "#,
                r#"found the string "Sometimes""#
            ),
            "spec.containers[0].port: expected an integer or a string, found the number 1.5",
        ]
    );
    assert!(spec(json!({"name": "a", "cpu": 0.5, "port": "http", "imagePullPolicy": ""})).is_empty());
    assert_eq!(
        spec(json!({"name": "a", "next": {"name": "b", "next": {"name": "c", "bogus": 1}}})),
        ["spec.containers[0].next.next.bogus: unknown field"]
    );
}

#[test]
fn a_secret_s_values_are_never_shown() {
    let gvk = Gvk::new("v1", "Secret");
    let found = schemas().check(
        &gvk,
        &json!({"data": {"a": "hunter2"}, "stringData": {"b": 4711, "c": true}, "circle": {"goes": "on"}}),
    );
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "data.a: expected base64, found a string",
            "stringData.b: expected a string, found a number",
            "stringData.c: expected a string, found a boolean"
        ]
    );
    assert_eq!(found[0].keys, ["data", "a"]);
    assert_eq!(found[0].kind, Kind::WrongType);
}

#[test]
fn what_is_not_known_is_not_wrong() {
    let schemas = schemas();
    assert!(!schemas.knows(&Gvk::new("apps/v2", "Deployment")));
    assert!(schemas.check(&Gvk::new("apps/v2", "Deployment"), &json!({"bogus": 1})).is_empty());
    assert!(Schemas::default().add_openapi(b"<html>").is_err());
    assert!(Schemas::default().add_openapi(b"{}").is_ok());
}
