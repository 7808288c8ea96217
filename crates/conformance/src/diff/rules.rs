//! Ignore rules: as the tests of Argo CD's engine and its documentation describe them.

use anyhow::Result;
use serde_json::{Value, json};
use towpath_merge::ignore::{Rule, Rules};

use super::Case;
use crate::score::Verdict;

fn service(affinity: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "my-service", "annotations": {"a/b": affinity}},
        "spec": {"selector": {"app": "my-app"}, "ports": [{"port": 80}], "sessionAffinity": affinity, "type": "ClusterIP"}})
}

/// A service that somebody's controller changed.
fn managed(mut live: Value, fields: &Value) -> Value {
    if let Some(metadata) = live.get_mut("metadata").and_then(Value::as_object_mut) {
        let entry = json!({"manager": "affinity-controller", "operation": "Update", "apiVersion": "v1",
            "fieldsType": "FieldsV1", "fieldsV1": fields});
        metadata.insert("managedFields".into(), json!([entry]));
    }
    live
}

fn rule(kind: &str, pointers: &[&str], jq: &[&str], managers: &[&str]) -> Rule {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Rule {
        kind: kind.into(),
        json_pointers: texts(pointers),
        jq_path_expressions: texts(jq),
        managed_fields_managers: texts(managers),
        ..Rule::default()
    }
}

pub(super) fn cases() -> Result<Vec<Case>> {
    let annotation = "/metadata/annotations/a~1b";
    let (target, live) = (service("ClientIP"), service("None"));
    let both = json!({"f:spec": {"f:sessionAffinity": {}}, "f:metadata": {"f:annotations": {"f:a/b": {}}}});
    let one = json!({"f:spec": {"f:sessionAffinity": {}, "f:type": {}, "f:none": {}}});
    let deployment = |images: [&str; 2]| {
        let [first, second] = images;
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {"spec": {
            "initContainers": [{"name": "injected", "image": first}, {"name": "ours", "image": second}]}}}})
    };
    let select = r#".spec.template.spec.initContainers[] | select(.name == "injected")"#;
    let all = Rule { group: "*".into(), ..rule("*", &["/spec/sessionAffinity"], &[], &[]) };
    let cases: Vec<(&'static str, Rule, &Value, Value, bool)> = vec![
        (
            "rule: pointers, one with a slash in a name",
            rule("Service", &["/spec/sessionAffinity", annotation], &[], &[]),
            &target,
            live.clone(),
            false,
        ),
        (
            "rule: a path that is not there",
            rule("Service", &["/spec/none", "/a/b/0"], &[], &[]),
            &target,
            live.clone(),
            true,
        ),
        (
            "rule: patterns of groups and kinds",
            Rule { json_pointers: vec!["/spec/sessionAffinity".into(), annotation.into()], ..all },
            &target,
            live.clone(),
            false,
        ),
        (
            "rule: of another group",
            Rule { group: "apps".into(), ..rule("Service", &["/spec", annotation], &[], &[]) },
            &target,
            live.clone(),
            true,
        ),
        (
            "rule: of another name",
            Rule { name: "other".into(), ..rule("Service", &["/spec", annotation], &[], &[]) },
            &target,
            live.clone(),
            true,
        ),
        (
            "rule: a trusted manager, of a core kind",
            rule("Service", &[], &[], &["affinity-controller"]),
            &target,
            managed(live.clone(), &both),
            false,
        ),
        (
            "rule: a trusted manager owns one of two",
            rule("Service", &[], &[], &["affinity-controller"]),
            &target,
            managed(live.clone(), &one),
            true,
        ),
        (
            "rule: a manager that is not trusted",
            rule("Service", &[], &[], &["other"]),
            &target,
            managed(live, &both),
            true,
        ),
    ];
    let mut cases: Vec<Case> = cases
        .into_iter()
        .map(|(name, rule, target, live, modified)| {
            Ok(Case { rules: Rules::compile(&[rule])?, ..Case::new(name, target.clone(), live, modified) })
        })
        .collect::<Result<_>>()?;
    let items: Vec<(&'static str, [&str; 2], bool)> = vec![
        ("rule: jq selects an item of a list", ["injected:2", "ours:1"], false),
        ("rule: jq leaves the other items", ["injected:1", "ours:2"], true),
    ];
    for (name, images, modified) in items {
        let rules = Rules::compile(&[Rule { group: "apps".into(), ..rule("*", &[], &[select], &[]) }])?;
        let case = Case::new(name, deployment(["injected:1", "ours:1"]), deployment(images), modified);
        cases.push(Case { rules, ..case });
    }
    Ok(cases)
}

/// What has to be refused, and when.
pub(super) fn refusals() -> Vec<(&'static str, Verdict)> {
    let syntax =
        Rules::compile(&[rule("*", &[], &[".spec | select("], &[])]).err().map(|error| error.to_string());
    let endless = Rules::compile(&[rule("*", &[], &["def f: f; f"], &[])]).map(|rules| {
        let began = std::time::Instant::now();
        let found = towpath_merge::ignore::compare_view(&service("a"), &service("a"), &rules);
        (found.err().map(|error| error.to_string()), began.elapsed())
    });
    let has = |text: &Option<String>, part: &str| text.as_ref().is_some_and(|text| text.contains(part));
    let says = |good: bool, text: String| if good { Verdict::Agreed } else { Verdict::Missed(text) };
    vec![
        ("rule: bad jq is refused with its place", says(has(&syntax, "column"), format!("{syntax:?}"))),
        (
            "rule: endless jq is stopped in a second, by name",
            match endless {
                Ok((text, time)) => says(
                    has(&text, "def f: f; f") && time.as_millis() <= 1000,
                    format!("{text:?} after {time:?}"),
                ),
                Err(error) => Verdict::Missed(error.to_string()),
            },
        ),
    ]
}
