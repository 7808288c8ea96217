//! Requests as text: paths and queries, built without touching a network.

use std::fmt::Write as _;

use towpath_object::Resource;

/// The collection of a resource: in one namespace, or all of it.
pub(crate) fn collection(resource: &Resource, namespace: &str) -> String {
    let mut path = if resource.gvk.group.is_empty() {
        format!("/api/{}", resource.gvk.version)
    } else {
        format!("/apis/{}/{}", resource.gvk.group, resource.gvk.version)
    };
    if resource.namespaced && !namespace.is_empty() {
        path.push_str("/namespaces/");
        path.push_str(&escape(namespace));
    }
    path.push('/');
    path.push_str(&resource.plural);
    path
}

/// One object.
pub(crate) fn object(resource: &Resource, namespace: &str, name: &str) -> String {
    format!("{}/{}", collection(resource, namespace), escape(name))
}

/// `path?a=b&c=d`; without parameters the path alone.
pub(crate) fn with_query(path: &str, parameters: &[(&str, impl AsRef<str>)]) -> String {
    let mut text = path.to_string();
    for (position, (name, value)) in parameters.iter().enumerate() {
        text.push(if position == 0 { '?' } else { '&' });
        text.push_str(name);
        text.push('=');
        text.push_str(&escape(value.as_ref()));
    }
    text
}

/// Percent-encodes everything but RFC 3986's unreserved characters, so that a hostile name stays one path segment.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use towpath_object::Gvk;

    fn resource(api_version: &str, plural: &str, namespaced: bool) -> Resource {
        Resource { gvk: Gvk::new(api_version, "X"), plural: plural.into(), namespaced }
    }

    #[test]
    fn paths_of_core_and_named_groups() {
        assert_eq!(object(&resource("v1", "pods", true), "web", "a"), "/api/v1/namespaces/web/pods/a");
        assert_eq!(
            object(&resource("apps/v1", "deployments", true), "web", "a"),
            "/apis/apps/v1/namespaces/web/deployments/a"
        );
        assert_eq!(object(&resource("v1", "namespaces", false), "", "web"), "/api/v1/namespaces/web");
        assert_eq!(collection(&resource("v1", "pods", true), ""), "/api/v1/pods");
    }

    #[test]
    fn a_hostile_name_stays_in_its_segment() {
        assert_eq!(
            object(&resource("v1", "pods", true), "web", "../x?y"),
            "/api/v1/namespaces/web/pods/..%2Fx%3Fy"
        );
        assert_eq!(
            with_query("/a", &[("labelSelector", "a=b,c"), ("limit", "5")]),
            "/a?labelSelector=a%3Db%2Cc&limit=5"
        );
    }
}
