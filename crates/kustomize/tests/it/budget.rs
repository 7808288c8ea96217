//! What costs too much ends with an error that says what there is too much of. The limits are numbers of bytes
//! and values, so that these tests say the same on every machine.

use std::fmt::Write as _;
use std::fs::{self, File};

use towpath_failure::Failure as _;
use towpath_kustomize::{Disk, Error, Limits, Memory, Options, build};

const MIB: u64 = 1 << 20;
const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// So many objects, one document each.
fn many(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "---\nkind: ServiceAccount\napiVersion: v1\nmetadata: {{name: a{number}}}");
        text
    })
}

fn refused_within(limits: Limits, kustomization: &str, files: &[(&str, String)]) -> String {
    let mut tree = Memory::new();
    tree.add("kustomization.yaml", kustomization);
    for (path, content) in files {
        tree.add(path, content.as_str());
    }
    let options = Options { limits, ..Options::default() };
    let error = build(&tree, "/", &options).expect_err("it must be refused");
    assert!(matches!(error.root(), Error::Limit(_)), "{:.200}", error.to_string());
    assert_eq!(error.reason().0, "LimitExceeded");
    error.to_string()
}

fn bytes(bytes: u64) -> Limits {
    Limits { bytes, ..Limits::default() }
}

#[test]
fn a_huge_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    File::create(folder.path().join("huge.yaml")).unwrap().set_len(100 * MIB).unwrap();
    for kustomization in [
        "resources: [huge.yaml]\n",
        "configMapGenerator: [{name: a, files: [huge.yaml]}]\n",
        "patches: [{path: huge.yaml}]\n",
        "openapi: {path: huge.yaml}\n",
    ] {
        fs::write(folder.path().join("kustomization.yaml"), kustomization).unwrap();
        let error = build(&Disk::at(folder.path()), ".", &Options::default()).expect_err(kustomization);
        assert!(
            error.to_string().ends_with("has more than the 67108864 bytes that a file may have"),
            "{error}"
        );
    }
}

#[test]
fn all_files_together_have_a_limit() {
    let file = format!("{CONFIG_MAP}data: {{a: {}}}\n", "x".repeat(700_000));
    let files = [("a.yaml", file.clone()), ("b.yaml", file.replace("name: a", "name: b"))];
    let error = refused_within(bytes(MIB), "resources: [a.yaml, b.yaml]\n", &files);
    assert_eq!(
        error,
        "accumulating resources: accumulating resources from 'b.yaml': \
         the build reads or copies more than the 1048576 bytes allowed"
    );
}

#[test]
fn a_million_items_are_counted() {
    let list = format!("{CONFIG_MAP}data: [{}]\n", "x,".repeat(1_000_000));
    let limits = Limits { values: 100_000, ..Limits::default() };
    let error = refused_within(limits.clone(), "resources: [a.yaml]\n", &[("a.yaml", list)]);
    assert!(error.ends_with("more than 100000 values in one document"), "{error}");
    let more = many(9_000).replace("name: a", "name: b");
    let files = [("a.yaml", many(9_000)), ("b.yaml", more)];
    let error = refused_within(limits, "resources: [a.yaml, b.yaml]\n", &files);
    assert!(error.contains("from 'b.yaml': line "), "{error}");
}

#[test]
fn bases_that_double_at_each_level_end() {
    let mut tree = Memory::new();
    tree.add("0/kustomization.yaml", "resources: [a.yaml]\n");
    tree.add("0/a.yaml", CONFIG_MAP);
    for level in 1..40 {
        let below = level - 1;
        for side in ["l", "r"] {
            let text = format!("namePrefix: {side}\nresources: [../../{below}]\n");
            tree.add(&format!("{level}/{side}/kustomization.yaml"), text);
        }
        tree.add(&format!("{level}/kustomization.yaml"), "resources: [l, r]\n");
    }
    let options = Options { limits: bytes(MIB), ..Options::default() };
    let error = build(&tree, "/39", &options).unwrap_err();
    assert!(matches!(error.root(), Error::Limit(_)), "{}", error.root());
}

#[test]
fn what_is_copied_into_many_places_counts_for_each() {
    let long = "x".repeat(20_000);
    let objects = [("a.yaml", many(100))];
    let top = "resources: [a.yaml]\n";
    for field in [
        format!("namePrefix: {long}\n"),
        format!("namespace: {long}\n"),
        format!("commonLabels: {{a: {long}}}\n"),
        format!("labels: [{{pairs: {{a: {long}}}}}]\n"),
        format!("commonAnnotations: {{a: {long}}}\n"),
        format!(
            "patches: [{{target: {{kind: .*}}, patch: '[{{\"op\": \"add\", \"path\": \"/a\", \"value\": \"{long}\"}}]'}}]\n"
        ),
        format!(
            "patches: [{{target: {{kind: .*}}, patch: '{{apiVersion: v1, kind: X, metadata: {{name: y}}, a: {long}}}'}}]\n"
        ),
        format!(
            "configMapGenerator: [{{name: c, literals: [a={long}]}}]\nreplacements:\n- source: {{kind: ConfigMap, fieldPath: data.a}}\n  \
             targets: [{{select: {{kind: ServiceAccount}}, fieldPaths: [x], options: {{create: true}}}}]\n"
        ),
    ] {
        let error = refused_within(bytes(MIB), &format!("{top}{field}"), &objects);
        assert!(error.ends_with("the build reads or copies more than the 1048576 bytes allowed"), "{error}");
    }
}

#[test]
fn variables_and_aliases_count_for_each_use() {
    let variables = "resources: [a.yaml]\nvars: [{name: V, objref: {kind: ConfigMap, apiVersion: v1, name: a}, \
                     fieldref: {fieldPath: data.long}}]\nconfigurations: [c.yaml]\n";
    let object = format!("{CONFIG_MAP}data: {{long: {}, all: {}}}\n", "x".repeat(20_000), "$(V)".repeat(100));
    let config = "varReference: [{path: data/all, kind: ConfigMap}]\n".to_owned();
    refused_within(bytes(MIB), variables, &[("a.yaml", object), ("c.yaml", config)]);
    // Each document is within what one may repeat.
    let document = format!("&x {}, b: [{}]", "x".repeat(20_000), ["*x"; 40].join(", "));
    let bomb = (0..10).fold(String::new(), |mut text, number| {
        let name = CONFIG_MAP.replace("name: a", &format!("name: a{number}"));
        let _ = writeln!(text, "---\n{name}data: {{a: {document}}}");
        text
    });
    refused_within(bytes(2 * MIB), "resources: [a.yaml]\n", &[("a.yaml", bomb)]);
}

#[test]
fn patches_neither_double_nor_dig() {
    let refused = |patch: &str| {
        let mut tree = Memory::new();
        let kustomization =
            format!("resources: [a.yaml]\npatches:\n- target: {{kind: .*}}\n  patch: |\n{patch}");
        tree.add("kustomization.yaml", kustomization);
        tree.add("a.yaml", CONFIG_MAP);
        build(&tree, "/", &Options::default()).expect_err("it must be refused").to_string()
    };
    let add = "    - {op: add, path: /a, value: [x]}\n";
    let double = "    - {op: copy, from: /a, path: /a/-}\n".repeat(60);
    assert_eq!(refused(&format!("{add}{double}")), "the copies of the patch have too many values");
    let mut dig = String::from("    - {op: add, path: /a, value: {}}\n");
    for depth in 1..1000 {
        let _ = writeln!(dig, "    - {{op: add, path: {}, value: {{}}}}", "/a".repeat(depth + 1));
    }
    assert!(refused(&dig).contains("nested more than 200 levels deep"));
}

#[test]
fn paths_do_not_dig() {
    let deep = vec!["a"; 10_000];
    let (dots, slashes) = (deep.join("."), deep.join("/"));
    let files = [
        ("a.yaml", CONFIG_MAP.to_owned()),
        ("c.yaml", format!("commonLabels: [{{path: {slashes}, create: true}}]\n")),
    ];
    for fields in [
        format!(
            "replacements: [{{sourceValue: x, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [{dots}], options: {{create: true}}}}]}}]\n"
        ),
        "commonLabels: {a: b}\nconfigurations: [c.yaml]\n".to_owned(),
        format!("labels: [{{pairs: {{a: b}}, fields: [{{path: {slashes}, create: true}}]}}]\n"),
    ] {
        let error = refused_within(Limits::default(), &format!("resources: [a.yaml]\n{fields}"), &files);
        assert!(error.ends_with("a field would be nested more than 200 levels deep"), "{error}");
    }
}

#[test]
fn definitions_that_fan_out_end() {
    let any = "{type: string}";
    let mut crds = format!(
        "T0: {{Schema: {{properties: {{kind: {any}, apiVersion: {any}, metadata: {any}, a: {{$ref: T1}}}}}}}}\n"
    );
    for level in 1..60 {
        let next = level + 1;
        let _ = writeln!(
            crds,
            "T{level}: {{Schema: {{properties: {{a: {{$ref: T{next}}}, b: {{$ref: T{next}}}}}}}}}"
        );
    }
    let files = [("a.yaml", CONFIG_MAP.to_owned()), ("crds.yaml", crds)];
    let error = refused_within(Limits::default(), "resources: [a.yaml]\ncrds: [crds.yaml]\n", &files);
    assert!(error.ends_with("the definitions have more than 100000 fields"), "{error}");
}
