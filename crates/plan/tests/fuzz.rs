//! Foreign bytes through everything that reads them before a cluster is asked: YAML, objects, schemas, differences,
//! health, schedules and their steps. Whatever they are, each has an answer and nobody panics.
//!
//! It takes two seconds; as long as one likes with
//! `TOWPATH_FUZZ_SECONDS=3600 cargo test --release --package towpath-plan --test fuzz`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use towpath_health::{Judge, Rules as HealthRules};
use towpath_merge::predict::{Options, predict};
use towpath_merge::{diff, explain};
use towpath_object::{Gvk, Key, Kinds, Object, Resource, digest, mask_pair, strip};
use towpath_plan::sync::{
    Answer, Mark, Observation, Progress, Request, Rules, Seen, Selection, Situation, Step, SyncOptions,
    Verdict, Wanted, schedule, step,
};
use towpath_plan::{Inventory, absorb, differs, fold_string_data, owned_digest};
use towpath_schema::Schemas;
use towpath_yaml::{Limits, documents};

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: baskets.shop.example.com}\nspec:\n  group: shop.example.com\n  scope: Cluster\n  names: {kind: Basket, plural: baskets}\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 5}, list: {type: array, items: {type: string}, x-kubernetes-list-type: set}}}}}}}]\n";

/// What people write, well and badly.
const TEXTS: &[&str] = &[
    DEFINITION,
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: web\n  annotations: {argocd.argoproj.io/sync-wave: '-1'}\ndata:\n  key: value\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, generation: 3, resourceVersion: '9', uid: u1}\nspec:\n  replicas: \"3\"\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - {name: web, image: 'web:1', ports: [{containerPort: 80}], resources: {limits: {cpu: 1000m}}}\nstatus: {observedGeneration: 3, replicas: 3, conditions: [{type: Available, status: \"True\"}]}\n",
    "apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: before-\n  annotations:\n    argocd.argoproj.io/hook: PreSync,Sync\n    argocd.argoproj.io/hook-delete-policy: HookSucceeded\n    helm.sh/hook: pre-install\nstatus: {conditions: [{type: Suspended, status: 'False'}]}\n",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{'}\ndata: {a: b, c: 5, d: null}\nstringData: {a: [1]}\n",
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n- 5\n",
    "apiVersion: shop.example.com/v1\nkind: Basket\nmetadata:\n  name: b\n  managedFields: [{manager: kubectl-edit, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:list': {'v:\"a\"': {}, 'k:{\"name\":\"x\"}': {}, 'i:0': {}}}}}]\nspec: {size: 9007199254740993, list: [a, a], odd: NaN, neg: -0, time: 2001-01-01}\n",
    "a: &a [x, x]\nb: &b [*a, *a]\n<<: {c: *b}\n",
    "---\n# nothing\n---\n\n...\n",
    "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n  finalizers: [argocd.argoproj.io/hook-finalizer]\n  deletionTimestamp: yesterday\nspec: {finalizers: [kubernetes]}\n",
    "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"x\", \"labels\": {\"a\": 1}}}",
];

/// What breaks readers when it is put somewhere.
const PIECES: &[&str] = &[
    "\n",
    "  ",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "&a ",
    "*a",
    "!!binary ",
    "|\n",
    "null",
    "~",
    ".inf",
    "0x7fffffffffffffff",
    "18446744073709551616",
    "-1e309",
    "\u{0}",
    "\u{feff}",
    "\u{85}",
    "\\ud800",
    "<<: ",
    "? ",
    "---\n",
    "status:\n  phase: Failed\n",
    "kind: Pod\n",
    "metadata:\n",
    "name: ",
    "annotations:\n",
    "argocd.argoproj.io/",
    "sync-options: Prune=confirm,Force=true,Replace=true",
    "sync-wave: '99999999999999999999'",
    "conditions: ",
];

#[derive(Clone, Debug)]
enum Edit {
    Put(usize, usize),
    Byte(usize, u8),
    Cut(usize, usize),
    Copy(usize, usize, usize),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = 0..2000usize;
    let edit = prop_oneof![
        4 => (at.clone(), 0..PIECES.len()).prop_map(|(at, piece)| Edit::Put(at, piece)),
        2 => (at.clone(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        2 => (at.clone(), 0..60usize).prop_map(|(at, length)| Edit::Cut(at, length)),
        1 => (at.clone(), 0..200usize, at).prop_map(|(from, length, to)| Edit::Copy(from, length, to)),
    ];
    prop::collection::vec(edit, 0..6)
}

fn edited(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for edit in edits {
        let size = bytes.len() + 1;
        let range = |at: usize, length: usize| (at % size)..(at % size + length).min(size - 1);
        match *edit {
            Edit::Put(at, piece) => {
                let piece = PIECES.get(piece).copied().unwrap_or_default();
                bytes.splice(range(at, 0), piece.bytes());
            }
            Edit::Byte(at, byte) => {
                bytes.splice(range(at, 1), [byte]);
            }
            Edit::Cut(at, length) => {
                bytes.drain(range(at, length));
            }
            Edit::Copy(from, length, to) => {
                let copy = bytes.get(range(from, length)).unwrap_or_default().to_vec();
                bytes.splice(range(to, 0), copy);
            }
        }
    }
    bytes
}

/// Some of the texts as one, edited.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let texts = prop::collection::vec(prop::sample::select(TEXTS), 1..4);
    (texts, edits()).prop_map(|(texts, edits)| edited(texts.join("---\n").into_bytes(), &edits))
}

fn read(bytes: &[u8]) -> Vec<Value> {
    match documents(bytes, &Limits::default()) {
        Ok(found) => found.into_iter().map(|document| document.value).collect(),
        Err(error) => {
            assert!(error.line > 0 && !error.message.is_empty(), "{error:?}");
            Vec::new()
        }
    }
}

fn kinds() -> Kinds {
    let mut kinds = Kinds::default();
    for (api_version, kind, plural, namespaced) in [
        ("v1", "ConfigMap", "configmaps", true),
        ("v1", "Secret", "secrets", true),
        ("v1", "Pod", "pods", true),
        ("v1", "Namespace", "namespaces", false),
        ("apps/v1", "Deployment", "deployments", true),
        ("batch/v1", "Job", "jobs", true),
    ] {
        kinds.add(Resource { gvk: Gvk::new(api_version, kind), plural: plural.into(), namespaced });
    }
    kinds
}

/// What is said of one object alone, and of two.
fn judged(target: &Value, live: &Value, schemas: &Schemas) {
    let options = Options::of("towpath");
    let rules = towpath_merge::ignore::Rules::default();
    let found = explain::explain(target, Some(live), &rules, &options).map(|found| found.to_string());
    assert!(found.is_ok(), "without rules nothing can go wrong: {found:?}");
    let predicted = predict(target, live, &options);
    let _ = (diff(live, &predicted), differs(live, &predicted), digest(target));
    let _ = (absorb(live, "towpath", "v1"), owned_digest(live, "kubectl-edit", "v1"));
    let (mut before, mut after) = (live.clone(), target.clone());
    strip(&mut before);
    mask_pair(&mut before, &mut after);
    let _ = schemas.check(&Gvk::new("shop.example.com/v1", "Basket"), target);
    if let Ok(object) = Object::new(live.clone()) {
        let _ = fold_string_data(object.clone());
        for rules in [HealthRules::Argo, HealthRules::Kstatus] {
            let _ = Judge::new(rules).assess(&object, Timestamp::UNIX_EPOCH);
        }
    }
}

fn options(chance: u64) -> SyncOptions {
    let bit = |number: u32| chance.rotate_right(number) & 1 == 1;
    SyncOptions {
        prune: bit(0),
        create_namespace: bit(1),
        allow_empty: bit(2),
        force: bit(3),
        replace: bit(4),
        prune_last: bit(5),
        out_of_sync_only: bit(6),
        skip_check_of_missing_kinds: bit(7),
        ..SyncOptions::default()
    }
}

fn answer(chance: u64) -> Answer {
    match chance % 4 {
        0 => Answer::Done,
        1 => Answer::Refused("no".into()),
        2 => Answer::NotFound,
        _ => Answer::Applied(Mark::default()),
    }
}

/// A sync of these, up to where it waits.
fn synced(rules: Rules, wanted: &[Value], live: &[Value], kinds: &Kinds, chance: u64) {
    let live: Vec<Object> = live.iter().filter_map(|value| Object::new(value.clone()).ok()).collect();
    let wanted = wanted.iter().filter_map(|value| Wanted::new(value.clone(), None).ok());
    let request = Request {
        rules,
        options: options(chance),
        namespace: "web".into(),
        namespace_metadata: None,
        wanted: wanted.collect(),
        live: live.clone(),
        selection: Selection::All,
        revision: "0123456789".into(),
        started: Timestamp::UNIX_EPOCH,
        kinds,
        unreadable: &BTreeMap::new(),
        caller: &(),
    };
    let plan = match schedule(request) {
        Ok(plan) => plan,
        Err(problems) => return assert!(problems.iter().all(|problem| !problem.to_string().is_empty())),
    };
    let mut progress = Progress::default();
    let verdicts = [Verdict::Ready, Verdict::Progressing, Verdict::Failed, Verdict::Unknown, Verdict::None];
    for round in 0..50u32 {
        let verdict = verdicts.get(usize::try_from(chance.rotate_right(round) % 5).unwrap_or(0)).copied();
        let view = |key: &Key| match live.iter().find(|object| object.key() == *key) {
            Some(object) => Seen::There(Observation::new(object, verdict.unwrap_or(Verdict::Ready), "why")),
            None if chance.rotate_right(round).is_multiple_of(2) => Seen::Gone,
            None => Seen::Unseen,
        };
        let approved = chance.rotate_right(round + 7).is_multiple_of(2).then_some(Timestamp::MAX);
        match step(&plan, &mut progress, &Situation { view: &view, approved, stop: None }) {
            Step::Done(outcome) => return assert!(!outcome.message.is_empty()),
            Step::Wait(_) | Step::Confirm(_) => return,
            Step::Act(actions) => {
                for (index, action) in (0u32..).zip(actions) {
                    progress.record(&action, answer(chance.rotate_right(round * 3 + index)));
                }
            }
        }
    }
}

#[test]
fn any_input_has_an_answer() {
    let seconds = std::env::var("TOWPATH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let (end, served) = (Instant::now() + Duration::from_secs(seconds), kinds());
    let mut inputs = 0u64;
    while Instant::now() < end {
        let mut runner =
            TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
        let ran = runner.run(&(input(), input(), any::<u64>()), |(wanted, live, chance)| {
            let (wanted, live) = (read(&wanted), read(&live));
            let (mut schemas, mut kinds) = (Schemas::default(), served.clone());
            for value in wanted.iter().chain(&live) {
                schemas.add_definition(value);
                kinds.add_definition(value);
            }
            for (target, other) in wanted.iter().zip(live.iter().chain(&wanted)) {
                judged(target, other, &schemas);
            }
            synced(Rules::Argo, &wanted, &live, &kinds, chance);
            synced(Rules::Kstatus, &wanted, &live, &kinds, chance);
            if let Some(Value::String(text)) = wanted.first().and_then(|value| value.pointer("/data/key")) {
                let _ = Inventory::parse(text);
            }
            Ok(())
        });
        assert!(ran.is_ok(), "{ran:?}");
        inputs += 200;
    }
    assert!(inputs > 0, "nothing was tried");
}

/// The inputs of acceptance check 18, one by one: a typed error, or a value that is what was written.
#[test]
fn each_bad_input_is_told_or_kept() {
    let error = |text: &str| documents(text.as_bytes(), &Limits::default()).unwrap_err().to_string();
    assert!(error("a: 1\na: 2\n").contains("line 2"));
    assert!(error("a: .nan\n").contains("line 1") && error("a: .inf\n").contains("line 1"));
    let one = |text: &str| read(text.as_bytes()).pop().unwrap();
    let numbers = one("a: 9007199254740993\nb: NaN\n");
    assert_eq!(numbers, json!({"a": 9_007_199_254_740_993_u64, "b": "NaN"}));
    assert_eq!(read(b"\n---\n# only words\n---\n"), Vec::<Value>::new());
    let refused = |value: Value| Wanted::new(value, None).unwrap_err().to_string();
    assert_eq!(refused(json!({"apiVersion": "v1", "metadata": {"name": "a"}})), "kind is missing");
    assert_eq!(refused(json!({"kind": "Pod", "metadata": {"name": "a"}})), "apiVersion is missing");
    let unnamed = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}});
    assert_eq!(refused(unnamed), "metadata.name is missing");
    assert_eq!(refused(json!({"apiVersion": "v1", "kind": "List", "items": []})), "metadata is missing");
    let mut large = String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  key: ");
    large.push_str(&"x".repeat(1 << 20));
    assert_eq!(one(&large).pointer("/data/key").and_then(Value::as_str).map(str::len), Some(1 << 20));
    let mut schemas = Schemas::default();
    schemas.add_definition(&one(DEFINITION));
    let check =
        |spec: Value| schemas.check(&Gvk::new("shop.example.com/v1", "Basket"), &json!({"spec": spec}));
    assert_eq!(check(json!({"size": "3"})).len(), 1, "another type");
    assert_eq!(check(json!({"sise": 3})).len(), 1, "an unknown field");
}
