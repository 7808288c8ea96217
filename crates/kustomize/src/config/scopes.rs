//! Which built-in kinds live outside of namespaces.

use super::facts::CLUSTER_SCOPED;

/// Whether a kind is known to be cluster-scoped. Unknown kinds count as namespaced.
pub fn is_cluster_scoped(api_version: &str, kind: &str) -> bool {
    CLUSTER_SCOPED.binary_search(&(api_version, kind)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_known() {
        assert!(is_cluster_scoped("v1", "Namespace"));
        assert!(is_cluster_scoped("rbac.authorization.k8s.io/v1", "ClusterRole"));
        assert!(!is_cluster_scoped("apps/v1", "Deployment"));
        assert!(!is_cluster_scoped("example.com/v1", "Namespace"));
        assert!(CLUSTER_SCOPED.is_sorted());
    }
}
