//! Differences and their reasons, by example.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use towpath_merge::explain::{Explanation, Reason, explain, explain_answer};
use towpath_merge::ignore::{Rule, Rules};
use towpath_merge::predict::{Facts, Options, Shape, predict};

fn entry(manager: &str, operation: &str, fields: &Value) -> Value {
    json!({"manager": manager, "operation": operation, "apiVersion": "apps/v1", "fieldsType": "FieldsV1",
        "fieldsV1": fields})
}

fn deployment(spec: &Value, managers: &Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "managedFields": managers},
        "spec": spec})
}

fn found(target: &Value, live: &Value, options: &Options<'_>) -> Explanation {
    explain(target, Some(live), &Rules::default(), options).unwrap()
}

fn towpath() -> Options<'static> {
    Options::of("towpath")
}

/// A variable that somebody added with `kubectl edit`.
fn edited() -> (Value, Value) {
    let target = deployment(
        &json!({"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}}}),
        &json!([]),
    );
    let keys = |name: &str| {
        json!({"f:spec": {"f:template": {"f:spec": {"f:containers": {"k:{\"name\":\"web\"}": {
            "f:env": {format!("k:{{\"name\":\"{name}\"}}"): {".": {}, "f:name": {}, "f:value": {}}}}}}}}})
    };
    let live = deployment(
        &json!({"revisionHistoryLimit": 10, "template": {"spec": {"containers": [{"name": "web", "env": [
            {"name": "A", "value": "1"}, {"name": "BY_HAND", "value": "x"}]}]}}}),
        &json!([entry("towpath", "Apply", &keys("A")), entry("kubectl-edit", "Update", &keys("BY_HAND"))]),
    );
    (target, live)
}

#[test]
fn a_variable_added_by_hand_is_drift_in_strict_mode_only() {
    let (target, live) = edited();
    let loose = found(&target, &live, &towpath());
    assert!(!loose.is_modified());
    assert_eq!(
        format!("{loose:#}"),
        "spec.revisionHistoryLimit: 10 (set by the server)\n\
         spec.template.spec.containers[name=\"web\"].env[name=\"BY_HAND\"]: \
         {\"name\":\"BY_HAND\",\"value\":\"x\"} (owned by kubectl-edit)\n"
    );
    let strict = found(&target, &live, &Options { strict: true, ..towpath() });
    assert!(strict.is_modified());
    assert_eq!(strict.changes[0].reason, Reason::OwnedBy("kubectl-edit".into()));
    assert!(strict.to_string().contains("BY_HAND"));
}

fn ignoring(pointers: &[&str]) -> Rules {
    let json_pointers = pointers.iter().map(|text| (*text).to_owned()).collect();
    Rules::compile(&[Rule { group: "*".into(), kind: "*".into(), json_pointers, ..Rule::default() }]).unwrap()
}

#[test]
fn what_a_rule_names_is_no_drift_even_in_strict_mode() {
    let (target, live) = edited();
    let rules = ignoring(&["/spec/template/spec/containers/0/env/1"]);
    let strict = Options { strict: true, ..towpath() };
    let found = explain(&target, Some(&live), &rules, &strict).unwrap();
    assert!(!found.is_modified(), "{found:#}");
    let told = |note: &&towpath_merge::explain::Field| note.path.to_string().contains("BY_HAND");
    let reasons: Vec<_> = found.notes.iter().filter(told).map(|note| note.reason.clone()).collect();
    assert_eq!(reasons, [Reason::IgnoredBy("pointer /spec/template/spec/containers/0/env/1".into())]);
}

#[test]
fn a_servers_answer_decides_without_what_rules_name() {
    let (target, live) = edited();
    let same = explain_answer(&target, &live, &live, &Rules::default(), &towpath()).unwrap();
    assert!(!same.is_modified());
    let mut after = live.clone();
    after["spec"]["replicas"] = json!(3);
    after["spec"]["paused"] = json!(true);
    after["metadata"]["resourceVersion"] = json!("9");
    let found = explain_answer(&target, &live, &after, &ignoring(&["/spec/paused"]), &towpath()).unwrap();
    assert_eq!(found.to_string(), "spec.replicas: nothing -> 3 (desired)\n");
    let quiet = explain_answer(&target, &live, &after, &ignoring(&["/spec"]), &towpath()).unwrap();
    assert!(!quiet.is_modified(), "{quiet:#}");
}

#[test]
fn every_reason_is_told() {
    let target = deployment(&json!({"replicas": 3, "paused": true, "ignored": 1}), &json!([]));
    let live = deployment(
        &json!({"replicas": 1, "old": 1, "shared": 2, "minReadySeconds": 5, "limit": 10, "ignored": 2}),
        &json!([
            entry("towpath", "Apply", &json!({"f:spec": {"f:replicas": {}, "f:old": {}, "f:shared": {}}})),
            entry("robot", "Update", &json!({"f:spec": {"f:minReadySeconds": {}, "f:shared": {}}})),
        ]),
    );
    let rules = Rules::compile(&[Rule {
        group: "apps".into(),
        kind: "Deployment".into(),
        json_pointers: vec!["/spec/ignored".into()],
        ..Rule::default()
    }])
    .unwrap();
    let found = explain(&target, Some(&live), &rules, &towpath()).unwrap();
    assert_eq!(
        format!("{found:#}"),
        "spec.old: 1 -> nothing (removed)\n\
         spec.paused: nothing -> true (desired)\n\
         spec.replicas: 1 -> 3 (desired)\n\
         spec.limit: 10 (set by the server)\n\
         spec.minReadySeconds: 5 (owned by robot)\n\
         spec.shared: 2 (owned by robot)\n\
         spec.ignored: 2 -> 1 (ignored by pointer /spec/ignored)\n"
    );
}

#[test]
fn what_is_live_only_is_told_by_owner() {
    let target = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    let live = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n",
        "annotations": {"a": "1", "b": "2", "c": "3"}, "managedFields": [
            entry("kubectl-annotate", "Update", &json!({"f:metadata": {"f:annotations": {"f:a": {}, "f:b": {}}}})),
            entry("robot", "Update", &json!({"f:metadata": {"f:annotations": {"f:c": {}}}}))]}});
    let found = found(&target, &live, &towpath());
    assert_eq!(
        format!("{found:#}"),
        "metadata.annotations.a: \"1\" (owned by kubectl-annotate)\n\
         metadata.annotations.b: \"2\" (owned by kubectl-annotate)\n\
         metadata.annotations.c: \"3\" (owned by robot)\n"
    );
}

#[test]
fn lists_are_merged_by_the_keys_that_managed_fields_show() {
    let list =
        |items: &Value| json!({"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"items": items}});
    let target = list(&json!([{"id": 2, "v": 2}, {"id": 4}]));
    let mut live = list(&json!([{"id": 1}, {"id": 2, "v": 1, "set": true}, {"id": 3}]));
    assert_eq!(predict(&target, &live, &towpath())["spec"]["items"], json!([{"id": 2, "v": 2}, {"id": 4}]));
    live["metadata"] = json!({"managedFields": [
        entry("towpath", "Apply", &json!({"f:spec": {"f:items": {"k:{\"id\":2}": {".": {}}, "k:{\"id\":3}": {".": {}}}}})),
        entry("robot", "Update", &json!({"f:spec": {"f:items": {"k:{\"id\":1}": {".": {}}}}}))]});
    let merged = json!([{"id": 1}, {"id": 2, "v": 2, "set": true}, {"id": 4}]);
    assert_eq!(predict(&target, &live, &towpath())["spec"]["items"], merged);
}

struct Schema;

impl Facts for Schema {
    fn shape(&self, path: &[&str]) -> Option<Shape> {
        match path {
            ["spec", "items"] => Some(Shape::KeyedList(vec!["id".into()])),
            ["spec", "tags"] => Some(Shape::SetList),
            ["spec", "size"] => Some(Shape::Quantity),
            ["spec", "wait"] => Some(Shape::Duration),
            _ => None,
        }
    }
}

#[test]
fn a_schema_tells_what_fields_are() {
    let thing = |spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Thing", "spec": spec});
    let target = thing(json!({"items": [{"id": 1}], "tags": ["b"], "size": "1Gi", "wait": "90s"}));
    let live = thing(
        json!({"items": [{"id": 0}, {"id": 1}], "tags": ["a", "b"], "size": "1024Mi", "wait": "1m30s"}),
    );
    assert!(!found(&target, &live, &Options { facts: &Schema, ..towpath() }).is_modified());
    assert!(found(&target, &live, &towpath()).is_modified());
}

#[test]
fn what_a_server_drops_is_not_missed_and_what_it_keeps_is() {
    let pod = |container: Value| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}});
    let modified = |target: Value, live: Value| found(&pod(target), &pod(live), &towpath()).is_modified();
    assert!(!modified(
        json!({"name": "a", "env": [{"name": "E", "value": ""}]}),
        json!({"name": "a", "env": [{"name": "E"}]})
    ));
    assert!(!modified(json!({"name": "a", "env": [], "stdin": false, "args": null}), json!({"name": "a"})));
    assert!(!modified(
        json!({"name": "a", "resources": {"limits": {}}}),
        json!({"name": "a", "resources": {}})
    ));
    let context = |value: Value| json!({"name": "a", "securityContext": value});
    assert!(modified(context(json!({"allowPrivilegeEscalation": false})), context(json!({}))));
    assert!(modified(context(json!({"runAsUser": 0})), context(json!({}))));
    assert!(modified(json!({"name": "a", "stdin": true}), json!({"name": "a"})));
}

#[test]
fn a_rule_of_a_role_that_goes_is_seen() {
    let role =
        |rule: Value| json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": [rule]});
    let wide = role(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}));
    let narrow =
        role(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["a"]}));
    assert!(found(&wide, &narrow, &towpath()).is_modified());
    assert!(found(&narrow, &wide, &towpath()).is_modified());
    assert!(!found(&narrow, &narrow, &towpath()).is_modified());
}

#[test]
fn bad_input_is_a_visible_difference() {
    let with = |replicas: Value| deployment(&json!({"replicas": replicas}), &json!([]));
    let modified = |target: &Value, live: &Value| found(target, live, &towpath()).is_modified();
    assert!(modified(&with(json!("3")), &with(json!(3))));
    assert!(!modified(&with(json!(3.0)), &with(json!(3))));
    assert!(modified(&with(json!(9_007_199_254_740_993_u64)), &with(json!(9_007_199_254_740_992_u64))));
    assert!(modified(&with(json!("NaN")), &with(json!(3))));
    assert!(modified(&json!({"spec": {"unknown": {"deep": 1}}}), &with(json!(3))));
    let large =
        |text: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"big": text.repeat(1 << 20)}});
    assert!(modified(&large("a"), &large("b")));
    assert!(found(&large("a"), &large("b"), &towpath()).to_string().len() < 400);
    assert!(!modified(&json!({}), &with(json!(3))));
    assert!(modified(&json!([]), &with(json!(3))));
}

#[test]
fn what_is_new_is_one_change() {
    let target =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}});
    let found = explain(&target, None, &Rules::default(), &towpath()).unwrap();
    assert_eq!((found.changes.len(), found.changes[0].reason.clone()), (1, Reason::Desired));
    assert!(found.to_string().starts_with(".: nothing -> "));
}

#[test]
fn long_lists_take_no_time_squared() {
    let began = std::time::Instant::now();
    let count = 5_000;
    let items = |from: usize, name: &str| -> Value {
        (from..from + count).map(|i| json!({name: format!("n{i}"), "value": i.to_string()})).collect()
    };
    let keys = |from: usize| -> Value {
        let entry =
            |i: usize| (format!("k:{{\"name\":\"n{i}\"}}"), json!({".": {}, "f:name": {}, "f:value": {}}));
        (from..from + count).map(entry).collect()
    };
    for name in ["name", "other"] {
        let target = deployment(&json!({"env": items(500, name)}), &json!([]));
        let live = deployment(
            &json!({"env": items(0, name)}),
            &json!([entry("towpath", "Apply", &json!({"f:spec": {"f:env": keys(0)}}))]),
        );
        assert!(found(&target, &live, &towpath()).is_modified());
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
