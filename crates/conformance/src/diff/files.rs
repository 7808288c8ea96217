//! Pairs of files: target and live.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Case, Data, expect, length};

/// The pairs that are named `NAME-config.json` and `NAME-live.json`, and whether they are modified.
const PAIRS: &[(&str, bool)] = &[
    ("deployment", false),
    ("elasticsearch", false),
    ("endpoints", false),
    ("grafana-clusterrole", false),
    ("mutatingwebhookconfig", false),
    ("sealedsecret", false),
    ("spinnaker-sa", false),
    ("wordpress", false),
    ("aggr-clusterrole", true),
];

pub(super) fn cases(data: &Data) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (name, modified) in PAIRS {
        let target = data.read(&format!("{name}-config.json"))?;
        cases.push(Case::new(name, target, data.read(&format!("{name}-live.json"))?, *modified));
    }
    let pair = |target: &str, live: &str| anyhow::Ok((data.read(target)?, data.read(live)?));

    let (target, live) = pair("aggr-clusterrole-config.json", "aggr-clusterrole-live.json")?;
    let aggregated = Case::new("aggregated rules are ignored", target, live, false);
    cases.push(Case { aggregated: true, ..aggregated });
    cases.push(changed_labels(data)?);
    cases.push(redacted(data)?);

    let service = "smd-service-live.yaml";
    let (target, live) = pair("smd-service-config.yaml", service)?;
    cases.push(Case::new("smd: a port is changed", target.clone(), live.clone(), true));
    let defaults = Case::new("smd: defaults are filled in on both sides", target, live, true);
    cases.push(Case {
        declared: Some("no defaults are filled in: a field that nobody mentions is compared with nothing"),
        ..defaults.look(|live, predicted| {
            let policy = "/spec/internalTrafficPolicy";
            expect("predicted", predicted.pointer(policy), &json!("Cluster"))?;
            expect("live", live.pointer(policy), &json!("Cluster"))
        })
    });
    let (target, live) = pair("smd-service-config-2-ports.yaml", service)?;
    let fewer = Case::new("smd: items are removed from a list", target, live, true);
    cases.push(
        fewer.look(|_, predicted| {
            expect("number of ports", Some(&length(predicted, "/spec/ports")), &json!(2))
        }),
    );
    let (target, live) = pair("smd-service-config-ports.yaml", service)?;
    let more = Case::new("smd: one port by two protocols", target, live, true);
    cases.push(
        more.look(|_, predicted| {
            expect("number of ports", Some(&length(predicted, "/spec/ports")), &json!(5))
        }),
    );
    let (target, live) = pair("smd-service-config.yaml", "smd-service-live-with-type.yaml")?;
    let untyped =
        Case::new("smd: what we applied and no longer want goes", target.clone(), live.clone(), true);
    cases.push(untyped.look(|_, predicted| expect("type", predicted.pointer("/spec/type"), &Value::Null)));
    let default = Case::new("smd: what goes comes back as its default", target, live, true);
    cases.push(Case {
        declared: Some("no defaults are filled in: a field that nobody mentions is compared with nothing"),
        ..default.look(|_, predicted| expect("type", predicted.pointer("/spec/type"), &json!("ClusterIP")))
    });
    let (target, live) = pair("smd-deploy-config.yaml", "smd-deploy-live.yaml")?;
    cases.push(Case::new("smd: defaults of a deployment", target, live, false).look(deployment));
    Ok(cases)
}

fn deployment(_: &Value, predicted: &Value) -> Result<(), String> {
    expect("containers", Some(&length(predicted, "/spec/template/spec/containers")), &json!(1))?;
    let surge = predicted.pointer("/spec/strategy/rollingUpdate/maxSurge");
    expect("maxSurge", surge, &json!("25%"))?;
    expect("dnsPolicy", predicted.pointer("/spec/template/spec/dnsPolicy"), &json!("ClusterFirst"))?;
    let resources = predicted.pointer("/spec/template/spec/containers/0/resources");
    expect("resources", resources, &json!({}))
}

/// One label new, one changed, one gone.
fn changed_labels(data: &Data) -> Result<Case> {
    let mut target = data.read("elasticsearch-config.json")?;
    let labels = target.pointer_mut("/metadata/labels").and_then(Value::as_object_mut).context("labels")?;
    labels.insert("foo".into(), "bar".into());
    labels.insert("chart".into(), "elasticsearch-1.7.1".into());
    labels.remove("release");
    let live = data.read("elasticsearch-live.json")?;
    let case = Case::new("elasticsearch with other labels", target, live, true);
    Ok(case.look(|live, predicted| {
        let label = |object: &Value, name: &str| object.pointer(&format!("/metadata/labels/{name}")).cloned();
        expect("new label", label(predicted, "foo").as_ref(), &json!("bar"))?;
        expect("changed label", label(predicted, "chart").as_ref(), &json!("elasticsearch-1.7.1"))?;
        expect("removed label", label(predicted, "release").as_ref(), &Value::Null)?;
        expect("live label", label(live, "release").as_ref(), &json!("elasticsearch4"))
    }))
}

/// Values that were masked for display are no base64 and differ all the same.
fn redacted(data: &Data) -> Result<Case> {
    let (mut target, mut live) = (data.read("wordpress-config.json")?, data.read("wordpress-live.json")?);
    for name in ["wordpress-password", "smtp-password"] {
        for (side, mask) in [(&mut target, "++++++++"), (&mut live, "++++++++++++")] {
            let secret = side.pointer_mut("/data").and_then(Value::as_object_mut).context("data")?;
            secret.insert(name.into(), mask.into());
        }
    }
    Ok(Case::new("wordpress with masked values", target, live, true))
}
