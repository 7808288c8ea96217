//! Which built-in kinds live in namespaces.

use super::facts::SCOPES;

/// Whether the objects of a built-in kind are in namespaces; none for other kinds.
pub fn is_namespaced(api_version: &str, kind: &str) -> Option<bool> {
    let at =
        SCOPES.binary_search_by(|(version, name, _)| (*version, *name).cmp(&(api_version, kind))).ok()?;
    SCOPES.get(at).map(|(.., namespaced)| *namespaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_known() {
        assert_eq!(is_namespaced("v1", "Namespace"), Some(false));
        assert_eq!(is_namespaced("rbac.authorization.k8s.io/v1", "ClusterRole"), Some(false));
        assert_eq!(is_namespaced("apps/v1", "Deployment"), Some(true));
        assert_eq!(is_namespaced("example.com/v1", "Namespace"), None);
        assert!(SCOPES.is_sorted());
    }
}
