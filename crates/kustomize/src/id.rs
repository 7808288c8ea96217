//! Who an object is.

use std::fmt;

/// The namespace of what has none.
pub const NOT_NAMESPACED: &str = "_non_namespaceable_";
const DEFAULT: &str = "default";

/// Group, version and kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gvk<'a> {
    /// The API group.
    pub group: &'a str,
    /// The version in it.
    pub version: &'a str,
    /// The kind.
    pub kind: &'a str,
}

/// An object by kind, name and namespace.
#[derive(Clone, Copy, Debug)]
pub struct Id<'a> {
    /// Its type.
    pub gvk: Gvk<'a>,
    /// Its name.
    pub name: &'a str,
    /// Its namespace as written.
    pub namespace: &'a str,
    /// Whether its kind is known to be outside of namespaces.
    pub cluster_scoped: bool,
}

/// What makes two ids equal.
pub type Key<'a> = (Gvk<'a>, &'a str, &'a str);

impl<'a> Gvk<'a> {
    /// From an apiVersion and a kind.
    pub fn new(api_version: &'a str, kind: &'a str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self { group, version, kind }
    }

    /// Whether a selector with empty parts for "any" means this type.
    pub fn is_selected_by(self, selector: Gvk<'_>) -> bool {
        (selector.kind.is_empty() || selector.kind == self.kind)
            && (selector.group.is_empty() || selector.group == self.group)
            && (selector.version.is_empty() || selector.version == self.version)
    }
}

impl fmt::Display for Gvk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text, none| if str::is_empty(text) { none } else { text };
        let (kind, version) = (or(self.kind, "[noKind]"), or(self.version, "[noVer]"));
        write!(f, "{kind}.{version}.{}", or(self.group, "[noGrp]"))
    }
}

impl<'a> Id<'a> {
    /// The namespace that counts: cluster-scoped objects share one, and no namespace is the default one.
    pub fn effective_namespace(&self) -> &'a str {
        if self.cluster_scoped {
            NOT_NAMESPACED
        } else if self.namespace.is_empty() {
            DEFAULT
        } else {
            self.namespace
        }
    }

    /// What makes two ids equal.
    pub fn key(&self) -> Key<'a> {
        (self.gvk, self.name, self.effective_namespace())
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text, none| if str::is_empty(text) { none } else { text };
        write!(f, "{}/{}.{}", self.gvk, or(self.name, "[noName]"), or(self.namespace, "[noNs]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_upstream_does() {
        let gvk = Gvk::new("apps/v1", "Deployment");
        let id = Id { gvk, name: "web", namespace: "", cluster_scoped: false };
        assert_eq!(id.to_string(), "Deployment.v1.apps/web.[noNs]");
        assert_eq!(id.effective_namespace(), "default");
        assert_eq!(Gvk::new("v1", "Secret").to_string(), "Secret.v1.[noGrp]");
        assert!(gvk.is_selected_by(Gvk { kind: "Deployment", ..Gvk::default() }));
        assert!(!gvk.is_selected_by(Gvk { group: "x", ..Gvk::default() }));
    }
}
