//! What each command does, for a person who sees it for the first time.

const TOPICS: &[(&str, &str, &str)] = &[
    (
        "test",
        "everything that must be green before a change lands",
        "cargo xtask test

Installs or builds what is missing (Debian packages as root or after asking; etcd, the Kubernetes control
plane and kwok from the pinned modules under tools/), then runs in this order and stops at the first red step:

  packages     the Debian packages that tests use
  tools        the real tools that tests run beside us (see `cargo xtask help setup`)
  fmt          cargo fmt --check
  clippy       all targets, warnings are errors
  check        layering, file sizes, no paths of a machine (see `cargo xtask help check`)
  generate     committed generated files are fresh
  tests        unit tests and tests on a real control plane
  doc tests    the examples in the documentation
  docs         the documentation builds without warnings
  deny         licences, banned crates, sources, known vulnerabilities
  conformance  a sample of the differential runs against real tools

The first run on a fresh machine builds Kubernetes (about 8 minutes on 2 cores); later runs are warm. Compiled
code is kept in the cache folder ($TOWPATH_CACHE, else ~/.cache/towpath), not in the checkout; set
CARGO_TARGET_DIR to have it elsewhere.",
    ),
    (
        "setup",
        "have the real tools ready: control plane, kwok, helm, kustomize",
        "cargo xtask setup [TOOL…]

Finds or makes the named tools, or without a name those that `cargo xtask test` needs, and prints where they
are. A tool is looked for in this order:

  1. $KUBEBUILDER_ASSETS, 2. $TOWPATH_TOOLS   folders of ready binaries
  3. the cache ($TOWPATH_CACHE, else ~/.cache/towpath)
  4. built there with Go from the pinned module under tools/
  5. without Go: etcd, kube-apiserver and kubectl are downloaded as setup-envtest does

  cargo xtask setup               what tests need
  cargo xtask setup kubectl       one tool
  cargo xtask setup all           every tool of the table",
    ),
    (
        "check",
        "layering, file sizes, no paths of a machine",
        "cargo xtask check

  layering   every dependency of one of our crates on another must be in layers.toml, and must not point upwards
  sizes      a Rust file over 800 lines without its tests fails, over 400 is named
  paths      no tracked file may hold a path of the machine it was written on

A new edge between crates is a decision: add it to layers.toml in the same change and say why in the commit.",
    ),
    (
        "generate",
        "write the committed files that are generated from code",
        "cargo xtask generate [--check]

Runs each producer and writes its file. With --check nothing is written: it fails when a file is not fresh.",
    ),
    (
        "demo",
        "see it work: deploy, look, drift, heal, on a real control plane",
        "cargo xtask demo

Starts a real control plane on this machine, deploys an example application, shows its tree, changes it
behind Towpath's back and shows how it heals. Everything is removed at the end.",
    ),
    (
        "bench",
        "a benchmark; its last line is JSON",
        "cargo xtask bench NAME [ARG…]

Builds the release binary and runs one benchmark beside its peers and the physical limit. The last line is one
JSON object with figures and ratios.

  cargo xtask bench clusters      fifty simulated clusters, one of them lost: what the others notice
  cargo xtask bench deploy        800 objects: raw HTTP, kubectl, towpath
  cargo xtask bench engine        200 units of four objects: raw HTTP and the engine; drift, restart, memory
  cargo xtask bench large         one unit of 10,000 objects: its plan, and a look at it unchanged
  cargo xtask bench kustomize     real trees and 4,000 objects: kustomize, towpath kustomize, and in process
  cargo xtask bench scale         a simulated cluster of 400,000 objects: the cache's memory, news and look-ups;
                                  scale SECONDS OBJECTS for others",
    ),
    (
        "conformance",
        "a differential run against a real tool; its last line is NAME agreed/total",
        "cargo xtask conformance NAME [--full]

Gives the same input to Towpath and to the real tool and compares the results. The misses come first, the last
line is `NAME agreed/total`. Without --full a sample is run.

  cargo xtask conformance diff    our differences against Argo CD's engine; --full: also a real server
  cargo xtask conformance gotemplate  our templates against Go's text/template and its own tests
  cargo xtask conformance health  our health rules, Lua and actions on Argo CD's own test data
  cargo xtask conformance krusty  our kustomize on the builds of upstream's own tests
  cargo xtask conformance kyaml   our nodes against kustomize's library: what is read and what is written
  cargo xtask conformance merge2  our merges and JSON patches against kustomize's library and its test table
  cargo xtask conformance sandbox  our API server's answers against a real one's
  cargo xtask conformance sops    our SOPS against files that the real one made
  cargo xtask conformance sprig   our Sprig functions against Masterminds/sprig and its own tests
  cargo xtask conformance substitute  our substitution against Flux's library and its test tables
  cargo xtask conformance sync    our order, options and steps against the facts of Argo CD's engine
  cargo xtask conformance trees   our kustomize beside the real one on the trees of other projects
                                  (--sample: those of Argo CD only)
  cargo xtask conformance yaml    our YAML reader and writer against sigs.k8s.io/yaml",
    ),
    (
        "release",
        "binaries, SBOM, images, signatures, as far as this machine can",
        "cargo xtask release build|sbom|image|sign|all

  build   static Linux and macOS binaries with SHA-256 sums, into <target>/dist
  sbom    a CycloneDX bill of materials from Cargo's own metadata
  image   a multi-architecture image from an empty base, with buildah
  sign    signatures of the checksums and the image, with cosign
  all     these four in order

What this machine cannot do is skipped, with the reason and what to install. See release/README.md.",
    ),
];

/// One line per command.
pub fn overview() -> String {
    let lines: Vec<_> = TOPICS.iter().map(|(name, summary, _)| format!("  {name:<12} {summary}")).collect();
    format!(
        "cargo xtask COMMAND\n\n{}\n\n\
         Start with `cargo xtask test`, or `cargo xtask demo` to see what this project does.\n\
         `cargo xtask help COMMAND` says more.",
        lines.join("\n")
    )
}

/// The long text of a command.
pub fn topic(name: &str) -> Option<String> {
    TOPICS.iter().find(|(topic, _, _)| *topic == name).map(|(_, _, text)| (*text).to_owned())
}
