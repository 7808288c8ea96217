//! Apply and other writes on a kind with every sort of list.

use serde_json::{Value, json};
use towpath_merge::{FieldSet, Operation};
use towpath_object::Gvk;
use towpath_schema::{Place, Schemas};

use super::{Managers, Writer, compare, merge, set_of, without};

fn schemas() -> Schemas {
    let mut schemas = Schemas::default();
    schemas.add_definition(&json!({"spec": {"group": "example.com", "names": {"kind": "Thing"},
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "atomic": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "items": {"type": "string"}},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
                "items": {"type": "object", "properties": {"port": {"type": "integer"}, "name": {"type": "string"},
                    "protocol": {"type": "string", "default": "TCP"}}}},
        }}}}]}}));
    schemas
}

fn place(schemas: &Schemas) -> Place<'_> {
    schemas.place(&Gvk::new("example.com/v1", "Thing"))
}

fn writer(manager: &str, operation: Operation) -> Writer {
    let (api_version, subresource) = ("example.com/v1".into(), String::new());
    Writer { manager: manager.into(), operation, api_version, subresource, time: "now".into() }
}

#[test]
fn the_fields_of_an_object() {
    let schemas = schemas();
    let object = json!({"set": ["b"], "atomic": {"x": "1"}, "list": ["z"], "ports": [{"port": 80}]});
    let fields = json!({"f:set": {"v:\"b\"": {}}, "f:atomic": {}, "f:list": {},
        "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}});
    assert_eq!(set_of(&object, place(&schemas)).to_json(), fields);
}

#[test]
fn merging_keeps_what_is_not_mentioned_and_its_place() {
    let schemas = schemas();
    let ports =
        |ports: &[i64]| json!({"ports": ports.iter().map(|port| json!({"port": port})).collect::<Vec<_>>()});
    let merged = |live: &[i64], applied: &[i64]| {
        let merged = merge(&ports(live), &ports(applied), place(&schemas));
        let list = merged["ports"].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|one| one["port"].as_i64()).collect::<Vec<_>>()
    };
    assert_eq!(merged(&[1, 2], &[1, 3]), [1, 2, 3]);
    assert_eq!(merged(&[9, 1], &[1]), [9, 1]);
    assert_eq!(merged(&[1, 2], &[3, 1]), [3, 1, 2]);
    assert_eq!(merged(&[1, 2, 3], &[3, 1]), [2, 3, 1]);
    let both = json!({"set": ["a"], "list": ["a"], "atomic": {"a": "1"}});
    let applied = json!({"set": ["b"], "list": ["b"], "atomic": {"b": "1"}});
    let after = json!({"set": ["a", "b"], "list": ["b"], "atomic": {"b": "1"}});
    assert_eq!(merge(&both, &applied, place(&schemas)), after);
}

#[test]
fn what_changed_has_its_containers() {
    let schemas = schemas();
    let (old, new) =
        (json!({"set": ["a"], "list": ["a"]}), json!({"set": ["b"], "list": ["b"], "free": {"x": 1}}));
    let found = compare(&old, &new, place(&schemas));
    assert_eq!(found.added.to_json(), json!({"f:set": {"v:\"b\"": {}}, "f:free": {".": {}, "f:x": {}}}));
    assert_eq!(found.modified.to_json(), json!({"f:list": {}}));
    assert_eq!(found.removed.to_json(), json!({"f:set": {"v:\"a\"": {}}}));
}

#[test]
fn what_goes_takes_with_it_what_nobody_owns() {
    let schemas = schemas();
    let object = json!({"free": {"x": 1, "y": 2}, "ports": [{"port": 1, "name": "a"}, {"port": 2}]});
    let gone = set_of(&json!({"free": {"x": 1}, "ports": [{"port": 1}, {"port": 2}]}), place(&schemas));
    let name = set_of(&json!({"ports": [{"port": 1, "name": "a"}]}), place(&schemas));
    let left = without(&object, place(&schemas), &gone, &FieldSet::default());
    assert_eq!(left, json!({}));
    // What somebody else has of it stays, and what it is in.
    let left = without(&object, place(&schemas), &gone.difference(&name), &name);
    assert_eq!(left, json!({"ports": [{"port": 1, "name": "a"}]}));
}

#[test]
fn an_update_takes_what_it_changes() {
    let schemas = schemas();
    let (one, two) = (json!({"set": ["a"], "list": ["a"]}), json!({"set": ["a", "b"], "list": ["c"]}));
    let applied = Managers::default()
        .after_apply(&json!({}), &one, place(&schemas), &writer("one", Operation::Apply), false)
        .unwrap();
    let managers = applied.1.after_update(&one, &two, place(&schemas), &writer("hand", Operation::Update));
    let mut object = json!({"metadata": {}});
    managers.write(&mut object);
    let fields: Vec<&Value> = object["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["fieldsV1"])
        .collect();
    assert_eq!(
        fields,
        [&json!({"f:set": {"v:\"a\"": {}}}), &json!({"f:list": {}, "f:set": {"v:\"b\"": {}}})]
    );
    let refused = managers.after_apply(&two, &one, place(&schemas), &writer("one", Operation::Apply), false);
    let conflicts = refused.unwrap_err();
    assert_eq!((conflicts.len(), conflicts[0].manager.as_str()), (1, "hand"));
}
