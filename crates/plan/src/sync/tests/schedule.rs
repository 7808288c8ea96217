//! What becomes a task, and what keeps an operation from beginning.

use std::collections::BTreeMap;

use serde_json::json;
use towpath_object::{Key, Object, Resource};

use super::super::fixture::{object, request, wanted};
use super::super::{
    Caller, HOOK_FINALIZER, NamespaceMetadata, Phase, Rules, Schedule, Selection, Selector, Wanted, Warning,
    schedule,
};

fn keys(schedule: &Schedule) -> Vec<String> {
    schedule.tasks.iter().map(|task| task.id.to_string()).collect()
}

fn hook(name: &str, phases: &str) -> Wanted {
    wanted("batch/v1", "Job", "", name, json!({"annotations": {"argocd.argoproj.io/hook": phases}}))
}

fn unnamed(phases: &str) -> Wanted {
    let value = json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"generateName": "job-", "annotations": {"argocd.argoproj.io/hook": phases}}});
    Wanted::new(value, None).unwrap()
}

#[test]
fn unnamed_hooks_have_the_same_name_at_every_step_and_one_for_each_phase() {
    for (revision, short) in [("0123456789", "0123456"), ("0123456", "0123456"), ("abc", "abc"), ("", "")] {
        let make = || {
            let mut request = request(vec![unnamed("PreSync,PostSync")], vec![]);
            request.revision = revision.into();
            schedule(request).unwrap()
        };
        let names: Vec<_> = make().tasks.iter().map(|task| task.id.key.name.clone()).collect();
        assert_eq!(
            names,
            [format!("job-{short}-presync-1700000000"), format!("job-{short}-postsync-1700000000")]
        );
        assert_eq!(keys(&make()), keys(&make()));
    }
}

#[test]
fn hooks_are_held_by_a_finalizer() {
    let made = schedule(request(vec![hook("a", "Sync")], vec![])).unwrap();
    let target = made.tasks[0].target.as_ref().unwrap();
    assert_eq!(target.value()["metadata"]["finalizers"], json!([HOOK_FINALIZER]));
}

#[test]
fn garbage_is_left_out_skipped_is_left_alone_and_hooks_are_never_pruned() {
    let skip = json!({"annotations": {"argocd.argoproj.io/hook": "Skip"}});
    let made = schedule(request(
        vec![
            hook("garbage", "Nonsense"),
            wanted("v1", "Pod", "", "skipped", skip.clone()),
            hook("bye", "PreDelete"),
        ],
        vec![
            object("v1", "Pod", "web", "skipped", skip.clone()),
            object("v1", "Pod", "web", "skipped-too", skip),
            hook("old", "Sync").object,
        ],
    ))
    .unwrap();
    assert_eq!(keys(&made), Vec::<String>::new());
    assert_eq!(made.warnings, [Warning::IgnoredHook(Key::new("batch", "Job", "web", "garbage"))]);
}

#[test]
fn a_live_hook_is_attached_to_its_task() {
    let mut live = hook("a", "PreSync").object;
    live.set_namespace("web");
    let made = schedule(request(vec![hook("a", "PreSync,PostSync")], vec![live])).unwrap();
    assert_eq!(keys(&made), ["Job/web/a (PreSync)", "Job/web/a (PostSync)"]);
    assert!(made.tasks.iter().all(|task| task.live.is_some()));
}

#[test]
fn a_selective_sync_runs_no_hooks() {
    let mut request = request(
        vec![
            hook("h", "PreSync"),
            wanted("v1", "ConfigMap", "", "a", json!({})),
            wanted("v1", "ConfigMap", "", "b", json!({})),
        ],
        vec![],
    );
    let one = Selector { group: String::new(), kind: "ConfigMap".into(), name: "b".into(), namespace: None };
    request.selection = Selection::Only(vec![one]);
    assert_eq!(keys(&schedule(request).unwrap()), ["ConfigMap/web/b (Sync)"]);
}

#[test]
fn the_namespace_is_created_unless_somebody_wants_it() {
    let with = |wanted_too: Vec<Wanted>, live: Vec<Object>, metadata: bool| {
        let mut request = request(wanted_too, live);
        request.options.create_namespace = true;
        let labels = BTreeMap::from([("team".to_string(), "shop".to_string())]);
        request.namespace_metadata =
            metadata.then(|| NamespaceMetadata { labels, annotations: BTreeMap::new() });
        schedule(request).unwrap()
    };
    let pod = || wanted("v1", "Pod", "", "a", json!({}));
    let live = || vec![object("v1", "Namespace", "", "web", json!({}))];
    assert_eq!(keys(&with(vec![pod()], vec![], false)), ["Namespace/web (PreSync)", "Pod/web/a (Sync)"]);
    assert_eq!(keys(&with(vec![pod()], live(), false)), ["Pod/web/a (Sync)"]);
    let updated = with(vec![pod()], live(), true);
    assert_eq!(updated.tasks[0].target.as_ref().unwrap().label("team"), Some("shop"));
    let own = wanted("v1", "Namespace", "", "web", json!({}));
    assert_eq!(
        keys(&with(vec![pod(), own.clone()], vec![], true)),
        ["Namespace/web (Sync)", "Pod/web/a (Sync)"]
    );
    let mut as_hook = own.object.into_value();
    as_hook["metadata"]["annotations"] = json!({"argocd.argoproj.io/hook": "PreSync"});
    let as_hook = Wanted::new(as_hook, None).unwrap();
    assert_eq!(keys(&with(vec![as_hook], vec![], false)), ["Namespace/web (PreSync)"]);
}

struct Strict;
impl Caller for Strict {
    fn permit(&self, object: &Object, _: Option<&Resource>) -> Result<(), String> {
        if object.kind() == "Secret" { Err("no secrets here".into()) } else { Ok(()) }
    }
    fn other_owner(&self, live: &Object) -> Option<String> {
        live.label("owner").map(String::from)
    }
    fn modified(&self, key: &Key) -> Option<bool> {
        Some(key.name == "changed")
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let mut request = request(
        vec![
            wanted("v1", "Secret", "", "s", json!({})),
            wanted("example.com/v1", "Basket", "", "b", json!({})),
            wanted("broken.io/v1", "Thing", "", "t", json!({})),
            wanted("v1", "ConfigMap", "", "shared", json!({})),
            unnamed_plain(),
        ],
        vec![object("v1", "ConfigMap", "web", "shared", json!({"labels": {"owner": "other"}}))],
    );
    let unreadable = BTreeMap::from([("broken.io".to_string(), "no endpoints".to_string())]);
    request.unreadable = &unreadable;
    request.options.fail_on_shared = true;
    request.caller = &Strict;
    let mut told: Vec<_> = schedule(request).unwrap_err().iter().map(ToString::to_string).collect();
    told.sort();
    assert_eq!(
        told,
        [
            "Basket/web/b: the cluster has no kind Basket in example.com/v1; add its CustomResourceDefinition, or the sync option SkipDryRunOnMissingResource=true",
            "ConfigMap/web/c-: it has a generateName; only hooks are given a name, a plain object needs one of its own",
            "ConfigMap/web/shared: it belongs to other as well, and FailOnSharedResource is on",
            "Secret/web/s: not permitted: no secrets here",
            "Thing/web/t: the API group \"broken.io\" could not be discovered: no endpoints",
        ]
    );
}

fn unnamed_plain() -> Wanted {
    let value = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "c-"}});
    Wanted::new(value, None).unwrap()
}

#[test]
fn what_belongs_to_another_unit_is_warned_about_and_never_pruned() {
    let theirs = |name| object("v1", "ConfigMap", "web", name, json!({"labels": {"owner": "other"}}));
    let mut request =
        request(vec![wanted("v1", "ConfigMap", "", "a", json!({}))], vec![theirs("a"), theirs("b")]);
    request.options.prune = true;
    request.caller = &Strict;
    let made = schedule(request).unwrap();
    assert_eq!(keys(&made), ["ConfigMap/web/a (Sync)"]);
    assert_eq!(made.warnings, [Warning::Shared(Key::new("", "ConfigMap", "web", "a"), "other".into())]);
}

#[test]
fn wanting_nothing_is_refused_while_pruning() {
    let live =
        || vec![object("v1", "Pod", "web", "a", json!({})), object("v1", "Pod", "web", "b", json!({}))];
    let with = |prune: bool, allow: bool, wanted: Vec<Wanted>| {
        let mut request = request(wanted, live());
        request.options.prune = prune;
        request.options.allow_empty = allow;
        schedule(request).map_err(|problems| problems[0].to_string())
    };
    assert_eq!(
        with(true, false, vec![]).unwrap_err(),
        "nothing is wanted, so pruning would delete all 2 objects; allow empty units if that is meant"
    );
    assert!(with(true, false, vec![hook("h", "PreSync")]).is_err(), "a hook is not an object of the unit");
    assert!(with(true, true, vec![]).is_ok());
    assert!(with(false, false, vec![]).is_ok());
    assert!(with(true, false, vec![wanted("v1", "Pod", "", "a", json!({}))]).is_ok());
}

#[test]
fn kinds_that_are_missing_may_be_left_unchecked() {
    let option =
        json!({"annotations": {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}});
    let made = schedule(request(vec![wanted("example.com/v1", "Basket", "", "b", option)], vec![])).unwrap();
    assert!(made.tasks[0].skip_check && made.tasks[0].resource.is_none());
    let mut all = request(vec![wanted("example.com/v1", "Basket", "", "b", json!({}))], vec![]);
    all.options.skip_check_of_missing_kinds = true;
    assert!(schedule(all).unwrap().tasks[0].skip_check);
}

#[test]
fn only_what_is_out_of_sync_is_applied_when_that_is_asked_for() {
    let config = |name| wanted("v1", "ConfigMap", "", name, json!({}));
    let live = |name| object("v1", "ConfigMap", "web", name, json!({}));
    let mut request =
        request(vec![config("changed"), config("same"), config("new")], vec![live("changed"), live("same")]);
    request.options.out_of_sync_only = true;
    request.caller = &Strict;
    let made = schedule(request).unwrap();
    let unchanged: Vec<_> =
        made.tasks.iter().filter(|task| task.unchanged).map(|task| task.id.key.name.as_str()).collect();
    assert_eq!(unchanged, ["same"]);
}

#[test]
fn of_two_wanted_the_last_counts_or_neither() {
    let pod = |line| Wanted {
        origin: Some(crate::Origin { file: "a.yaml".into(), line }),
        ..wanted("v1", "Pod", "", "a", json!({}))
    };
    let made = schedule(request(vec![pod(1), pod(7)], vec![])).unwrap();
    assert_eq!(made.tasks[0].origin.as_ref().unwrap().line, 7);
    assert_eq!(made.warnings.len(), 1);
    let mut strict = request(vec![pod(1), pod(7)], vec![]);
    strict.rules = Rules::Kstatus;
    assert_eq!(
        schedule(strict).unwrap_err()[0].to_string(),
        "a.yaml:7: Pod/web/a: it is wanted twice, first at a.yaml:1; an object may be in one place only"
    );
}

#[test]
fn cluster_scoped_objects_have_no_namespace() {
    let made = schedule(request(
        vec![wanted("rbac.authorization.k8s.io/v1", "ClusterRole", "web", "r", json!({}))],
        vec![],
    ))
    .unwrap();
    assert_eq!(made.tasks[0].id.key.namespace, "");
    assert_eq!(made.tasks[0].id.phase, Phase::Sync);
}
