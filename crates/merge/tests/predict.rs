//! Laws of prediction and explanation, over generated objects.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod objects;

use objects::{pair, value};
use proptest::prelude::*;
use serde_json::{Value, json};
use towpath_merge::explain::explain;
use towpath_merge::ignore::{Rule, Rules, apply_view, compare_view};
use towpath_merge::predict::{Options, answered, predict};

fn strict() -> Options<'static> {
    Options { strict: true, ignore_aggregated_roles: true, ..Options::of("towpath") }
}

/// A server shows no nulls but that of an absent time.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let fields = map.into_iter().filter(|(_, value)| !value.is_null());
            fields.map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

fn rules() -> Rules {
    let pointers = ["/spec/a", "/spec/ports/0", "/data", "/spec/containers/1/name", ""];
    let rule = |json_pointers: Vec<String>| Rule {
        group: "*".into(),
        kind: "*".into(),
        json_pointers,
        ..Rule::default()
    };
    let managers = Rule { managed_fields_managers: vec!["robot".into()], ..rule(vec![]) };
    let mut all: Vec<_> = pointers[..4].iter().map(|pointer| rule(vec![(*pointer).into()])).collect();
    all.push(managers);
    Rules::compile(&all).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn predicting_twice_is_predicting_once((target, live) in pair()) {
        let options = Options::of("towpath");
        let once = predict(&target, &live, &options);
        prop_assert_eq!(predict(&target, &once, &options), once);
    }

    #[test]
    fn what_is_predicted_is_not_modified((target, live) in pair()) {
        let options = Options::of("towpath");
        let after = predict(&target, &live, &options);
        let found = explain(&target, Some(&after), &Rules::default(), &options).unwrap();
        prop_assert!(!found.is_modified(), "{found}");
    }

    #[test]
    fn what_is_displayed_decides((target, live) in pair()) {
        for options in [Options::of("towpath"), strict()] {
            let found = explain(&target, Some(&live), &rules(), &options).unwrap();
            prop_assert_eq!(found.is_modified(), !found.to_string().is_empty());
        }
        let loose = explain(&target, Some(&live), &rules(), &Options::of("towpath")).unwrap();
        let exact = explain(&target, Some(&live), &rules(), &Options { strict: true, ..Options::of("towpath") }).unwrap();
        prop_assert!(exact.changes.len() >= loose.changes.len());
    }

    #[test]
    fn an_object_is_as_it_is((_, live) in pair()) {
        let live = without_nulls(live);
        let mut target = live.clone();
        target["metadata"] = json!({"name": "n"});
        let found = explain(&target, Some(&live), &Rules::default(), &Options::of("towpath")).unwrap();
        prop_assert!(found.changes.iter().all(|field| field.path.to_string().starts_with("metadata")), "{found}");
    }

    #[test]
    fn without_rules_the_target_is_applied((target, live) in pair()) {
        prop_assert_eq!(&apply_view(&target, &live, &Rules::default(), "towpath").unwrap(), &target);
        prop_assert_eq!(compare_view(&live, &target, &Rules::default()).unwrap(), (live, target));
    }

    #[test]
    fn anything_goes(target in value(), live in value(), answer in value()) {
        for options in [Options::of("towpath"), strict()] {
            let _ = predict(&target, &live, &options);
            let _ = answered(&live, &answer, &options);
            let _ = explain(&target, Some(&live), &rules(), &options).unwrap().to_string();
            let _ = explain(&target, None, &rules(), &options).unwrap().to_string();
        }
        let _ = apply_view(&target, &live, &rules(), "towpath").unwrap();
    }

    #[test]
    fn the_whole_answer_of_a_server_is_ours_where_we_own_all((target, live) in pair()) {
        let mut answer = predict(&target, &live, &Options::of("towpath"));
        let fields: Value = answer.as_object().unwrap().keys().map(|name| (format!("f:{name}"), json!({}))).collect();
        answer["metadata"]["managedFields"] = json!([{
            "manager": "towpath", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }]);
        let mut after = answered(&live, &answer, &Options::of("towpath")).unwrap();
        for side in [&mut after, &mut answer] {
            side["metadata"].as_object_mut().unwrap().remove("managedFields");
        }
        prop_assert_eq!(after, answer);
    }

    #[test]
    fn no_byte_of_a_secret_gets_out(secret in "[A-Z]{12}", other in "[A-Z]{12}", ignored in any::<bool>()) {
        let object = |value: &str, extra: &str| {
            let copy = json!({"stringData": {"password": value}}).to_string();
            json!({"apiVersion": "v1", "kind": "Secret", "stringData": {"password": value},
                "data": {extra: value, "odd": {"deep": value}},
                "metadata": {"name": "s", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": copy},
                    "managedFields": [{"manager": "kubectl-edit", "operation": "Update", "apiVersion": "v1",
                        "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {format!("f:{extra}"): {}}}}]}})
        };
        let pointers = if ignored { vec!["/data/a".into(), "/stringData/password".into()] } else { vec![] };
        let rules = Rules::compile(&[Rule { kind: "Secret".into(), json_pointers: pointers, ..Rule::default() }]).unwrap();
        let (target, live) = (object(&secret, "a"), object(&other, "b"));
        for live in [Some(&live), None] {
            let found = explain(&target, live, &rules, &strict()).unwrap();
            prop_assert!(found.is_modified());
            let shown = format!("{found:#}\n{found:?}");
            prop_assert!(!shown.contains(&secret) && !shown.contains(&other), "{}", shown);
        }
    }
}
