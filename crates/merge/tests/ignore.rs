//! Ignore rules: what they select, that they are stopped, and that they govern what is applied and compared.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use towpath_merge::ignore::{IgnoreError, Rule, Rules, apply_view, compare_view};

fn pointers(pointers: &[&str]) -> Rules {
    let json_pointers = pointers.iter().map(|text| (*text).to_owned()).collect();
    Rules::compile(&[Rule { kind: "*".into(), json_pointers, ..Rule::default() }]).unwrap()
}

fn jq(expressions: &[&str]) -> Rules {
    let jq_path_expressions = expressions.iter().map(|text| (*text).to_owned()).collect();
    Rules::compile(&[Rule { kind: "*".into(), jq_path_expressions, ..Rule::default() }]).unwrap()
}

fn managers(names: &[&str]) -> Rules {
    let managed_fields_managers = names.iter().map(|text| (*text).to_owned()).collect();
    Rules::compile(&[Rule { kind: "*".into(), managed_fields_managers, ..Rule::default() }]).unwrap()
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

/// The spec without what the rules ignore.
fn left(rules: &Rules, spec: &Value) -> Value {
    let object = object(spec);
    compare_view(&object, &object, rules).unwrap().0["spec"].clone()
}

fn applied(rules: &Rules, target: &Value, live: &Value) -> Value {
    apply_view(&object(target), &object(live), rules, "towpath").unwrap()["spec"].clone()
}

#[test]
fn pointers_remove_what_is_there_and_nothing_else() {
    let rules = pointers(&["/spec/a~1b", "/spec/list/1", "/spec/not/there", "/spec/list/9", "/spec/x/y"]);
    let spec = json!({"a/b": 1, "list": [0, 1, 2], "x": "text"});
    assert_eq!(left(&rules, &spec), json!({"list": [0, 2], "x": "text"}));
}

#[test]
fn jq_selects_items_of_lists() {
    let spec = json!({"containers": [
        {"name": "web", "image": "web:1"}, {"name": "proxy", "image": "p"}, {"name": "proxy-2", "image": "q"}]});
    let web = json!({"containers": [{"name": "web", "image": "web:1"}]});
    assert_eq!(left(&jq(&[r#".spec.containers[] | select(.name | test("^proxy"))"#]), &spec), web);
    assert_eq!(left(&jq(&[".spec.containers[1:]"]), &spec), web);
    assert_eq!(left(&jq(&[".spec.containers[-1]", ".spec.containers[1]"]), &spec), web);
    assert_eq!(left(&jq(&[".. | .image? // empty"]), &spec)["containers"][0], json!({"name": "web"}));
    assert_eq!(left(&jq(&[".spec.containers[].image"]), &spec)["containers"][2], json!({"name": "proxy-2"}));
}

#[test]
fn an_expression_that_fails_or_finds_nothing_is_silent() {
    let spec = json!({"a": 1});
    for expression in [".spec.none[]", ".spec.a.b.c", "1 + 1", ".spec | error", "empty", ".none | .[0]"] {
        assert_eq!(left(&jq(&[expression]), &spec), spec, "{expression}");
    }
}

#[test]
fn an_endless_expression_is_stopped_and_named() {
    let endless = [
        "def f: f; f",
        "repeat(.)",
        ".spec | select([range(1e12)] | length > 1)",
        ".spec | select(last(range(1e12)) > 1)",
        "def f: (f | .a); f",
        ".spec | select(([limit(1e12; repeat(1))] | length) > 1)",
        ".spec | select((reduce range(1e9) as $i (null; [.])) | length > 1)",
    ];
    for expression in endless {
        let began = Instant::now();
        let value = object(&json!({}));
        let error = compare_view(&value, &value, &jq(&[expression])).unwrap_err();
        assert!(began.elapsed() < Duration::from_millis(1500), "{expression}: {:?}", began.elapsed());
        let IgnoreError::Stopped { rule, expression: named, .. } = &error;
        assert_eq!((*rule, named.as_str()), (1, expression), "{error}");
    }
}

#[test]
fn an_expression_reaches_nothing_outside() {
    for expression in [".spec | halt", ".spec | halt(1)", ".spec | select(env | length > 0)"] {
        assert!(left(&jq(&[expression]), &json!({"a": 1})).is_object(), "{expression}");
    }
}

#[test]
fn without_rules_the_target_is_applied_as_it_is() {
    let (target, live) = (object(&json!({"a": 1})), object(&json!({"a": 2, "b": 3})));
    assert_eq!(apply_view(&target, &live, &Rules::default(), "towpath").unwrap(), target);
}

#[test]
fn ignored_fields_are_applied_as_they_are_live() {
    let rules = pointers(&["/spec/replicas", "/spec/gone", "/spec/theirs"]);
    let (target, live) =
        (json!({"replicas": 1, "gone": 1, "x": 1}), json!({"replicas": 4, "theirs": 2, "x": 2}));
    assert_eq!(applied(&rules, &target, &live), json!({"replicas": 4, "x": 1}));
}

#[test]
fn what_is_ours_and_ignored_is_not_given_up() {
    let rules = pointers(&["/spec/ours", "/spec/theirs", "/spec/map/ours"]);
    let mut live = object(&json!({"ours": 1, "theirs": 2, "map": {"ours": 3, "theirs": 4}}));
    live["metadata"]["managedFields"] = json!([{
        "manager": "towpath", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:ours": {}, "f:map": {"f:ours": {}}}},
    }]);
    let view = apply_view(&object(&json!({})), &live, &rules, "towpath").unwrap();
    assert_eq!(view, object(&json!({"ours": 1, "map": {"ours": 3}})));
}

#[test]
fn items_keep_their_identity_whatever_their_place() {
    let rules = jq(&[r#".spec.containers[] | select(.name == "web") | .image"#]);
    let target =
        json!({"containers": [{"name": "web", "image": "web:1"}, {"name": "log", "image": "log:2"}]});
    let live = json!({"containers": [
        {"name": "injected", "image": "i"}, {"name": "log", "image": "log:1"}, {"name": "web", "image": "web:9"}]});
    let expected =
        json!({"containers": [{"name": "web", "image": "web:9"}, {"name": "log", "image": "log:2"}]});
    assert_eq!(applied(&rules, &target, &live), expected);
    // An injected container that a rule ignores does not become ours.
    let injected = jq(&[r#".spec.containers[] | select(.name == "injected")"#]);
    assert_eq!(applied(&injected, &target, &live), target);
}

#[test]
fn which_object_it_is_cannot_be_ignored_away() {
    let rules = pointers(&["/metadata", "/kind", "/status", ""]);
    let target = object(&json!({"a": 1}));
    let live = json!({"apiVersion": "v2", "kind": "Other", "spec": {"a": 2}, "status": {"ready": true},
        "metadata": {"name": "b", "uid": "u", "resourceVersion": "9", "labels": {"x": "y"}}});
    let view = apply_view(&target, &live, &rules, "towpath").unwrap();
    let expected = json!({"apiVersion": "v1", "kind": "Thing", "spec": {"a": 2},
        "metadata": {"name": "a", "labels": {"x": "y"}}});
    assert_eq!(view, expected);
}

#[test]
fn a_trusted_manager_decides_over_fields_that_both_have_and_that_differ() {
    let rules = managers(&["autoscaler"]);
    let target = object(&json!({"replicas": 1, "same": 1, "ports": [{"port": 80, "nodePort": 1}]}));
    let mut live = object(&json!({"replicas": 7, "same": 1, "added": 1, "paused": true,
        "ports": [{"port": 80, "protocol": "TCP", "nodePort": 3}]}));
    live["metadata"]["managedFields"] = json!([{
        "manager": "autoscaler", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:replicas": {}, "f:same": {}, "f:added": {},
            "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:nodePort": {}}}}},
    }, {
        "manager": "somebody", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:paused": {}}},
    }]);
    let view = apply_view(&target, &live, &rules, "towpath").unwrap();
    assert_eq!(view["spec"], json!({"replicas": 7, "same": 1, "ports": [{"port": 80, "nodePort": 3}]}));
    let (before, after) = compare_view(&live, &target, &rules).unwrap();
    assert_eq!(after["spec"], json!({"same": 1, "ports": [{"port": 80}]}));
    assert_eq!(before["spec"]["added"], 1);
    assert!(before["spec"].get("replicas").is_none());
}

#[test]
fn rules_for_all_kinds_and_for_one_count_together() {
    let rules = Rules::compile(&[
        Rule {
            group: "*".into(),
            kind: "*".into(),
            json_pointers: vec!["/spec/a".into()],
            ..Rule::default()
        },
        Rule { kind: "Thing".into(), json_pointers: vec!["/spec/b".into()], ..Rule::default() },
        Rule {
            group: "apps".into(),
            kind: "Thing".into(),
            json_pointers: vec!["/spec/c".into()],
            ..Rule::default()
        },
    ])
    .unwrap();
    assert_eq!(left(&rules, &json!({"a": 1, "b": 2, "c": 3})), json!({"c": 3}));
}
