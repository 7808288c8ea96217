//! What the proxy saw.

use http::{Method, Request};

/// One request that came to the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its method.
    pub method: Method,
    /// Its path.
    pub path: String,
    /// Its query, without the question mark; empty if there is none.
    pub query: String,
    /// The status of the answer that was passed on; none when there was none (yet).
    pub status: Option<u16>,
    /// Whether a rule was applied to it.
    pub faulted: bool,
}

impl Seen {
    pub(super) fn new<B>(request: &Request<B>) -> Self {
        Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            status: None,
            faulted: false,
        }
    }

    /// Whether it is a watch.
    pub fn is_watch(&self) -> bool {
        self.query.split('&').any(|pair| matches!(pair, "watch" | "watch=1" | "watch=true"))
    }

    /// Whether it asks for a change that is kept. A dry run is not, nor are the reviews (`may I?`, `who am I?`) that
    /// are questions in the form of a POST.
    pub fn is_write(&self) -> bool {
        let changes = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE].contains(&self.method);
        let question = ["/apis/authorization.k8s.io/", "/apis/authentication.k8s.io/"]
            .iter()
            .any(|group| self.path.starts_with(group));
        changes && !question && !self.query.contains("dryRun=")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(method: Method, uri: &str) -> Seen {
        Seen::new(&Request::builder().method(method).uri(uri).body(()).unwrap())
    }

    #[test]
    fn writes_are_what_changes_something_for_good() {
        assert!(seen(Method::POST, "/api/v1/namespaces").is_write());
        assert!(seen(Method::PATCH, "/api/v1/namespaces/a?force=true").is_write());
        assert!(!seen(Method::PATCH, "/api/v1/namespaces/a?dryRun=All").is_write());
        assert!(!seen(Method::POST, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").is_write());
        assert!(!seen(Method::GET, "/api/v1/namespaces").is_write());
    }

    #[test]
    fn watches_are_known_by_their_query() {
        assert!(seen(Method::GET, "/api/v1/pods?limit=1&watch=true").is_watch());
        assert!(!seen(Method::GET, "/api/v1/pods?watch=false").is_watch());
        assert!(!seen(Method::GET, "/api/v1/pods?allowWatchBookmarks=true").is_watch());
    }
}
