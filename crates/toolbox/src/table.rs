//! The one table of tools: which pinned Go module under `tools/` gives which binaries, and how they are stamped.
//!
//! To add a tool, add its module folder (`go.mod`, `go.sum`, for a program of our own also `main.go`) and a
//! row here. The version of a row names the cache folder; what is really built is what `go.mod` pins.

/// The oldest Go that builds every module of the table.
pub const GO_VERSION: &str = "1.26";

/// The version of Kubernetes that tests run against.
pub const KUBERNETES: &str = "1.36.3";

/// A Go module under `tools/` and the binaries that come out of it.
#[derive(Debug)]
pub struct Module {
    /// The folder under `tools/`.
    pub folder: &'static str,
    /// The version for people and for the name of the cache folder; empty for programs of our own.
    pub version: &'static str,
    /// The binaries.
    pub tools: &'static [Tool],
    /// Variables set by the linker, as `package.name=value`: what upstream's release builds stamp.
    pub stamps: &'static [&'static str],
}

/// A binary.
#[derive(Debug)]
pub struct Tool {
    /// The name of the file.
    pub name: &'static str,
    /// The Go package of its `main`, as the module's folder sees it.
    pub package: &'static str,
    /// Whether the archive of `setup-envtest` holds it, so that a machine without Go can have it.
    pub in_envtest: bool,
}

const fn built(name: &'static str, package: &'static str) -> Tool {
    Tool { name, package, in_envtest: false }
}

const fn published(name: &'static str, package: &'static str) -> Tool {
    Tool { name, package, in_envtest: true }
}

/// Every module, in the order in which `xtask setup` builds them: the quick ones first.
pub const MODULES: &[Module] = &[
    Module {
        folder: "etcd",
        version: "3.6.5",
        tools: &[published("etcd", "go.etcd.io/etcd/server/v3")],
        stamps: &[],
    },
    Module {
        folder: "kwok",
        version: "0.8.0",
        tools: &[built("kwok", "sigs.k8s.io/kwok/cmd/kwok")],
        stamps: &[],
    },
    Module {
        folder: "kubernetes",
        version: KUBERNETES,
        tools: &[
            published("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
            published("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            built("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
            built("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
        ],
        // Servers report component-base's version, clients send client-go's in their User-Agent.
        stamps: &[
            "k8s.io/component-base/version.gitVersion=v1.36.3",
            "k8s.io/component-base/version.gitMajor=1",
            "k8s.io/component-base/version.gitMinor=36",
            "k8s.io/client-go/pkg/version.gitVersion=v1.36.3",
            "k8s.io/client-go/pkg/version.gitMajor=1",
            "k8s.io/client-go/pkg/version.gitMinor=36",
        ],
    },
    Module {
        folder: "kustomize",
        version: "5.8.1",
        tools: &[built("kustomize", "sigs.k8s.io/kustomize/kustomize/v5")],
        stamps: &["sigs.k8s.io/kustomize/api/provenance.version=v5.8.1"],
    },
    Module {
        folder: "helm4",
        version: "4.2.4",
        tools: &[built("helm-4.2.4", "helm.sh/helm/v4/cmd/helm")],
        stamps: &["helm.sh/helm/v4/internal/version.version=v4.2.4"],
    },
    Module {
        folder: "helm3",
        version: "3.22.0",
        tools: &[built("helm-3.22.0", "helm.sh/helm/v3/cmd/helm")],
        // Without these, charts are rendered for Kubernetes 1.20.
        stamps: &[
            "helm.sh/helm/v3/internal/version.version=v3.22.0",
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1",
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36",
            "helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1",
            "helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=36",
        ],
    },
    Module {
        folder: "sops",
        version: "3.10.2",
        tools: &[
            built("sops", "github.com/getsops/sops/v3/cmd/sops"),
            built("age-keygen", "filippo.io/age/cmd/age-keygen"),
        ],
        stamps: &[],
    },
    Module { folder: "envsubstoracle", version: "", tools: &[built("envsubstoracle", ".")], stamps: &[] },
    Module { folder: "gotemplateoracle", version: "", tools: &[built("gotemplateoracle", ".")], stamps: &[] },
    Module { folder: "kyamloracle", version: "", tools: &[built("kyamloracle", ".")], stamps: &[] },
    Module { folder: "yamloracle", version: "", tools: &[built("yamloracle", ".")], stamps: &[] },
];

/// The module and row of a tool.
pub fn lookup(tool: &str) -> Option<(&'static Module, &'static Tool)> {
    MODULES.iter().find_map(|module| module.tools.iter().find(|t| t.name == tool).map(|t| (module, t)))
}

/// The names of all tools.
pub fn names() -> Vec<&'static str> {
    MODULES.iter().flat_map(|module| module.tools).map(|tool| tool.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_found_by_its_file_name() {
        let (module, tool) = lookup("helm-4.2.4").expect("in the table");
        assert_eq!((module.folder, tool.package), ("helm4", "helm.sh/helm/v4/cmd/helm"));
        assert!(lookup("helm").is_none());
    }

    #[test]
    fn every_binary_has_a_name_of_its_own() {
        let mut all = names();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn the_pins_in_go_mod_are_the_versions_of_the_table() {
        for module in MODULES.iter().filter(|m| !m.version.is_empty()) {
            let path = crate::places::sources().join(module.folder).join("go.mod");
            let text = std::fs::read_to_string(&path).expect("a pinned module");
            let pin = format!(" v{}", module.version);
            assert!(text.lines().any(|line| line.contains(&pin)), "{} does not pin{pin}", path.display());
        }
    }
}
