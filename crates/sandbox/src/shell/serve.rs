//! Taking connections and answering what comes over them.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

use super::{Reach, Shared, stream};
use crate::request::Request;
use crate::server::Reply;

/// The most that a client may send at once, as the real server has it.
const LARGEST: usize = 3 * 1024 * 1024;
/// How long until the address is tried again, should somebody else have taken it.
const AGAIN: Duration = Duration::from_millis(50);

pub(super) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Takes connections while it can be reached.
pub(super) async fn run(shared: Arc<Shared>, listener: TcpListener, address: SocketAddr) {
    let mut reach = shared.reach.subscribe();
    let mut listener = Some(listener);
    loop {
        if *reach.borrow_and_update() == Reach::Closed {
            listener = None;
            if reach.changed().await.is_err() {
                return;
            }
            continue;
        }
        let Some(open) = &listener else {
            listener = TcpListener::bind(address).await.ok();
            if listener.is_none() {
                tokio::time::sleep(AGAIN).await;
            }
            continue;
        };
        tokio::select! {
            accepted = open.accept() => {
                if let Ok((stream, _)) = accepted {
                    tokio::spawn(connection(shared.clone(), stream));
                }
            }
            changed = reach.changed() => if changed.is_err() { return },
        }
    }
}

/// One connection, cut when the server cannot be reached any more.
async fn connection(shared: Arc<Shared>, stream: TcpStream) {
    let mut reach = shared.reach.subscribe();
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| answer(shared.clone(), request));
    let served =
        http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        result = served => {
            if let Err(error) = result {
                tracing::debug!(%error, "a connection ended");
            }
        }
        _ = reach.wait_for(|reach| *reach == Reach::Closed) => {}
    }
}

async fn answer(shared: Arc<Shared>, request: http::Request<Incoming>) -> Result<Response<Body>, Infallible> {
    shared.requests.fetch_add(1, Ordering::Relaxed);
    // The sender is held by what we share, so waiting cannot fail.
    let _ = shared.reach.subscribe().wait_for(|reach| *reach != Reach::Silent).await;
    let latency = *shared.latency.borrow();
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    let (head, body) = request.into_parts();
    let Ok(body) = Limited::new(body, LARGEST).collect().await else {
        return Ok(text(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"));
    };
    let request = Request::new(head.method, &head.uri, &head.headers, body.to_bytes());
    let now = shared.now();
    let reply = shared.server().answer(&request, now);
    Ok(match reply {
        Reply::Json(code, document) => json(code, document.to_string().into()),
        Reply::Bytes(code, bytes) => json(code, bytes.into()),
        Reply::Text(code, words) => text(StatusCode::from_u16(code).unwrap_or_default(), words),
        Reply::List(list) => streamed(stream::list(list)),
        Reply::Watch(watch) => streamed(stream::watch(shared, *watch)),
    })
}

fn json(code: u16, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn text(code: StatusCode, words: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed_unsync());
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn streamed(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
