//! One request to the server: deadline, passing faults tried again, refusals made into typed errors.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::Value;
use tokio::time::{Instant, timeout};
use towpath_failure::{Class, Failure as _};

use crate::error::parse_status;
use crate::{Cluster, Error, tls};

/// A request as a value. Every request that Towpath sends may be repeated: it either reads, or says what must
/// be true afterwards, or carries a precondition that the repetition would fail.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<(&'static str, Bytes)>,
    pub(crate) accept: &'static str,
    /// What is asked for, in words, for messages: `apply Deployment/web/api`.
    pub(crate) what: String,
}

/// A successful answer.
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) body: Bytes,
    /// What the server wants the person to know, for example that an API version is deprecated.
    pub(crate) warnings: Vec<String>,
}

impl Call {
    pub(crate) fn get(path: String, what: String) -> Self {
        Self { method: Method::GET, path, body: None, accept: "application/json", what }
    }
}

impl Reply {
    pub(crate) fn json(&self, what: &str) -> Result<Value, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Error::Nonsense { what: what.into(), message: error.to_string() })
    }
}

impl Cluster {
    /// Sends `call` until it succeeds, is refused for good, or our patience ends.
    pub(crate) async fn call(&self, call: &Call) -> Result<Reply, Error> {
        let started = Instant::now();
        let mut attempt = 0u32;
        loop {
            let error = match self.attempt(call).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let pause = pause(attempt, error.status().and_then(|status| status.retry_after));
            let never_reached =
                matches!(error, Error::Unreachable { .. }) && !self.shared.reached.load(Ordering::Relaxed);
            let out_of_patience = started.elapsed() + pause > self.shared.patience;
            if error.class() != Class::Transient || never_reached || out_of_patience {
                return Err(error);
            }
            tracing::debug!(what = call.what, attempt, pause_ms = pause.as_millis(), %error, "try again");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }

    /// Sends `call` once, within the deadline.
    pub(crate) async fn attempt(&self, call: &Call) -> Result<Reply, Error> {
        let deadline = self.shared.deadline;
        let whole = async {
            let response = self.open(call).await?;
            let (code, warnings) = (response.status().as_u16(), warnings(&response));
            let body = self.collect(call, response).await?;
            Ok(Reply { code, body, warnings })
        };
        timeout(deadline, whole)
            .await
            .unwrap_or_else(|_| Err(Error::Deadline { what: call.what.clone(), seconds: deadline.as_secs() }))
    }

    /// Sends `call` once and returns the answer with its body still to come; refusals become errors.
    pub(crate) async fn open(&self, call: &Call) -> Result<Response<Body>, Error> {
        let response = self
            .client
            .send(request(call)?)
            .await
            .map_err(|error| tls::classify(&self.shared.url, &call.what, &error))?;
        self.shared.reached.store(true, Ordering::Relaxed);
        if response.status().is_success() {
            return Ok(response);
        }
        let code = response.status().as_u16();
        let retry_after = header(&response, "retry-after").and_then(|text| text.parse().ok());
        // A refusal whose body breaks off is still a refusal.
        let body = self.collect(call, response).await.unwrap_or_default();
        let status = Box::new(parse_status(code, retry_after, &body));
        let note = (code == 401).then(|| self.expired_certificate()).flatten();
        Err(Error::Refused { what: call.what.clone(), status, note })
    }

    async fn collect(&self, call: &Call, response: Response<Body>) -> Result<Bytes, Error> {
        match response.into_body().collect().await {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) => {
                Err(Error::Broken { what: call.what.clone(), message: towpath_failure::chain(&error) })
            }
        }
    }

    /// The sentence for a 401 that our own certificate explains.
    fn expired_certificate(&self) -> Option<String> {
        let ends = self.shared.certificate_ends?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        (u64::try_from(ends).ok()? < now).then(|| {
            "the client certificate in the kubeconfig has expired; renew it or fetch a fresh kubeconfig"
                .into()
        })
    }
}

fn request(call: &Call) -> Result<Request<Body>, Error> {
    let mut builder = Request::builder().method(&call.method).uri(&call.path).header("accept", call.accept);
    let body = match &call.body {
        Some((content_type, bytes)) => {
            builder = builder.header("content-type", *content_type);
            Body::from(bytes.clone())
        }
        None => Body::empty(),
    };
    builder
        .body(body)
        .map_err(|error| Error::Nonsense { what: call.what.clone(), message: error.to_string() })
}

/// The texts of `Warning: 299 - "text"` headers.
fn warnings(response: &Response<Body>) -> Vec<String> {
    let texts = response.headers().get_all("warning").iter().filter_map(|value| value.to_str().ok());
    texts
        .filter_map(|text| Some(text.split_once('"')?.1.trim_end_matches('"').replace("\\\"", "\"")))
        .collect()
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// 50 ms doubled each time up to 2 s, or what the server asks for; up to a quarter of it is left to chance, so
/// that many clients do not come back together.
fn pause(attempt: u32, asked: Option<u64>) -> Duration {
    let base = match asked {
        Some(seconds) => Duration::from_secs(seconds.min(30)),
        None => Duration::from_millis(50).saturating_mul(1 << attempt.min(6)).min(Duration::from_secs(2)),
    };
    let chance = RandomState::new().build_hasher().finish() % 256;
    base + base * u32::try_from(chance).unwrap_or(0) / 1024
}
