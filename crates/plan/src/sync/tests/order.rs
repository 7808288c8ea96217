//! Order, bubbling and the waves of deletions.

use serde_json::{Value, json};
use towpath_object::Object;

use super::super::fixture::{object, request, wanted};
use super::super::{
    Phase, Progress, Request, Rules, Schedule, Seen, Situation, Step, Wanted, schedule, step,
};

/// Name, wave, wanted, live.
type Row = (&'static str, i64, bool, bool);

fn waved(kind: &str, name: &str, wave: i64, options: &str) -> Object {
    let annotations =
        json!({"argocd.argoproj.io/sync-wave": wave.to_string(), "argocd.argoproj.io/sync-options": options});
    object(
        "v1",
        kind,
        if kind == "Namespace" { "" } else { "web" },
        name,
        json!({"annotations": annotations}),
    )
}

fn mirrored(
    rows: &[Row],
    edit: impl Fn(&mut Request<'_>),
    options: &dyn Fn(&str) -> &'static str,
) -> Schedule {
    let kind = |name: &str| if name == "ns" { "Namespace" } else { "Pod" };
    let build = |(name, wave, ..): &Row| waved(kind(name), name, *wave, options(name));
    let wanted =
        rows.iter().filter(|row| row.2).map(|row| Wanted { object: build(row), prefix: None, origin: None });
    let live = rows.iter().filter(|row| row.3).map(build);
    let mut request = request(wanted.collect(), live.collect());
    request.options.prune = true;
    request.options.allow_empty = true;
    edit(&mut request);
    schedule(request).unwrap()
}

fn waves(schedule: &Schedule) -> Vec<(&str, i64)> {
    let mut waves: Vec<_> =
        schedule.tasks.iter().map(|task| (task.id.key.name.as_str(), task.wave)).collect();
    waves.sort_unstable();
    waves
}

#[test]
fn deletions_take_the_waves_of_deletions_backwards() {
    let rows = [
        ("ns", 0, true, true),
        ("a", 1, false, true),
        ("b", 2, true, false),
        ("c", 3, false, true),
        ("d", 4, false, true),
    ];
    let schedule = mirrored(&rows, |_| {}, &|_| "");
    assert_eq!(waves(&schedule), [("a", 4), ("b", 2), ("c", 3), ("d", 1), ("ns", 0)]);
}

#[test]
fn prune_last_is_after_everything() {
    let rows = [
        ("ns", 0, true, true),
        ("a", 1, false, true),
        ("b", 2, false, true),
        ("c", 3, false, true),
        ("d", 4, false, true),
    ];
    let all = mirrored(&rows, |request| request.options.prune_last = true, &|_| "");
    assert_eq!(waves(&all), [("a", 5), ("b", 5), ("c", 5), ("d", 5), ("ns", 0)]);
    let one = mirrored(&rows, |_| {}, &|name| if name == "b" { "PruneLast=true" } else { "" });
    assert_eq!(waves(&one), [("a", 4), ("b", 5), ("c", 2), ("d", 1), ("ns", 0)]);
}

fn names(schedule: &Schedule) -> Vec<String> {
    schedule.tasks.iter().map(|task| format!("{} {} {}", task.id.phase, task.wave, task.id.key)).collect()
}

fn annotations(pairs: &[(&str, &str)]) -> Value {
    json!({"annotations": pairs.iter().map(|(name, value)| (name.to_string(), *value)).collect::<std::collections::BTreeMap<_, _>>()})
}

#[test]
fn a_namespace_goes_before_the_first_hook_in_it() {
    let hook = |name, namespace| {
        wanted("batch/v1", "Job", namespace, name, annotations(&[("argocd.argoproj.io/hook", "PreSync")]))
    };
    let namespace = |name, wave| {
        wanted("v1", "Namespace", "", name, annotations(&[("argocd.argoproj.io/sync-wave", wave)]))
    };
    let made = schedule(request(
        vec![hook("job1", "one"), hook("job2", "two"), namespace("one", "1"), namespace("two", "2")],
        vec![],
    ));
    assert_eq!(
        names(&made.unwrap()),
        [
            "PreSync 0 Namespace/one",
            "PreSync 0 Job/one/job1",
            "PreSync 0 Namespace/two",
            "PreSync 0 Job/two/job2"
        ]
    );
}

fn definition(wave: &str) -> Wanted {
    let mut object = object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "",
        "baskets.example.com",
        annotations(&[("argocd.argoproj.io/sync-wave", wave), ("towpath.dev/wave", wave)]),
    )
    .into_value();
    object["spec"] = json!({"group": "example.com", "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
        "versions": [{"name": "v1", "served": true}]});
    Wanted::new(object, None).unwrap()
}

#[test]
fn a_definition_goes_before_the_first_of_its_kind_under_both_rules() {
    for rules in [Rules::Argo, Rules::Kstatus] {
        let mut request = request(
            vec![
                definition("5"),
                wanted("example.com/v1", "Basket", "", "b", json!({})),
                wanted("v1", "ConfigMap", "", "c", json!({})),
            ],
            vec![],
        );
        request.rules = rules;
        let made = schedule(request).unwrap();
        let at = |kind: &str| made.tasks.iter().position(|task| task.id.key.kind == kind).unwrap();
        assert!(at("CustomResourceDefinition") < at("Basket"), "{rules:?}");
        assert_eq!(made.tasks[at("CustomResourceDefinition")].wave, 0);
        let basket = &made.tasks[at("Basket")];
        assert!(basket.skip_check && basket.resource.is_some(), "its kind comes with the sync");
    }
}

#[test]
fn phases_waves_kinds_and_names_in_that_order() {
    let hook =
        |name, phase| wanted("v1", "Pod", "", name, annotations(&[("argocd.argoproj.io/hook", phase)]));
    let wave = |kind, name, wave| {
        wanted("v1", kind, "", name, annotations(&[("argocd.argoproj.io/sync-wave", wave)]))
    };
    let made = schedule(request(
        vec![
            hook("fail", "SyncFail"),
            hook("post", "PostSync"),
            wave("Pod", "late", "1"),
            wave("Pod", "b", "0"),
            wave("Pod", "a", "0"),
            wave("ConfigMap", "z", "0"),
            wave("Service", "z", "x"),
            wave("Pod", "early", "-1"),
            hook("pre", "PreSync"),
        ],
        vec![],
    ))
    .unwrap();
    assert!(made.is_multi_step());
    assert_eq!(
        names(&made),
        [
            "PreSync 0 Pod/web/pre",
            "Sync -1 Pod/web/early",
            "Sync 0 ConfigMap/web/z",
            "Sync 0 Service/web/z",
            "Sync 0 Pod/web/a",
            "Sync 0 Pod/web/b",
            "Sync 1 Pod/web/late",
            "PostSync 0 Pod/web/post",
            "SyncFail 0 Pod/web/fail",
        ]
    );
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    let hook =
        |name, phase| wanted("v1", "Pod", "", name, annotations(&[("argocd.argoproj.io/hook", phase)]));
    let mut all = vec![
        definition("3"),
        wanted("example.com/v1", "Basket", "", "b", json!({})),
        wanted("example.com/v1", "Basket", "other", "b", json!({})),
        wanted("v1", "Namespace", "", "other", annotations(&[("argocd.argoproj.io/sync-wave", "9")])),
        hook("h", "PreSync,PostSync"),
        wanted("v1", "ConfigMap", "", "c", json!({})),
        wanted("v1", "ConfigMap", "other", "c", json!({})),
    ];
    for rules in [Rules::Argo, Rules::Kstatus] {
        let order = |wanted: &[Wanted]| {
            let mut request = request(wanted.to_vec(), vec![object("v1", "Pod", "web", "old", json!({}))]);
            request.rules = rules;
            names(&schedule(request).unwrap())
        };
        let expected = order(&all);
        for _ in 0..all.len() {
            all.rotate_left(1);
            assert_eq!(order(&all), expected);
            all.reverse();
            assert_eq!(order(&all), expected);
        }
    }
}

#[test]
fn ten_thousand_objects_are_scheduled_and_stepped_quickly() {
    let all: Vec<Wanted> = (0..10_000)
        .map(|number| {
            let wave = (number % 20).to_string();
            let name = format!("c{number}");
            wanted("v1", "ConfigMap", "", &name, annotations(&[("argocd.argoproj.io/sync-wave", &wave)]))
        })
        .collect();
    let begun = std::time::Instant::now();
    let made = schedule(request(all, vec![])).unwrap();
    let mut progress = Progress::default();
    let situation = Situation { view: &|_| Seen::Unseen, approved: None, stop: None };
    let Step::Act(checks) = step(&made, &mut progress, &situation) else { panic!("checks") };
    assert_eq!(checks.len(), 10_000);
    // Generous: without optimisation, beside other tests. It is about a tenth of that.
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}

#[test]
fn under_kstatus_stages_follow_each_other_and_deletions_run_backwards() {
    let mut request = request(
        vec![
            wanted("apps/v1", "Deployment", "", "api", json!({})),
            wanted("v1", "ConfigMap", "", "settings", json!({})),
            wanted("v1", "Namespace", "", "other", json!({})),
        ],
        vec![
            object("v1", "ConfigMap", "web", "old", json!({})),
            object("apps/v1", "Deployment", "web", "old", json!({})),
        ],
    );
    request.rules = Rules::Kstatus;
    let made = schedule(request).unwrap();
    let shown: Vec<_> = made.tasks.iter().map(|task| (task.stage, task.id.key.to_string())).collect();
    assert_eq!(
        shown,
        [
            (0, "Namespace/other".into()),
            (1, "ConfigMap/web/settings".into()),
            (2, "Deployment/web/api".into()),
            (5, "Deployment/web/old".into()),
            (6, "ConfigMap/web/old".into()),
        ]
    );
    assert!(!made.is_multi_step());
    assert!(made.tasks.iter().all(|task| task.id.phase == Phase::Sync));
}
