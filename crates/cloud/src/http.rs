//! HTTP to services: one request, one small answer, within a deadline.
//!
//! Proxies are those of the environment, never for the machine itself and for metadata servers. Certificates are
//! checked against those of the system, or of `SSL_CERT_FILE`. A busy server and a cut connection are tried again.

use std::error::Error as StdError;
use std::future::Future;
use std::net::IpAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::{Method, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpStream;
use tower::Service;
use zeroize::Zeroizing;

use crate::environment::Environment;
use crate::error::Error;

/// No answer of a key service is larger.
const LARGEST: usize = 1 << 20;
/// How much of a service's own words is passed on.
const WORDS: usize = 300;
const TRIES: u32 = 3;

type Failed = Box<dyn StdError + Send + Sync>;

/// How long an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// A service that is there: half a minute, and again if it is busy.
    Service,
    /// A metadata server, which most machines do not have: two seconds, once.
    Metadata,
}

/// A request. Its body and headers may be secret: there is no `Debug`.
pub(crate) struct Request {
    pub method: Method,
    pub url: String,
    pub headers: Vec<(&'static str, Zeroizing<String>)>,
    pub body: Zeroizing<Vec<u8>>,
}

impl Request {
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::GET, url: url.into(), headers: Vec::new(), body: Zeroizing::default() }
    }

    pub fn post(url: impl Into<String>, kind: &str, body: String) -> Self {
        let body = Zeroizing::new(body.into_bytes());
        Self { method: Method::POST, body, ..Self::get(url) }.with("content-type", kind)
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, Zeroizing::new(value.to_owned())));
        self
    }

    /// The host, with its port if it is not the usual one: for messages and signatures.
    pub fn host(&self) -> String {
        let uri = self.url.parse::<Uri>().ok();
        uri.and_then(|uri| uri.authority().map(ToString::to_string)).unwrap_or_default()
    }
}

/// A whole answer with success. It may be secret: there is no `Debug`.
pub(crate) struct Answer {
    action: &'static str,
    host: String,
    body: Zeroizing<Vec<u8>>,
}

impl Answer {
    pub fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.body).map_err(|_| self.without("text"))
    }

    /// A text at a place of its JSON.
    pub fn field(&self, pointer: &'static str) -> Result<Zeroizing<String>, Error> {
        self.at(pointer)?
            .as_str()
            .map(|text| Zeroizing::new(text.to_owned()))
            .ok_or_else(|| self.without(pointer))
    }

    /// A number at a place of its JSON; some services write it as a text.
    pub fn number(&self, pointer: &'static str) -> Option<i64> {
        let value = self.at(pointer).ok()?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    }

    pub fn without(&self, missing: &'static str) -> Error {
        Error::Answer { action: self.action, host: self.host.clone(), missing }
    }

    fn at(&self, pointer: &'static str) -> Result<Value, Error> {
        let value: Value = serde_json::from_slice(&self.body).map_err(|_| self.without("JSON"))?;
        value.pointer(pointer).cloned().ok_or_else(|| self.without(pointer))
    }
}

type Pool = Client<HttpsConnector<Route>, Full<Bytes>>;

/// A client. Certificates are read when it is first used.
pub(crate) struct Http {
    environment: Environment,
    pool: OnceLock<Pool>,
}

impl Http {
    pub fn new(environment: &Environment) -> Self {
        Self { environment: environment.clone(), pool: OnceLock::new() }
    }

    /// Sends a request until there is an answer; one without success is an error.
    pub async fn send(
        &self,
        action: &'static str,
        patience: Patience,
        request: &Request,
    ) -> Result<Answer, Error> {
        let tries = if patience == Patience::Service { TRIES } else { 1 };
        let mut wait = Duration::from_millis(200);
        for _ in 1..tries {
            match self.once(action, patience, request).await {
                Err(error)
                    if towpath_failure::Failure::class(&error) == towpath_failure::Class::Transient => {}
                done => return done,
            }
            tokio::time::sleep(wait).await;
            wait *= 3;
        }
        self.once(action, patience, request).await
    }

    async fn once(
        &self,
        action: &'static str,
        patience: Patience,
        request: &Request,
    ) -> Result<Answer, Error> {
        let host = request.host();
        let unreachable = |problem: String| Error::Unreachable { host: host.clone(), problem };
        let deadline = Duration::from_secs(if patience == Patience::Service { 30 } else { 2 });
        let (status, body) = tokio::time::timeout(deadline, self.exchange(request))
            .await
            .map_err(|_| unreachable(format!("no answer within {} s", deadline.as_secs())))?
            .map_err(|error| unreachable(innermost(&*error)))?;
        if (200..300).contains(&status) {
            return Ok(Answer { action, host, body });
        }
        Err(Error::Refused { action, host, status, message: words(&body) })
    }

    async fn exchange(&self, request: &Request) -> Result<(u16, Zeroizing<Vec<u8>>), Failed> {
        let mut sent = ::http::Request::builder().method(&request.method).uri(&request.url);
        for (name, value) in &request.headers {
            sent = sent.header(*name, value.as_str());
        }
        let sent = sent.body(Full::new(Bytes::copy_from_slice(&request.body)))?;
        let answer = self.pool()?.request(sent).await?;
        let status = answer.status().as_u16();
        let body = Limited::new(answer.into_body(), LARGEST).collect().await?.to_bytes();
        Ok((status, Zeroizing::new(body.to_vec())))
    }

    fn pool(&self) -> Result<&Pool, Failed> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let pool = connect(&self.environment)?;
        Ok(self.pool.get_or_init(|| pool))
    }
}

fn connect(environment: &Environment) -> Result<Pool, Failed> {
    // The provider is named rather than installed: a library must not decide that for its process.
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots(environment)?)
        .with_no_client_auth();
    let route = Route::new(environment);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(route);
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

fn roots(environment: &Environment) -> Result<RootCertStore, Failed> {
    let mut roots = RootCertStore::empty();
    let mut files = Vec::new();
    match environment.get("SSL_CERT_FILE") {
        Some(file) => files.push(file),
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    // Vault's own variable for a private authority.
    files.extend(environment.get("VAULT_CACERT"));
    for file in files {
        for certificate in CertificateDer::pem_file_iter(Path::new(file))? {
            roots.add(certificate?)?;
        }
    }
    Ok(roots)
}

/// Connects directly or through a proxy.
#[derive(Clone)]
struct Route {
    direct: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Route {
    fn new(environment: &Environment) -> Self {
        let variable = |name: &str| {
            let lower = environment.get(&name.to_lowercase());
            lower.or_else(|| environment.get(name)).unwrap_or_default().to_owned()
        };
        let proxies = Matcher::builder()
            .http(variable("HTTP_PROXY"))
            .https(variable("HTTPS_PROXY"))
            .no(variable("NO_PROXY"))
            .build();
        let mut direct = HttpConnector::new();
        direct.enforce_http(false);
        Self { direct, proxies: Arc::new(proxies) }
    }
}

impl Service<Uri> for Route {
    type Response = TokioIo<TcpStream>;
    type Error = Failed;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failed>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failed>> {
        self.direct.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let proxy = if is_near(uri.host().unwrap_or_default()) { None } else { self.proxies.intercept(&uri) };
        match proxy {
            None => {
                let connecting = self.direct.call(uri);
                Box::pin(async move { Ok(connecting.await?) })
            }
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), self.direct.clone());
                if let Some(auth) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(auth.clone());
                }
                let connecting = tunnel.call(uri);
                Box::pin(async move { Ok(connecting.await?) })
            }
        }
    }
}

/// This machine, or a metadata server, which no proxy can reach for us.
fn is_near(host: &str) -> bool {
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        Err(_) => host == "localhost" || host == "metadata.google.internal",
    }
}

/// What went wrong at the bottom: the layers above only say that something did.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// The reason in a refusal: the well-known fields of JSON and XML, else nothing. An error page is no reason.
fn words(body: &[u8]) -> String {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let at = |pointer: &str| json.as_ref()?.pointer(pointer)?.as_str().map(str::to_owned);
    let tag = |name: &str| xml(std::str::from_utf8(body).ok()?, name).map(str::to_owned);
    let kind =
        at("/__type").map(|kind| kind.rsplit_once('#').map_or(kind.clone(), |(_, kind)| kind.to_owned()));
    let kind = kind.or_else(|| tag("Code")).or_else(|| at("/error/code")).or_else(|| at("/error"));
    let said = ["/message", "/Message", "/error/message", "/error_description", "/errors/0"];
    let said = said.iter().find_map(|pointer| at(pointer)).or_else(|| tag("Message"));
    let text = [kind, said].into_iter().flatten().collect::<Vec<_>>().join(": ");
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(WORDS).collect()
}

/// What stands between the first pair of tags of this name.
pub(crate) fn xml<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_every_cloud_are_found() {
        let aws = r#"{"__type":"com.amazonaws.kms#AccessDeniedException","Message":"no"}"#;
        let cases = [
            (aws, "AccessDeniedException: no"),
            ("<E><Error><Code>Expired</Code><Message>late</Message></Error></E>", "Expired: late"),
            (r#"{"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}}"#, "denied"),
            (r#"{"error":{"code":"KeyNotFound","message":"gone"}}"#, "KeyNotFound: gone"),
            (r#"{"error":"invalid_client","error_description":"bad\nsecret"}"#, "invalid_client: bad secret"),
            (r#"{"errors":["permission denied"]}"#, "permission denied"),
            (r#"{"errors":[]}"#, ""),
            ("<html>proxy</html>", ""),
        ];
        for (body, expected) in cases {
            assert_eq!(words(body.as_bytes()), expected);
        }
    }

    #[test]
    fn what_is_near_needs_no_proxy() {
        for near in ["127.0.0.1", "169.254.169.254", "[::1]", "localhost", "[fd00:ec2::254]"] {
            assert!(is_near(near), "{near}");
        }
        assert!(!is_near("kms.eu-west-1.amazonaws.com"));
    }
}
