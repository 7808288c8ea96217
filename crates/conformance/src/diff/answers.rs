//! A server's answers to dry runs: what of them counts.

use anyhow::Result;
use serde_json::{Value, json};
use towpath_merge::diff;
use towpath_merge::ignore::{Rule, Rules, compare_view};
use towpath_merge::predict::{Options, answered};

use super::{Data, Look, MANAGER, expect, length};
use crate::score::Verdict;

/// Name, file of the live object, file of the answer, whether webhooks count, what is looked at. All are
/// modified.
type Answer = (&'static str, &'static str, &'static str, bool, Look);

const LABEL: &str = "/metadata/labels/event";
const CONTAINER: &str = "/spec/template/spec/containers/0";

const ANSWERS: &[Answer] = &[
    (
        "ssd: a webhook's label is left out",
        "ssd-service-live.yaml",
        "ssd-service-predicted-live.json",
        false,
        |live, after| {
            expect("label", after.pointer(LABEL), &Value::Null)?;
            let policy = "/spec/internalTrafficPolicy";
            expect("policy", after.pointer(policy), &json!("Cluster"))?;
            expect("live policy", live.pointer(policy), &json!("Cluster"))
        },
    ),
    (
        "ssd: a webhook's label counts where asked",
        "ssd-service-live.yaml",
        "ssd-service-predicted-live.json",
        true,
        |_, after| expect("label", after.pointer(LABEL), &json!("FROM-MUTATION-WEBHOOK")),
    ),
    (
        "ssd: a field that goes, beside a webhook's",
        "smd-deploy2-live.yaml",
        "smd-deploy2-predicted-live.json",
        false,
        |live, after| {
            let requests = json!({"cpu": "500m", "memory": "512Mi"});
            let at = format!("{CONTAINER}/resources/requests");
            expect("requests", after.pointer(&at), &requests)?;
            expect("live requests", live.pointer(&at), &requests)?;
            expect("containers", Some(&length(after, "/spec/template/spec/containers")), &json!(1))
        },
    ),
    (
        "ssd: ports and variables",
        "ssd-deploy-nested-live.yaml",
        "ssd-deploy-nested-predicted-live.json",
        false,
        |live, after| {
            for (name, key, first, second) in [
                ("ports", "containerPort", json!(80), json!(443)),
                ("env", "name", "ENV_VAR1".into(), "ENV_VAR2".into()),
            ] {
                let list = format!("{CONTAINER}/{name}");
                expect(name, Some(&length(after, &list)), &json!(2))?;
                expect(name, Some(&length(live, &list)), &json!(1))?;
                expect(name, after.pointer(&format!("{list}/0/{key}")), &first)?;
                expect(name, after.pointer(&format!("{list}/1/{key}")), &second)?;
            }
            Ok(())
        },
    ),
    (
        "ssd: a container that kubectl added",
        "ssd-deploy-with-manual-apply-live.yaml",
        "ssd-deploy-with-manual-apply-predicted-live.json",
        false,
        |live, after| {
            let ports = format!("{CONTAINER}/ports");
            expect("ports", Some(&length(after, &ports)), &json!(2))?;
            expect("live ports", Some(&length(live, &ports)), &json!(1))?;
            expect("first", after.pointer(&format!("{ports}/0/containerPort")), &json!(80))?;
            expect("second", after.pointer(&format!("{ports}/1/containerPort")), &json!(40))?;
            expect("a webhook's label", after.pointer("/metadata/labels/mutation-test"), &Value::Null)
        },
    ),
    (
        "ssd: a label that goes",
        "ssd-svc-label-live.yaml",
        "ssd-svc-no-label-predicted-live.json",
        false,
        |live, after| {
            expect("label", after.pointer("/metadata/labels/delete-me"), &Value::Null)?;
            expect("live label", live.pointer("/metadata/labels/delete-me"), &json!("delete-value"))
        },
    ),
];

pub(super) fn verdicts(data: &Data) -> Result<Vec<(&'static str, Verdict)>> {
    let mut verdicts = Vec::new();
    for (name, live, answer, webhooks, look) in ANSWERS {
        let (live, answer) = (data.read(live)?, data.read(answer)?);
        let after = match webhooks {
            true => answer,
            false => answered(&live, &answer, &Options::of(MANAGER))?,
        };
        verdicts.push((*name, verdict(&live, &after, *look)));
    }
    verdicts.push(("ssd: an ignored field is in neither", ignored(data)?));
    Ok(verdicts)
}

fn verdict(live: &Value, after: &Value, look: Look) -> Verdict {
    if diff(live, after).is_empty() {
        return Verdict::Missed("expected modified, found no difference".into());
    }
    look(live, after).map_or_else(Verdict::Missed, |()| Verdict::Agreed)
}

fn ignored(data: &Data) -> Result<Verdict> {
    let live = data.read("ssd-service-live.yaml")?;
    let answer = data.read("ssd-service-predicted-live.json")?;
    let rules = Rules::compile(&[Rule {
        kind: "Service".into(),
        json_pointers: vec!["/spec/sessionAffinity".into()],
        ..Rule::default()
    }])?;
    let after = answered(&live, &answer, &Options::of(MANAGER))?;
    let (live, after) = compare_view(&live, &after, &rules)?;
    Ok(verdict(&live, &after, |live, after| {
        expect("affinity", after.pointer("/spec/sessionAffinity"), &Value::Null)?;
        expect("live affinity", live.pointer("/spec/sessionAffinity"), &Value::Null)?;
        expect("selector", after.pointer("/spec/selector"), &json!({"app": "httpbin"}))
    }))
}
