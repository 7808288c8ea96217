//! `ensure` with a stand-in for `go`: what is asked of it, what happens when it fails, and that two who need
//! the same tool build it once. The real builds are what `cargo xtask setup` does.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;
use towpath_toolbox::{Places, ensure_in};

struct Bench {
    root: TempDir,
}

impl Bench {
    /// A cache and a `go` that writes down how it was called and then does `work`.
    fn new(work: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let go = root.path().join("go");
        let calls = root.path().join("calls");
        let script = format!("#!/bin/sh\necho \"$CGO_ENABLED $GOFLAGS $*\" >>{}\n{work}\n", calls.display());
        fs::write(&go, script).unwrap();
        fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
        Bench { root }
    }

    /// As `new`, with a `go build` that works.
    fn building() -> Self {
        let write = r#"while [ "$1" != -o ]; do shift; done; echo built >"$2"; chmod +x "$2""#;
        Bench::new(&format!("sleep 0.2\n{write}"))
    }

    fn places(&self) -> Places {
        let go = Some(self.root.path().join("go"));
        Places { ready: vec![], cache: self.root.path().join("cache"), go }
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.root.path().join("calls")).unwrap()
    }
}

#[test]
fn a_tool_is_built_once_into_a_folder_that_names_its_version() {
    let bench = Bench::building();
    let path = ensure_in(&bench.places(), "kustomize").unwrap();
    let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
    assert!(folder.starts_with("kustomize-5.8.1-"), "{folder}");
    assert_eq!(ensure_in(&bench.places(), "kustomize").unwrap(), path);

    let calls = bench.calls();
    assert_eq!(calls.lines().count(), 1, "{calls}");
    assert!(
        calls.starts_with("0 -mod=readonly -buildvcs=false build -v -trimpath -ldflags -s -w -X "),
        "{calls}"
    );
    assert!(calls.trim_end().ends_with(" sigs.k8s.io/kustomize/kustomize/v5"), "{calls}");
}

#[test]
fn two_who_need_the_same_tool_build_it_once() {
    let bench = Bench::building();
    let paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let tasks: Vec<_> =
            (0..3).map(|_| scope.spawn(|| ensure_in(&bench.places(), "etcd").unwrap())).collect();
        tasks.into_iter().map(|task| task.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|path| path == &paths[0]));
    assert_eq!(bench.calls().lines().count(), 1);
}

#[test]
fn a_failed_build_shows_what_go_said_and_leaves_nothing() {
    let bench = Bench::new("echo 'main.go:3:1: syntax error' >&2; exit 1");
    let error = ensure_in(&bench.places(), "etcd").unwrap_err().to_string();
    assert_eq!(error, "go build of etcd in tools/etcd failed:\nmain.go:3:1: syntax error");
    assert_eq!(bench.places().find("etcd"), None);
}

#[test]
fn without_go_a_tool_that_nobody_publishes_is_refused_with_advice() {
    let bench = Bench::new("exit 1");
    let places = Places { go: None, ..bench.places() };
    let error = ensure_in(&places, "kwok").unwrap_err().to_string();
    assert!(error.contains("Install Go") && error.contains("TOWPATH_TOOLS"), "{error}");
}

#[test]
fn an_unknown_tool_is_answered_with_the_names() {
    let error = ensure_in(&Bench::new("exit 1").places(), "helm").unwrap_err().to_string();
    assert!(error.starts_with("no tool is called helm; there are: etcd, kwok, "), "{error}");
}
