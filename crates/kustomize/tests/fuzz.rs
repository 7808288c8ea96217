//! Foreign bytes as kustomizations, resources and patches. Whatever they are, a build ends with an answer.
//!
//! It takes two seconds; as long as one likes with
//! `TOWPATH_FUZZ_SECONDS=3600 cargo test --release --package towpath-kustomize --test fuzz`.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use towpath_kustomize::{Memory, Options, build};

/// What people write at the top.
const KUSTOMIZATIONS: &[&str] = &[
    "resources: [a.yaml, base]\nnamePrefix: p-\nnamespace: new\ncommonLabels: {a: b}\ncommonAnnotations: {c: d}\n",
    "resources: [a.yaml]\npatches:\n- path: p.yaml\n- target: {kind: Deployment, name: w.*, labelSelector: a in (b)}\n  patch: |\n    - {op: add, path: /spec/replicas, value: 2}\n",
    "resources: [a.yaml]\npatchesStrategicMerge: [p.yaml]\nimages: [{name: nginx, newTag: '2'}]\nreplicas: [{name: web, count: 3}]\n",
    "resources: [a.yaml]\nconfigMapGenerator: [{name: cm, literals: [a=1], files: [a.yaml], envs: [p.yaml]}]\nsecretGenerator: [{name: s, behavior: merge, literals: [x=y]}]\n",
    "resources: [a.yaml]\nreplacements:\n- source: {kind: Deployment, fieldPath: 'spec.template.spec.containers.[name=one].image', options: {delimiter: ':', index: 1}}\n  targets: [{select: {kind: ConfigMap}, reject: [{name: x}], fieldPaths: [data.a, 'data.json.b.*.c', metadata.annotations], options: {create: true}}]\n",
    "resources: [a.yaml]\nvars: [{name: V, objref: {kind: Deployment, apiVersion: apps/v1, name: web}, fieldref: {fieldPath: 'spec.template.spec.containers[0].image'}}]\nconfigurations: [p.yaml]\ncrds: [p.yaml]\n",
    "resources: [a.yaml]\ncomponents: [c]\ntransformers: [p.yaml]\ngenerators: [p.yaml]\nsortOptions: {order: legacy}\nbuildMetadata: [originAnnotations, transformerAnnotations]\nopenapi: {path: p.yaml}\n",
    "kind: Component\nlabels: [{pairs: {x: y}, includeSelectors: true, fields: [{path: spec/a[]/b, create: true}]}]\nbases: [..]\nhelmCharts: [{name: x}]\n",
];

/// What people write below.
const FILES: &[&str] = &[
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {a: b}}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: one, image: 'nginx:1', args: [$(V)], ports: [{containerPort: 80}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {a: '1', json: '{\"b\": [{\"c\": 1}]}'}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{$patch: replace}, {name: two, $patch: delete}], volumes: null}}}\n",
    "- {op: replace, path: /metadata/name, value: x}\n- {op: move, from: /spec, path: /a~1b}\n",
    "apiVersion: builtin\nkind: PrefixSuffixTransformer\nmetadata: {name: t}\nprefix: a\nfieldSpecs: [{path: metadata/name}]\n",
    "nameReference: [{kind: Secret, fieldSpecs: [{path: spec/x, kind: Foo}]}]\nvarReference: [{path: data}]\n",
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r}, subjects: [{kind: ServiceAccount, name: default, namespace: x}], roleRef: {name: y}}\n- &a {kind: ServiceAccount, metadata: {name: default}}\n",
    "A=1\nB\n# c\n",
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
    "!!int ",
    "|\n",
    "null",
    "~",
    ".nan",
    "0x1F",
    "\u{0}",
    "\u{feff}",
    "<<: ",
    "---\n",
    "$patch: delete\n",
    "metadata:\n",
    "name: ",
    "kind: Namespace\n",
    "..",
    "/",
    "(",
    ".*",
    "spec:\n",
    "containers:\n",
    "items:\n",
    "create: true",
    "$(V)",
    "target:\n",
    "subjects: [5]\n",
];

/// A text with some of its parts cut out or replaced.
fn broken(text: &str, cuts: &[(prop::sample::Index, usize, Option<usize>)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (place, length, piece) in cuts {
        let at = place.index(letters.len() + 1);
        let end = (at + length).min(letters.len());
        let piece = piece.and_then(|piece| PIECES.get(piece % PIECES.len())).copied().unwrap_or_default();
        letters.splice(at..end, piece.chars());
    }
    letters.into_iter().collect()
}

#[test]
fn every_tree_has_an_answer() {
    let seconds = std::env::var("TOWPATH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(seconds);
    let cut = (any::<prop::sample::Index>(), 0_usize..12, prop::option::of(0_usize..100));
    let file = |texts: &'static [&'static str]| {
        (prop::sample::select(texts), prop::collection::vec(cut.clone(), 0..4))
            .prop_map(|(text, cuts)| broken(text, &cuts))
    };
    let tree = (file(KUSTOMIZATIONS), file(FILES), file(FILES), file(KUSTOMIZATIONS));
    let mut runner = TestRunner::new(Config { cases: 500, failure_persistence: None, ..Config::default() });
    while Instant::now() < end {
        let done = runner.run(&tree, |(top, first, second, below)| {
            let mut files = Memory::new();
            files.add("kustomization.yaml", top);
            files.add("a.yaml", first);
            files.add("p.yaml", second);
            files.add("c/kustomization.yaml", below.clone());
            files.add("base/kustomization.yaml", below.clone());
            // A failure is an answer; what is built can be built again.
            let build = || build(&files, "/", &Options::default()).and_then(|output| output.to_yaml());
            prop_assert_eq!(build().ok(), build().ok());
            Ok(())
        });
        if let Err(error) = done {
            panic!("{error}");
        }
    }
}
