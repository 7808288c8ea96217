//! Objects as the tests of Argo CD's engine build them.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Case, expect};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": "demo", "namespace": "test"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "demo"}}, "template": {
            "metadata": {"labels": {"app": "demo"}},
            "spec": {"containers": [{"name": "demo", "image": "demo:1", "ports": [{"containerPort": 80}]}]}}},
    })
}

/// The deployment with another value at a place.
fn with(pointer: &str, value: Value) -> Value {
    let mut object = deployment();
    let (above, name) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    if let Some(map) = object.pointer_mut(above).and_then(Value::as_object_mut) {
        map.insert(name.into(), value);
    }
    object
}

/// What kubectl would have left: the live object with a copy of what was applied.
fn applied(mut live: Value, last: &Value) -> Value {
    if let Some(metadata) = live.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(LAST_APPLIED.into(), last.to_string().into());
        }
    }
    live
}

pub(super) fn cases() -> Result<Vec<Case>> {
    let limit = "/spec/revisionHistoryLimit";
    let mut cases = vec![
        Case::new("equal objects", deployment(), deployment(), false),
        Case::new(
            "equal with a value of the wrong type",
            with(limit, json!("bad")),
            with(limit, json!("bad")),
            false,
        ),
        Case::new("a value of the wrong type", with(limit, json!("bad")), with(limit, json!("3")), true),
        Case::new("live has null for a mapping", deployment(), with("/spec", Value::Null), true),
        Case::new("live has a status", deployment(), with("/status", json!({"replicas": 1})), false),
        Case::new("live has other replicas", deployment(), with("/spec/replicas", json!(10)), true),
        Case::new("nothing is live", deployment(), Value::Null, true),
    ];
    if let Some(absent) = cases.last_mut() {
        absent.live = None;
    }
    cases.extend(three_way());
    cases.extend(small()?);
    cases.extend(secrets()?);
    cases.extend(quantities());
    Ok(cases)
}

fn three_way() -> Vec<Case> {
    let mut target = with("/metadata/annotations", json!({"foo": "bar"}));
    if let Some(metadata) = target.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("namespace");
    }
    let mut live = target.clone();
    if let Some(metadata) = live.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("namespace".into(), "default".into());
    }
    let mut without = target.clone();
    if let Some(metadata) = without.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("annotations");
    }
    vec![
        Case::new("live has a namespace", target.clone(), live.clone(), false),
        Case::new(
            "live has a copy of what was applied",
            target.clone(),
            applied(live.clone(), &target),
            false,
        ),
        Case::new("an applied annotation goes", without.clone(), applied(live.clone(), &target), true),
        Case::new("without a copy nobody knows", without, live, false),
    ]
}

fn small() -> Result<Vec<Case>> {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"name": "a", "labels": {"app.kubernetes.io/instance": "demo"}}});
    let mut last = account.clone();
    if let Some(metadata) = last.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("annotations".into(), json!({}));
        metadata.insert("namespace".into(), "demo".into());
    }
    let mut live = applied(account.clone(), &last);
    if let Some(live) = live.as_object_mut() {
        live.insert("secrets".into(), json!([{"name": "a-token-kfxct"}]));
    }
    let invalid =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "invalidKey": "asdf"});
    let valid = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let custom = super::yaml(
        b"apiVersion: foo.io/v1\nkind: Foo\nmetadata: {name: a, namespace: n}\nspec: {foo: bar}",
    )?;
    let cluster_wide = super::yaml(
        b"apiVersion: foo.io/v1\nkind: Foo\nmetadata: {name: a, creationTimestamp: 2018-07-17 09:17:05 UTC}\nspec: {foo: bar}",
    )?;
    let empty = json!({"apiVersion": "v1", "kind": "ServiceAccount", "imagePullSecrets": [], "metadata": {"name": "a"}});
    let bare = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}});
    Ok(vec![
        Case::new("a service account with its token", account, live, false),
        Case::new("an unknown field is not lost", invalid, valid, true)
            .look(|_, predicted| expect("invalidKey", predicted.get("invalidKey"), &json!("asdf"))),
        Case::new("a namespace for a kind without namespaces", custom, cluster_wide, false),
        Case::new("an empty list is no list", empty, bare, false),
    ])
}

fn secrets() -> Result<Vec<Case>> {
    let target = super::yaml(
        b"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: Opaque\n\
          stringData: {foo: bar, bar: \"1234\"}\ndata: {baz: cXV4}\n",
    )?;
    let live = super::yaml(
        b"apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: argocd}\ntype: Opaque\n\
          data: {foo: YmFy, bar: MTIzNA==, baz: cXV4}\n",
    )?;
    let odd = super::yaml(b"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {foo: 1234}\n")?;
    let new = Case::new("a new secret with a number for a text", odd, Value::Null, true);
    Ok(vec![Case::new("texts of a secret are its data", target, live, false), Case { live: None, ..new }])
}

fn quantities() -> Vec<Case> {
    let pod = |cpu: Value| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [
            {"name": "nginx", "image": "nginx:1.7.9", "resources": {"requests": {"cpu": cpu}}}]}})
    };
    vec![
        Case::new("0.2 is 200m", pod(json!(0.2)), pod(json!("200m")), false),
        Case::new("\"0.2\" is 200m", pod(json!("0.2")), pod(json!("200m")), false),
        Case::new("what is no amount is itself", pod(json!("invalid")), pod(json!("invalid")), false),
        Case::new("what is no amount is no other", pod(json!("invalid")), pod(json!("200m")), true),
        Case::new("0.2 is not 0.1", pod(json!(0.2)), pod(json!(0.1)), true),
    ]
}
