//! The proxy, TLS behind it, and HTTP on top.

use std::convert::Infallible;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{Asked, Reply, State, grpc};
use crate::certificate::Identity;

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// TLS as this server, with HTTP/2 for those who want it.
pub(super) fn acceptor(identity: &Identity) -> Result<TlsAcceptor> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(identity.certificate.as_bytes()).collect();
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).context("read the server's key")?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain.context("read the server's certificate")?, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves until it is dropped.
pub(super) async fn run(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            let service = service_fn(|request| front(request, acceptor.clone(), Arc::clone(&state)));
            // Whoever goes away in the middle has its reasons.
            let _ = Builder::new(TokioExecutor::new())
                .serve_connection_with_upgrades(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// A tunnel to one of the hosts, or a plain request to a metadata server.
async fn front(
    request: Request<Incoming>,
    acceptor: TlsAcceptor,
    state: Arc<State>,
) -> Result<Response<Body>, Infallible> {
    if request.method() != Method::CONNECT {
        return back(request, state).await;
    }
    tokio::spawn(async move {
        let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
        let Ok(stream) = acceptor.accept(TokioIo::new(upgraded)).await else { return };
        let service = service_fn(|request| back(request, Arc::clone(&state)));
        let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
    });
    Ok(Response::new(Full::default().boxed_unsync()))
}

async fn back(request: Request<Incoming>, state: Arc<State>) -> Result<Response<Body>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let host = parts.uri.authority().map(ToString::to_string);
    let host =
        host.or_else(|| parts.headers.get("host").and_then(|host| host.to_str().ok()).map(str::to_owned));
    let asked = Asked {
        host: host.unwrap_or_default(),
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body,
    };
    if grpc::is_for(&asked) {
        let (body, code) = grpc::answer(&state.safe, &asked);
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", code.into());
        let body = Full::from(body).with_trailers(async move { Some(Ok(trailers)) }).boxed_unsync();
        return Ok(response(200, &[("content-type", "application/grpc".to_owned())], body));
    }
    let Reply { status, headers, body } = state.answer(&asked);
    Ok(response(status, &headers, Full::from(body).boxed_unsync()))
}

fn response(status: u16, headers: &[(&'static str, String)], body: Body) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    response.body(body).expect("every status and header is written in this folder")
}
