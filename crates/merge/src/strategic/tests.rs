//! The rules by example; the full comparison is `cargo xtask conformance merge2`.

use towpath_yaml::{Dialect, Limits, Node};

use super::{Order, Schema, merge};

fn node(text: &str) -> Node {
    towpath_yaml::read(text.as_bytes(), Dialect::V3, &Limits::default()).unwrap().remove(0)
}

fn merged(kind: &str, target: &str, patch: &str) -> Option<String> {
    let head = format!(
        "apiVersion: {}\nkind: {}\n",
        kind.rsplit_once('/').unwrap().0,
        kind.rsplit_once('/').unwrap().1
    );
    let (target, patch) = (node(&format!("{head}{target}")), node(&format!("{head}{patch}")));
    let result = merge(target, patch, Schema::built_in(), Order::Front).unwrap()?;
    let mut result = result;
    result.remove("apiVersion");
    result.remove("kind");
    Some(towpath_yaml::write(&result).unwrap())
}

fn pod(target: &str, patch: &str) -> String {
    merged("v1/Pod", target, patch).unwrap()
}

#[test]
fn new_items_come_first() {
    let target = "spec: {containers: [{name: one, image: a}, {name: two, image: b}]}\n";
    let patch = "spec: {containers: [{name: three, image: c}, {name: one, image: d}]}\n";
    let expected = "spec:\n  containers:\n  - image: c\n    name: three\n  - image: d\n    name: one\n  - image: b\n    name: two\n";
    assert_eq!(pod(target, patch), expected);
}

#[test]
fn of_ports_that_match_leniently_the_old_one_wins() {
    let target = "spec: {containers: [{name: a, ports: [{containerPort: 80}, {containerPort: 81}]}]}\n";
    let patch = "spec: {containers: [{name: a, ports: [{containerPort: 80, protocol: TCP}, {containerPort: 82, protocol: TCP}]}]}\n";
    assert_eq!(
        pod(target, patch),
        "spec:\n  containers:\n  - name: a\n    ports:\n    - containerPort: 82\n      protocol: TCP\n    - containerPort: 80\n    - containerPort: 81\n"
    );
}

#[test]
fn a_replaced_item_stays_as_it_was() {
    let target = "spec: {containers: [{name: one, image: a}]}\n";
    let text = pod(target, "spec: {containers: [{name: one, $patch: replace, command: [x]}]}\n");
    assert_eq!(text, "spec:\n  containers:\n  - image: a\n    name: one\n");
}

#[test]
fn directives() {
    let target = "metadata: {labels: {a: b}}\nspec: {containers: [{name: one}, {name: two}]}\n";
    assert!(!pod(target, "spec: {containers: [{name: one, $patch: delete}]}\n").contains("one"));
    assert!(!pod(target, "metadata: {labels: {$patch: replace, c: d}}\n").contains("a: b"));
    assert!(!pod(target, "metadata: {labels: {$patch: delete}}\n").contains("labels"));
    assert_eq!(
        pod(target, "spec: {containers: [{name: three}, {$patch: replace}]}\n"),
        "metadata:\n  labels:\n    a: b\nspec:\n  containers:\n  - name: three\n"
    );
    assert_eq!(merged("v1/Pod", target, "$patch: delete\n"), None);
    assert!(pod(target, "spec: {$retainKeys: [containers]}\n").contains("$retainKeys"));
}

#[test]
fn unknown_types_replace_lists() {
    let target = "spec: {metrics: [{name: a}]}\n";
    let patch = "spec: {metrics: [{name: b}]}\n";
    let text = merged("autoscaling/v2/HorizontalPodAutoscaler", target, patch).unwrap();
    assert_eq!(text, "spec:\n  metrics:\n  - name: b\n");
}

#[test]
fn nulls() {
    assert_eq!(pod("spec: {a: 1, b: 2}\n", "spec: {a: null, c: null}\n"), "spec:\n  b: 2\n");
    // A written null of the target stays, a key without a value goes.
    assert_eq!(pod("spec:\n  a: null\n  b:\n  c: 1\n", "spec: {c: 2}\n"), "spec:\n  a: null\n  c: 2\n");
}

#[test]
fn finalizers_are_a_set() {
    let text = pod("metadata: {finalizers: [a, b]}\n", "metadata: {finalizers: [c, a]}\n");
    assert_eq!(text, "metadata:\n  finalizers:\n  - c\n  - a\n  - b\n");
}

#[test]
fn a_place_keeps_its_style() {
    assert_eq!(pod("spec: {a: \"1\"}\n", "spec: {a: 2}\n"), "spec:\n  a: \"2\"\n");
}

#[test]
fn kinds_must_agree() {
    let (target, patch) = (node("a: {b: 1}\n"), node("a: [1]\n"));
    let error = merge(target, patch, Schema::built_in(), Order::Front).unwrap_err();
    assert!(error.to_string().starts_with("wrong node kind: expected MappingNode but got SequenceNode"));
}
