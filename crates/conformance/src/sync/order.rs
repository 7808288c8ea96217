//! Which tasks there are, in which order and in which waves.

use anyhow::Result;
use towpath_plan::sync::{Schedule, Selection, Selector, argo_rank, pair};

use super::unit::{Compared, Forbidding, Unit, kinds, object};
use super::{Fact, fact};

/// The waves of deletions: a name, the unit, an option of the unit, the wave of each object.
const MIRRORED: &[(&str, &[&str], &str, &str)] = &[
    (
        "same wave, nothing to prune",
        &["target: Namespace ns", "target: Pod a", "target: Pod b", "target: Pod c", "target: Pod d"],
        "",
        "a=0 b=0 c=0 d=0 ns=0",
    ),
    (
        "same wave, everything to prune",
        &["live: Namespace ns", "live: Pod a", "live: Pod b", "live: Pod c", "live: Pod d"],
        "",
        "a=0 b=0 c=0 d=0 ns=0",
    ),
    (
        "same wave, mixed",
        &["both: Namespace ns", "live: Pod a", "target: Pod b", "live: Pod c", "live: Pod d"],
        "",
        "a=0 b=0 c=0 d=0 ns=0",
    ),
    (
        "different waves, nothing to prune",
        &[
            "target: Namespace ns wave=0",
            "target: Pod a wave=1",
            "target: Pod b wave=2",
            "target: Pod c wave=3",
            "target: Pod d wave=4",
        ],
        "",
        "a=1 b=2 c=3 d=4 ns=0",
    ),
    (
        "different waves, everything to prune",
        &[
            "live: Namespace ns wave=0",
            "live: Pod a wave=1",
            "live: Pod b wave=2",
            "live: Pod c wave=3",
            "live: Pod d wave=4",
        ],
        "",
        "a=3 b=2 c=1 d=0 ns=4",
    ),
    (
        "different waves, mixed",
        &[
            "both: Namespace ns wave=0",
            "live: Pod a wave=1",
            "target: Pod b wave=2",
            "live: Pod c wave=3",
            "live: Pod d wave=4",
        ],
        "",
        "a=4 b=2 c=3 d=1 ns=0",
    ),
    (
        "prune last",
        &[
            "both: Namespace ns wave=0",
            "live: Pod a wave=1",
            "live: Pod b wave=2",
            "live: Pod c wave=3",
            "live: Pod d wave=4",
        ],
        "PruneLast=true",
        "a=5 b=5 c=5 d=5 ns=0",
    ),
    (
        "prune last, one object",
        &[
            "both: Namespace ns wave=0",
            "live: Pod a wave=1",
            "live: Pod b wave=2 options=PruneLast=true",
            "live: Pod c wave=3",
            "live: Pod d wave=4",
        ],
        "",
        "a=4 b=5 c=2 d=1 ns=0",
    ),
    (
        "mixed, several in a wave",
        &[
            "both: Namespace ns wave=-1",
            "live: Pod a wave=1",
            "target: Pod b wave=3",
            "live: Pod c wave=3",
            "live: Pod d wave=3",
            "live: Pod e wave=4",
            "both: Pod f wave=5",
            "live: Pod g wave=5",
        ],
        "",
        "a=5 b=3 c=4 d=4 e=3 f=5 g=1 ns=-1",
    ),
];

/// The highest wave with `PruneLast`.
const LAST: &[(&str, &[&str], &str, i64)] = &[
    ("one wave", &["target: Pod a", "live: Pod b", "live: Pod c"], "PruneLast=true", 1),
    (
        "several waves",
        &["target: Pod a wave=2", "live: Pod b wave=1", "live: Pod c wave=7"],
        "PruneLast=true",
        8,
    ),
    (
        "on objects",
        &[
            "target: Pod a wave=2",
            "live: Pod b wave=1 options=PruneLast=true",
            "live: Pod c wave=7 options=PruneLast=true",
        ],
        "",
        8,
    ),
];

/// Sorted tasks as `phase/wave kind name`.
const SORTED: &[(&str, &[&str], &str)] = &[
    (
        "phase, wave, kind, name",
        &[
            "target: Pod pod",
            "target: Service service",
            "target: Job fail hook=SyncFail",
            "target: TestCrd late wave=1",
            "target: TestCrd b",
            "target: TestCrd a",
            "target: TestCrd early wave=-1",
            "target: Job pre hook=PreSync",
            "target: Job post hook=PostSync",
            "target: ConfigMap config",
        ],
        "PreSync/0 pre, Sync/-1 early, Sync/0 config, Sync/0 service, Sync/0 pod, Sync/0 a, Sync/0 b, Sync/1 late, PostSync/0 post, SyncFail/0 fail",
    ),
    (
        "namespaces before hooks in them",
        &[
            "target: Job hook1 hook=PreSync in=one",
            "target: Job hook2 hook=PreSync in=two",
            "target: Namespace one wave=1",
            "target: Namespace two wave=2",
        ],
        "PreSync/0 one, PreSync/0 hook1, PreSync/0 two, PreSync/0 hook2",
    ),
    (
        "a definition before its objects",
        &["target: TestCrd a hook=PreSync", "target: CustomResourceDefinition crd wave=3"],
        "PreSync/0 crd, PreSync/0 a",
    ),
    (
        "a namespace before a custom resource",
        &["target: TestCrd a", "target: Namespace n"],
        "Sync/0 n, Sync/0 a",
    ),
    ("a hook is one task", &["target: Pod a hook=Sync"], "Sync/0 a"),
    ("hooks that live are not pruned", &["live: Service a hook=PreSync"], ""),
    ("skipped", &["both: Pod a hook=Skip", "live: Pod b hook=Skip"], ""),
];

/// Custom resources: served, defined in the same sync, option on the object, option on the unit; checked, accepted.
const CHECKED: &[(&str, bool, bool, bool, bool, &str)] = &[
    ("unknown kind", false, false, false, false, "refused"),
    ("defined in the same sync", false, true, false, false, "unchecked"),
    ("served", true, false, false, false, "checked"),
    ("served, with the option", true, false, true, false, "checked"),
    ("unknown kind, with the option", false, false, true, false, "unchecked"),
    ("unknown kind, with the unit's option", false, false, false, true, "unchecked"),
];

pub fn facts() -> Result<Vec<Fact>> {
    let mut facts = kinds_in_order();
    for (name, lines, option, expected) in MIRRORED {
        let mut unit = Unit::new(lines)?;
        unit.options.prune_last = !option.is_empty();
        facts.push(fact(&format!("mirrored: {name}"), expected, tell(&unit, waves)));
    }
    for (name, lines, option, expected) in LAST {
        let mut unit = Unit::new(lines)?;
        unit.options.prune_last = !option.is_empty();
        let last = tell(&unit, |made| made.tasks.last().map_or(0, |task| task.wave).to_string());
        facts.push(fact(&format!("prune last: {name}"), &expected.to_string(), last));
    }
    for (name, lines, expected) in SORTED {
        let mut unit = Unit::new(lines)?;
        unit.options.skip_check_of_missing_kinds = true;
        facts.push(fact(name, expected, tell(&unit, sorted)));
    }
    for (name, served, defined, option, unit_option, expected) in CHECKED {
        let resource = if *option {
            "target: TestCrd a options=SkipDryRunOnMissingResource=true"
        } else {
            "target: TestCrd a"
        };
        let mut unit = Unit::new(&[resource])?;
        if *defined {
            unit.wanted.push(object("CustomResourceDefinition crd")?);
        }
        if *served {
            unit.kinds = kinds(&["TestCrd", "CustomResourceDefinition"]);
        }
        unit.options.skip_check_of_missing_kinds = *unit_option;
        facts.push(fact(&format!("check: {name}"), expected, checked(&unit)));
    }
    facts.extend(single_facts()?);
    Ok(facts)
}

fn single_facts() -> Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for (revision, expected) in [("foobarbiz", "foobarb"), ("foobar", "foobar")] {
        let mut unit = Unit::new(&["target: Pod - hook=PreSync,PostSync"])?;
        unit.revision = revision.into();
        let expected = format!("my-{expected}-presync-1700000000, my-{expected}-postsync-1700000000");
        let names = |made: &Schedule| {
            made.tasks.iter().map(|task| task.id.key.name.clone()).collect::<Vec<_>>().join(", ")
        };
        facts.push(fact(&format!("names of hooks at {revision}"), &expected, tell(&unit, names)));
    }
    facts.push(fact("plain object without a name", "Sync/0 ", tell(&Unit::new(&["target: Pod -"])?, sorted)));
    for (name, lines, expected) in [
        ("one step", &["target: Pod a wave=-1"][..], "false"),
        (
            "two phases and waves",
            &["target: Pod a hook=PreSync wave=-1", "target: Pod b hook=PostSync wave=1"],
            "true",
        ),
    ] {
        let ours = tell(&Unit::new(lines)?, |made| made.is_multi_step().to_string());
        facts.push(fact(&format!("multi-step: {name}"), expected, ours));
    }
    let mut selected = Unit::new(&["target: Pod pod-1", "target: Pod pod-2"])?;
    let one = Selector { group: String::new(), kind: "Pod".into(), name: "pod-1".into(), namespace: None };
    selected.selection = Selection::Only(vec![one]);
    facts.push(fact("selected", "Sync/0 pod-1", tell(&selected, sorted)));
    let namespace = tell(&Unit::new(&["target: Pod a"])?, |made| {
        made.tasks.first().map(|task| task.id.key.namespace.clone()).unwrap_or_default()
    });
    facts.push(fact("objects get a namespace", "fake-argocd-ns", namespace));
    for (name, lines, create, expected) in [
        ("wanted by the unit", &["target: Namespace fake-argocd-ns"][..], true, "Sync/0 fake-argocd-ns"),
        ("not wanted", &["target: Pod a"], true, "PreSync/0 fake-argocd-ns, Sync/0 a"),
        ("not asked for", &["target: Pod a"], false, "Sync/0 a"),
    ] {
        let mut unit = Unit::new(lines)?;
        unit.options.create_namespace = create;
        facts.push(fact(&format!("namespace: {name}"), expected, tell(&unit, sorted)));
    }
    let mut forbidden = Unit::new(&["target: Pod a in=kube-system"])?;
    forbidden.caller = Box::new(Forbidding);
    let told = tell(&forbidden, sorted).contains("not permitted in project");
    facts.push(fact("not permitted", "true", told.to_string()));
    let mut undiscovered = Unit::new(&["both: Namespace mine"])?;
    undiscovered.live.first_mut().into_iter().for_each(|live| live.set_namespace(""));
    let pairs = pair(undiscovered.wanted, undiscovered.live, "some-namespace", |_| None);
    let paired = pairs.iter().filter(|pair| pair.wanted.is_some() && pair.live.is_some()).count();
    facts.push(fact("unknown scope", "1 of 1", format!("{paired} of {}", pairs.len())));
    let mut unchanged =
        Unit::new(&["target: Pod pod-1", "live: Pod pod-2", "both: Pod pod-3", "both: Pod pod-4"])?;
    unchanged.options.out_of_sync_only = true;
    unchanged.caller = Box::new(Compared(vec![("pod-1", true), ("pod-2", true), ("pod-3", false)]));
    let ours = tell(&unchanged, |made| {
        let done = made.tasks.iter().filter(|task| !task.unchanged).map(|task| task.id.key.name.clone());
        done.collect::<Vec<_>>().join(", ")
    });
    facts.push(fact("only what is out of sync, unknown ones too", "pod-1, pod-2, pod-4", ours));
    Ok(facts)
}

fn kinds_in_order() -> Vec<Fact> {
    let expected = "Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService MyCRD";
    let mut ours: Vec<&str> = expected.split(' ').rev().collect();
    ours.sort_by_key(|kind| argo_rank(kind));
    vec![fact("kinds", expected, ours.join(" "))]
}

fn tell(unit: &Unit, show: impl Fn(&Schedule) -> String) -> String {
    unit.schedule().map_or_else(|problems| problems, |made| show(&made))
}

fn waves(made: &Schedule) -> String {
    let mut waves: Vec<String> =
        made.tasks.iter().map(|task| format!("{}={}", task.id.key.name, task.wave)).collect();
    waves.sort();
    waves.join(" ")
}

fn sorted(made: &Schedule) -> String {
    let shown = made.tasks.iter().map(|task| format!("{}/{} {}", task.id.phase, task.wave, task.id.key.name));
    shown.collect::<Vec<_>>().join(", ")
}

fn checked(unit: &Unit) -> String {
    match unit.schedule() {
        Err(_) => "refused".into(),
        Ok(made) => {
            let skipped = made.tasks.iter().any(|task| task.id.key.kind == "TestCrd" && task.skip_check);
            if skipped { "unchecked".into() } else { "checked".into() }
        }
    }
}
