//! Custom resources, from a definition and as the server publishes them.

use serde_json::{Value, json};
use towpath_object::Gvk;
use towpath_schema::Schemas;

fn definition(spec: &Value) -> Value {
    json!({"spec": {
        "group": "shop.example.com", "names": {"kind": "Basket"},
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {
            "type": "object", "required": ["spec"], "properties": {"spec": spec},
        }}}],
    }})
}

fn check(schemas: &Schemas, object: &Value) -> Vec<String> {
    let found = schemas.check(&Gvk::new("shop.example.com/v1", "Basket"), object);
    found.iter().map(ToString::to_string).collect()
}

fn found(properties: &Value, spec: &Value) -> Vec<String> {
    let mut schemas = Schemas::default();
    schemas.add_definition(&definition(&json!({"type": "object", "properties": properties})));
    check(&schemas, &json!({"apiVersion": "shop.example.com/v1", "kind": "Basket", "spec": spec}))
}

#[test]
fn null_is_a_value_unless_it_is_allowed_or_replaced() {
    let properties = json!({
        "plain": {"type": "string"}, "nullable": {"type": "string", "nullable": true},
        "defaulted": {"type": "string", "default": "a"},
    });
    assert_eq!(
        found(&properties, &json!({"plain": null, "nullable": null, "defaulted": null})),
        ["spec.plain: expected a string, found null"]
    );
}

#[test]
fn required_fields_and_values_are_enforced() {
    let properties = json!({
        "color": {"type": "string", "enum": ["red", "green"]}, "size": {"type": "integer", "enum": [1, 2]},
        "inner": {
            "type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}},
        },
    });
    assert_eq!(
        found(&properties, &json!({"color": "blue", "size": 2.0, "inner": {}})),
        [
            r#"spec.color: expected one of "red", "green", found the string "blue""#,
            "spec.inner.a: is required"
        ]
    );
    let mut schemas = Schemas::default();
    schemas.add_definition(&definition(&json!({"type": "object"})));
    assert_eq!(check(&schemas, &json!({})), ["spec: is required"]);
}

#[test]
fn open_objects_take_unknown_fields() {
    let properties = json!({
        "bare": {"type": "object"},
        "open": {
            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"known": {"type": "string"}},
        },
        "any": {"x-kubernetes-preserve-unknown-fields": true},
        "embedded": {
            "type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
        },
    });
    let spec = json!({
        "bare": {"x": 1}, "open": {"known": 1, "other": 1}, "any": null,
        "embedded": {"kind": "A", "metadata": {"name": "a"}, "spec": 1},
    });
    assert_eq!(
        found(&properties, &spec),
        ["spec.embedded.apiVersion: is required", "spec.open.known: expected a string, found the number 1"]
    );
}

#[test]
fn a_definition_counts_more_than_what_the_server_serves() {
    let published = json!({"components": {"schemas": {
        "com.example.shop.v1.Basket": {
            "type": "object", "required": ["spec"],
            "properties": {
                "metadata": {"allOf": [{
                    "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
                }]},
                "spec": {"type": "object", "properties": {"old": {"type": "string"}}},
            },
            "x-kubernetes-group-version-kind": [{"group": "shop.example.com", "version": "v1", "kind": "Basket"}],
        },
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object", "properties": {
            "name": {"type": "string"}, "generation": {"type": "integer"},
        }},
    }}});
    let mut schemas = Schemas::default();
    schemas.add_openapi(published.to_string().as_bytes()).unwrap();
    let old = json!({"metadata": {"name": "a", "bogus": 1, "generation": 1.5}, "spec": {"old": 1}});
    assert_eq!(
        check(&schemas, &old),
        ["metadata.bogus: unknown field", "spec.old: expected a string, found the number 1"]
    );
    assert_eq!(check(&schemas, &json!({})), ["spec: is required"]);

    schemas
        .add_definition(&definition(&json!({"type": "object", "properties": {"new": {"type": "integer"}}})));
    schemas.add_openapi(published.to_string().as_bytes()).unwrap();
    assert_eq!(check(&schemas, &old), ["metadata.bogus: unknown field", "spec.old: unknown field"]);

    let mut open = definition(&json!({"type": "object"}));
    open["spec"]["preserveUnknownFields"] = json!(true);
    schemas.add_definition(&open);
    assert!(check(&schemas, &old).is_empty());
}

#[test]
fn a_definition_that_is_none_is_left_to_the_server() {
    let mut schemas = Schemas::default();
    for nonsense in [json!(null), json!({"spec": {"versions": 1}}), definition(&json!({"type": 5}))] {
        schemas.add_definition(&nonsense);
    }
    assert!(check(&schemas, &json!({"spec": 1})).is_empty());
}
