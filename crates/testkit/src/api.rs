//! A small HTTP client for the Kubernetes API, for tests to look at a control plane with other eyes than ours.
//!
//! In: paths and JSON. Out: JSON, or [`Refused`] with the server's status. It knows no kinds, retries nothing and
//! adds nothing to plain HTTP/1.1 over kept connections, so that a benchmark can use it as the limit.

use std::fmt;

use anyhow::{Context as _, Result, anyhow};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;

use crate::certificate::Identity;
use crate::tls::{self, HttpClient};

/// A client with its own pool of connections. A clone shares the pool. It belongs to the tokio runtime in which it
/// was made: keep it inside one test.
#[derive(Clone, Debug)]
pub struct Api {
    client: HttpClient,
    base: String,
    token: Option<HeaderValue>,
}

/// How a client says who it is.
#[derive(Clone, Copy, Debug)]
pub enum Credentials<'a> {
    /// A bearer token.
    Token(&'a str),
    /// A client certificate.
    Certificate(&'a Identity),
    /// Nothing: the server sees `system:anonymous`.
    Anonymous,
}

/// The server answered with something else than success.
#[derive(Debug)]
pub struct Refused {
    /// The HTTP status.
    pub status: StatusCode,
    /// The body, a Kubernetes `Status` as a rule.
    pub body: String,
    request: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.request, self.status, self.body.trim_end())
    }
}

impl std::error::Error for Refused {}

impl Api {
    /// A client of the server at `base` (`https://127.0.0.1:6443`) that trusts `authority`.
    pub fn new(base: &str, authority: &str, credentials: Credentials<'_>) -> Result<Self> {
        let (identity, token) = match credentials {
            Credentials::Anonymous => (None, None),
            Credentials::Certificate(identity) => (Some(identity), None),
            Credentials::Token(token) => {
                let header = HeaderValue::try_from(format!("Bearer {token}")).context("use the token")?;
                (None, Some(header))
            }
        };
        let client = tls::client(authority, identity)?;
        Ok(Self { client, base: base.trim_end_matches('/').to_owned(), token })
    }

    /// One request as it is; any status is an answer.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<Response<Bytes>> {
        let mut request = Request::builder().method(method).uri(path);
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        self.exchange(request.body(body).context("build the request")?).await
    }

    /// One request with headers of its own, its URI the path; any status is an answer.
    pub async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>> {
        let (mut head, body) = request.into_parts();
        let uri = format!("{}{}", self.base, head.uri);
        head.uri = uri.parse().with_context(|| format!("use the address {uri}"))?;
        if let Some(token) = &self.token {
            head.headers.insert(AUTHORIZATION, token.clone());
        }
        let request = Request::from_parts(head, Full::new(body));
        let response = self.client.request(request).await.with_context(|| format!("reach {uri}"))?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.context("read the answer")?.to_bytes();
        Ok(Response::from_parts(head, body))
    }

    /// Reads an object or a list.
    pub async fn get(&self, path: &str) -> Result<Value> {
        self.json(Method::GET, path, "", Bytes::new()).await
    }

    /// Reads an object; `None` when there is no such thing.
    pub async fn find(&self, path: &str) -> Result<Option<Value>> {
        match self.get(path).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if status(&error) == Some(StatusCode::NOT_FOUND) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The items of a list.
    pub async fn list(&self, path: &str) -> Result<Vec<Value>> {
        match self.get(path).await?.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(anyhow!("{path} is not a list")),
        }
    }

    /// Creates an object in the collection at `path`.
    pub async fn post(&self, path: &str, object: &Value) -> Result<Value> {
        self.json(Method::POST, path, "application/json", encode(object)).await
    }

    /// Replaces an object.
    pub async fn put(&self, path: &str, object: &Value) -> Result<Value> {
        self.json(Method::PUT, path, "application/json", encode(object)).await
    }

    /// Merges a JSON merge patch into an object.
    pub async fn patch(&self, path: &str, changes: &Value) -> Result<Value> {
        self.json(Method::PATCH, path, "application/merge-patch+json", encode(changes)).await
    }

    /// Applies an object server-side at its own path, taking over fields that others own.
    pub async fn apply(&self, path: &str, object: &Value, manager: &str) -> Result<Value> {
        let path = format!("{path}?fieldManager={manager}&force=true");
        self.json(Method::PATCH, &path, "application/apply-patch+yaml", encode(object)).await
    }

    /// Deletes an object.
    pub async fn delete(&self, path: &str) -> Result<Value> {
        self.json(Method::DELETE, path, "", Bytes::new()).await
    }

    async fn json(&self, method: Method, path: &str, content_type: &str, body: Bytes) -> Result<Value> {
        let request = format!("{method} {path}");
        let answer = self.send(method, path, content_type, body).await?;
        let status = answer.status();
        if !status.is_success() {
            let body = String::from_utf8_lossy(answer.body()).into_owned();
            return Err(Refused { status, body, request }.into());
        }
        serde_json::from_slice(answer.body()).with_context(|| format!("{request}: read the answer as JSON"))
    }
}

/// The status with which the server refused, if that is what went wrong.
pub fn status(error: &anyhow::Error) -> Option<StatusCode> {
    error.downcast_ref::<Refused>().map(|refused| refused.status)
}

fn encode(value: &Value) -> Bytes {
    Bytes::from(value.to_string())
}
