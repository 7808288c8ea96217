//! What a client asks, as a value: the path, the parameters, the forms it takes and sends.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, Method, Uri, header};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    query: BTreeMap<String, String>,
    accept: String,
    content_type: String,
    agent: String,
    pub(crate) body: Bytes,
}

/// Where objects are: a collection, one of them, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
}

/// In which form objects are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Whole,
    /// Only their metadata.
    Metadata,
}

impl Request {
    pub(crate) fn new(method: Method, uri: &Uri, headers: &HeaderMap, body: Bytes) -> Self {
        let header = |name| {
            headers
                .get(name)
                .and_then(|value: &header::HeaderValue| value.to_str().ok())
                .unwrap_or_default()
                .to_owned()
        };
        let pairs = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let query = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(&name.replace('+', " ")), decoded(&value.replace('+', " ")))
        });
        Self {
            method,
            path: uri.path().to_owned(),
            query: query.collect(),
            accept: header(header::ACCEPT),
            content_type: header(header::CONTENT_TYPE),
            agent: header(header::USER_AGENT),
            body,
        }
    }

    /// A parameter; empty where it is not given.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.query.get(name).map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.query.contains_key(name)
    }

    pub(crate) fn says(&self, name: &str) -> bool {
        matches!(self.parameter(name), "true" | "1")
    }

    /// Whether nothing is to be changed.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.parameter("dryRun") == "All"
    }

    /// Without parameters: `application/json`.
    pub(crate) fn content_type(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }

    /// Whether the client takes aggregated discovery.
    pub(crate) fn takes_aggregated(&self) -> bool {
        let wanted = |kind: &str| {
            kind.contains("as=APIGroupDiscoveryList") && kind.split(';').any(|part| part == "v=v2")
        };
        self.accept.split(',').any(wanted)
    }

    pub(crate) fn shown(&self) -> Shown {
        if self.accept.contains("as=PartialObjectMetadata") { Shown::Metadata } else { Shown::Whole }
    }

    /// The name under which fields are owned: as given, or the first word of the client's own.
    pub(crate) fn manager(&self) -> String {
        match self.parameter("fieldManager") {
            "" => match self.agent.split('/').next().unwrap_or_default() {
                "" => "unknown".into(),
                agent => agent.chars().take(128).collect(),
            },
            manager => manager.into(),
        }
    }

    /// The objects that the path leads to, if it leads to any.
    pub(crate) fn address(&self) -> Option<Address> {
        let parts: Vec<String> =
            self.path.trim_matches('/').split('/').map(decoded).filter(|part| !part.is_empty()).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (group, version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            // A part of a namespace, not something in it.
            ["namespaces", _, "status" | "finalize"] if group.is_empty() => ("", rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
            rest => ("", rest),
        };
        let (plural, name, subresource) = match rest {
            [plural] => (*plural, "", ""),
            [plural, name] => (*plural, *name, ""),
            [plural, name, subresource] => (*plural, *name, *subresource),
            _ => return None,
        };
        Some(Address {
            group: group.into(),
            version: version.into(),
            plural: plural.into(),
            namespace: namespace.into(),
            name: name.into(),
            subresource: subresource.into(),
        })
    }
}

/// A text without percent signs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let escaped =
            (*first == b'%').then(|| more.split_at_checked(2)).flatten().and_then(|(digits, more)| {
                Some((u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, more))
            });
        let (byte, more) = escaped.unwrap_or((*first, more));
        bytes.push(byte);
        rest = more;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> Option<Address> {
        let uri: Uri = path.parse().unwrap();
        Request::new(Method::GET, &uri, &HeaderMap::new(), Bytes::new()).address()
    }

    #[test]
    fn paths_lead_to_objects() {
        let one = address("/apis/apps/v1/namespaces/shop/deployments/web/status").unwrap();
        let parts = [&one.group, &one.version, &one.namespace, &one.plural, &one.name, &one.subresource];
        assert_eq!(parts, ["apps", "v1", "shop", "deployments", "web", "status"]);
        let namespace = address("/api/v1/namespaces/shop").unwrap();
        assert_eq!((namespace.plural.as_str(), namespace.name.as_str()), ("namespaces", "shop"));
        let status = address("/api/v1/namespaces/shop/status").unwrap();
        assert_eq!((status.plural.as_str(), status.subresource.as_str()), ("namespaces", "status"));
        assert_eq!(address("/api/v1/pods?watch=1").unwrap().plural, "pods");
        assert_eq!(address("/apis/a/v1/b/system%3Ax").unwrap().name, "system:x");
        assert!(address("/healthz").is_none() && address("/apis/apps").is_none());
    }

    #[test]
    fn parameters_and_forms() {
        let uri: Uri = "/api/v1/pods?labelSelector=a%3Db%2Cc&watch=true&x=a+b".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(
            header::ACCEPT,
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1".parse().unwrap(),
        );
        headers.insert(header::USER_AGENT, "kubectl/v1.36 (linux)".parse().unwrap());
        let request = Request::new(Method::GET, &uri, &headers, Bytes::new());
        assert_eq!(request.parameter("labelSelector"), "a=b,c");
        assert_eq!(request.parameter("x"), "a b");
        assert!(request.says("watch") && request.shown() == Shown::Metadata && !request.takes_aggregated());
        assert_eq!(request.manager(), "kubectl");
    }
}
