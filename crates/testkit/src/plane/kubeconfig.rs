//! Kubeconfig files. They are written as JSON, which is YAML as well.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::api::Credentials;

/// A kubeconfig with one context, for a server and, if its URL is https, its authority (PEM).
pub(crate) fn kubeconfig(
    url: &str,
    authority: Option<&str>,
    user: &str,
    credentials: Credentials<'_>,
) -> String {
    let mut cluster = json!({ "server": url });
    if let (Some(authority), Some(cluster)) = (authority, cluster.as_object_mut()) {
        cluster.insert("certificate-authority-data".into(), Value::String(STANDARD.encode(authority)));
    }
    let credentials = match credentials {
        Credentials::Anonymous => json!({}),
        Credentials::Token(token) => json!({ "token": token }),
        Credentials::Certificate(identity) => json!({
            "client-certificate-data": STANDARD.encode(&identity.certificate),
            "client-key-data": STANDARD.encode(&identity.key),
        }),
    };
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "test", "cluster": cluster }],
        "users": [{ "name": user, "user": credentials }],
        "contexts": [{ "name": "test", "context": { "cluster": "test", "user": user } }],
        "current-context": "test",
    });
    config.to_string()
}
