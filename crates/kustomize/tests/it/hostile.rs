//! Input that means harm: a clear error, soon, and never a panic.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use towpath_kustomize::{Disk, Error, Memory, Options, build};

fn refused(tree: &Memory) -> Error {
    let done = build(tree, "/", &Options::default()).and_then(|output| output.to_yaml());
    done.expect_err("it must be refused")
}

fn refused_file(kustomization: &str) -> String {
    let mut tree = Memory::new();
    tree.add("kustomization.yaml", kustomization);
    refused(&tree).to_string()
}

fn refused_resource(content: impl Into<Vec<u8>>) -> String {
    let mut tree = Memory::new();
    tree.add("kustomization.yaml", "resources: [a.yaml]\n");
    tree.add("a.yaml", content);
    refused(&tree).to_string()
}

fn on_disk(root: &Path) -> String {
    build(&Disk::at(root), ".", &Options::default()).expect_err("it must be refused").to_string()
}

#[test]
fn links_and_paths_do_not_lead_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("app");
    fs::create_dir(&root).unwrap();
    let secret = root.parent().unwrap().join("secret.yaml");
    fs::write(&secret, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n").unwrap();
    symlink(&secret, root.join("link.yaml")).unwrap();
    for kustomization in [
        "resources: [link.yaml]\n".to_owned(),
        "resources: [../secret.yaml]\n".to_owned(),
        format!("resources: [{}]\n", secret.display()),
        "configMapGenerator: [{name: a, files: [link.yaml]}]\n".to_owned(),
        "secretGenerator: [{name: a, envs: [../secret.yaml]}]\n".to_owned(),
        "patches: [{path: ../secret.yaml}]\n".to_owned(),
        "configurations: [link.yaml]\n".to_owned(),
        "replacements: [{path: ../secret.yaml}]\n".to_owned(),
        "openapi: {path: link.yaml}\nresources: []\n".to_owned(),
    ] {
        fs::write(root.join("kustomization.yaml"), &kustomization).unwrap();
        let error = on_disk(&root);
        assert!(error.contains("is not in or below"), "{kustomization}: {error}");
    }
}

#[test]
fn cycles_are_named() {
    for path in [".", "..", "a/.."] {
        let mut tree = Memory::new();
        tree.add("app/kustomization.yaml", format!("resources: [{path}]\n"));
        tree.add("app/a/kustomization.yaml", "resources: []\n");
        let error = build(&tree, "/app", &Options::default()).unwrap_err().to_string();
        assert!(error.contains("cycle detected"), "{path}: {error}");
    }
    let mut tree = Memory::new();
    tree.add("a/kustomization.yaml", "resources: [../b]\n");
    tree.add("b/kustomization.yaml", "resources: [../a]\n");
    assert!(build(&tree, "/a", &Options::default()).unwrap_err().to_string().contains("cycle detected"));
    tree.add("b/kustomization.yaml", "kind: Component\ncomponents: [../b]\n");
    tree.add("a/kustomization.yaml", "components: [../b]\n");
    assert!(build(&tree, "/a", &Options::default()).unwrap_err().to_string().contains("cycle detected"));
}

#[test]
fn nothing_is_fetched() {
    for path in [
        "https://example.com/a.yaml",
        "github.com/org/repo//folder?ref=main",
        "git@example.com:org/repo.git",
        "ssh://git@example.com/org/repo",
    ] {
        let mut tree = Memory::new();
        tree.add("kustomization.yaml", format!("resources: ['{path}']\n"));
        assert!(matches!(refused(&tree).root(), Error::Remote(_)), "{path}");
    }
    assert!(refused_file("openapi: {path: 'https://example.com/schema.json'}\n").contains("is remote"));
    assert!(refused_file("helmCharts: [{name: x, repo: 'https://example.com'}]\n").contains("--enable-helm"));
}

#[test]
fn plugins_are_not_run() {
    let function = "apiVersion: example.com/v1\nkind: Fn\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: ./f}'\n";
    for field in ["generators", "transformers", "validators"] {
        let mut tree = Memory::new();
        tree.add("kustomization.yaml", format!("{field}: [f.yaml]\n"));
        tree.add("f.yaml", function);
        assert!(matches!(refused(&tree).root(), Error::Plugin(_)), "{field}");
    }
}

#[test]
fn bombs_and_depths_are_refused() {
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..10 {
        let one = format!("*a{},", level - 1);
        writeln!(bomb, "a{level}: &a{level} [{}]", one.repeat(10).trim_end_matches(',')).unwrap();
    }
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    assert!(refused_resource(format!("{object}{bomb}")).contains("line"));
    assert!(refused_file(&bomb).contains("line"));
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
        assert!(!refused_resource(format!("{object}data: {deep}")).is_empty());
        assert!(!refused_file(&format!("resources: {deep}")).is_empty());
    }
}

#[test]
fn garbage_is_refused() {
    for text in [
        &b"\xff\xfe\x00"[..],
        b"a: \x00\n",
        b"\xc3\x28: 1\n",
        b"a: b: c\n",
        b"- a\n- b\n",
        b"kind: ConfigMap\n",
        b"just text\n",
    ] {
        assert!(!refused_resource(text).is_empty());
    }
    for file in ["", "# nothing\n", "resources: foo\n", "a: [\n", "- a\n", "resource: [a]\n"] {
        assert!(!refused_file(file).is_empty(), "{file}");
    }
    let mut tree = Memory::new();
    tree.add("kustomization.yaml", "configMapGenerator: [{name: a, files: [folder]}]\n");
    tree.add("folder/x", "x");
    assert!(refused(&tree).to_string().contains("must resolve to a file"));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::write(folder.path().join("kustomization.yaml"), "secretGenerator: [{name: a, envs: [folder]}]\n")
        .unwrap();
    assert!(on_disk(folder.path()).contains("must resolve to a file"));
}

#[test]
fn many_objects_are_no_trouble() {
    let mut text = String::new();
    for number in 0..10_000 {
        writeln!(text, "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: a{number}}}").unwrap();
    }
    let mut tree = Memory::new();
    tree.add("kustomization.yaml", "namePrefix: p-\nnamespace: many\nresources: [a.yaml]\n");
    tree.add("a.yaml", text);
    assert_eq!(build(&tree, "/", &Options::default()).unwrap().objects().len(), 10_000);
}
