//! A small API server behind the control plane's own: one group with one cluster-scoped kind that is read only.
//!
//! ```text
//! client ──► kube-apiserver ──APIService──► Service of type ExternalName ──► we, on loopback, with TLS
//! ```
//!
//! It answers 503 until it is told to be there, so that a test decides when its kind appears.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use futures::stream;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::background::Background;
use crate::certificate::Validity;
use crate::plane::ControlPlane;

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// An API server for `Gadget` in `GROUP/v1`, with the one object `first`, until dropped.
#[derive(Debug)]
pub struct AggregatedApi {
    state: Arc<State>,
    // Held for its end.
    _server: Background,
}

#[derive(Debug)]
struct State {
    group: String,
    available: AtomicBool,
}

impl AggregatedApi {
    /// Starts it and makes it known to the control plane. It is not available yet.
    pub async fn start(plane: &ControlPlane, group: &str) -> Result<Self> {
        let acceptor = acceptor(plane)?;
        let state = Arc::new(State { group: group.to_owned(), available: AtomicBool::new(false) });
        let shared = Arc::clone(&state);
        let server = Background::start("aggregated-api", move |listener| accept(listener, acceptor, shared))?;
        let (name, namespace) = (group.replace('.', "-"), "default");
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"type": "ExternalName", "externalName": "localhost"}});
        plane.api().post(&format!("/api/v1/namespaces/{namespace}/services"), &service).await?;
        let registration = json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": format!("v1.{group}")},
            "spec": {"group": group, "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
                "insecureSkipTLSVerify": true,
                "service": {"namespace": namespace, "name": name, "port": server.address().port()}}});
        plane.api().post("/apis/apiregistration.k8s.io/v1/apiservices", &registration).await?;
        Ok(Self { state, _server: server })
    }

    /// From now on it answers, or does not.
    pub fn set_available(&self, available: bool) {
        self.state.available.store(available, Ordering::SeqCst);
    }
}

fn acceptor(plane: &ControlPlane) -> Result<TlsAcceptor> {
    let identity = plane.authority().server(&["localhost", "127.0.0.1"], Validity::Valid)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(identity.certificate.as_bytes()).collect();
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).context("read the server's key")?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("choose TLS versions")?
        .with_no_client_auth()
        .with_single_cert(chain.context("read the server's certificate")?, key)
        .context("use the server's certificate")?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        connections.spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let service =
                service_fn(|request| std::future::ready(Ok::<_, Infallible>(state.answer(&request))));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

impl State {
    fn answer(&self, request: &Request<Incoming>) -> Response<Body> {
        let version = format!("{}/v1", self.group);
        let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        let object = json!({"apiVersion": version, "kind": "Gadget",
            "metadata": {"name": "first", "uid": "gadget-first", "resourceVersion": "1"}});
        if !self.available.load(Ordering::SeqCst) {
            return status(503, "it is not available yet");
        }
        let discovery = format!("/apis/{version}");
        match path.strip_prefix(discovery.as_str()) {
            Some("") => json_body(
                200,
                &json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version,
                "resources": [{"name": "gadgets", "singularName": "gadget", "namespaced": false, "kind": "Gadget",
                    "verbs": ["get", "list", "watch"]}]}),
            ),
            Some("/gadgets/first") => json_body(200, &object),
            // Lists that are streamed are not served here: they are asked for in the old way.
            Some("/gadgets") if query.contains("sendInitialEvents") => {
                status(422, "sendInitialEvents is forbidden")
            }
            Some("/gadgets") if query.contains("watch=") => endless(),
            Some("/gadgets") => json_body(
                200,
                &json!({"kind": "GadgetList", "apiVersion": version,
                "metadata": {"resourceVersion": "1"}, "items": [object]}),
            ),
            _ => status(404, "not found"),
        }
    }
}

fn status(code: u16, message: &str) -> Response<Body> {
    let status =
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code});
    json_body(code, &status)
}

fn json_body(code: u16, value: &Value) -> Response<Body> {
    response(code, Full::new(Bytes::from(value.to_string())).boxed_unsync())
}

/// A watch in which nothing ever happens.
fn endless() -> Response<Body> {
    response(200, StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>()).boxed_unsync())
}

fn response(code: u16, body: Body) -> Response<Body> {
    let builder = Response::builder().status(code).header("content-type", "application/json");
    builder.body(body).expect("the code is one of ours")
}
