//! The proxy's inside: from a connection to an answer.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, RETRY_AFTER, TRANSFER_ENCODING};
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::body::{self, Body};
use super::gate::{Gate, Pass};
use super::record::Seen;
use super::rule::{Fault, Rule};
use crate::tls::HttpClient;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) client: HttpClient,
    pub(super) server: String,
    /// For requests without one; `None`: the client's certificate speaks, and tokens are dropped.
    pub(super) token: Option<HeaderValue>,
    pub(super) gate: watch::Sender<Gate>,
    pub(super) rules: Mutex<Vec<Rule>>,
    pub(super) seen: Mutex<Vec<Seen>>,
    /// Ends all connections.
    pub(super) cut: Notify,
}

/// What was decided about a request when it arrived.
struct Arrival {
    pass: Pass,
    epoch: usize,
    /// Its place in the record.
    number: usize,
    fault: Option<Fault>,
}

/// Serves connections until aborted; they end with it, because the set is dropped.
pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        let _ = stream.set_nodelay(true);
        connections.spawn(async move {
            let service = service_fn(|request| answer(Arc::clone(&shared), request));
            let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            // A cut is an error here, and wanted.
            tokio::select! {
                _ = served => {}
                () = shared.cut.notified() => {}
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Answers one request. An error cuts the connection.
async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let seen = Seen::new(&request);
    let is_write = seen.is_write();
    let Arrival { pass, epoch, number, fault } = shared.arrive(seen);
    if pass == Pass::Hold {
        return Err(shared.hold(epoch).await);
    }
    let held = pass == Pass::ThroughThenHold;
    // A task of its own: what a client has sent is carried out, also when the client is killed meanwhile.
    let task = tokio::spawn(carry_out(Arc::clone(&shared), request, fault, is_write));
    let answer = task.await.map_err(io::Error::other)?;
    if held {
        return Err(shared.hold(epoch).await);
    }
    let answer = answer?;
    shared.answered(number, epoch, answer.status().as_u16());
    Ok(answer)
}

async fn carry_out(
    shared: Arc<Shared>,
    request: Request<Incoming>,
    fault: Option<Fault>,
    is_write: bool,
) -> io::Result<Response<Body>> {
    let answer = suffer(&shared, request, fault).await;
    if is_write {
        shared.gate.send_modify(Gate::answered);
    }
    answer
}

/// Hands the request on, or does what the fault says.
async fn suffer(
    shared: &Shared,
    request: Request<Incoming>,
    fault: Option<Fault>,
) -> io::Result<Response<Body>> {
    let pass = |request| forward(shared, request);
    match fault {
        None => Ok(pass(request).await?.map(body::passed)),
        Some(Fault::Latency(time)) => {
            tokio::time::sleep(time).await;
            Ok(pass(request).await?.map(body::passed))
        }
        Some(Fault::Status { code, retry_after }) => refusal(code, retry_after).map_err(io::Error::other),
        Some(Fault::CutBefore) => Err(body::cut()),
        Some(Fault::CutAfter) => {
            // With the whole answer here, the server is certainly done.
            let _ = pass(request).await?.into_body().collect().await;
            Err(body::cut())
        }
        Some(Fault::SlowBody { piece, pause }) => {
            Ok(pass(request).await?.map(|whole| body::slow(whole, piece, pause)))
        }
        Some(Fault::TruncatedBody { after }) => {
            Ok(pass(request).await?.map(|whole| body::truncated(whole, after)))
        }
        Some(Fault::WatchExpired { after }) => {
            Ok(pass(request).await?.map(|whole| body::expired_watch(whole, after)))
        }
    }
}

async fn forward(shared: &Shared, request: Request<Incoming>) -> io::Result<Response<Incoming>> {
    let (mut head, content) = request.into_parts();
    let content: Bytes = content.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    head.uri = format!("{}{path}", shared.server).parse().map_err(io::Error::other)?;
    for name in [HOST, CONNECTION, TRANSFER_ENCODING] {
        head.headers.remove(name);
    }
    match &shared.token {
        None => drop(head.headers.remove(AUTHORIZATION)),
        Some(token) => drop(head.headers.entry(AUTHORIZATION).or_insert_with(|| token.clone())),
    }
    let request = Request::from_parts(head, Full::new(content));
    let mut response = shared.client.request(request).await.map_err(io::Error::other)?;
    for name in [CONNECTION, TRANSFER_ENCODING] {
        response.headers_mut().remove(name);
    }
    Ok(response)
}

fn refusal(code: u16, retry_after: Option<u64>) -> anyhow::Result<Response<Body>> {
    let status = body::status(code, "injected by a test");
    let mut answer = Response::builder().status(code).header(CONTENT_TYPE, "application/json");
    if let Some(seconds) = retry_after {
        answer = answer.header(RETRY_AFTER, seconds);
    }
    answer.body(body::whole(status.to_string())).context("build the answer")
}

impl Shared {
    /// Records a request and decides about it in one step, so that the record's order is the gate's.
    fn arrive(&self, mut seen: Seen) -> Arrival {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pass, mut epoch) = (Pass::Hold, 0);
        self.gate.send_modify(|gate| (pass, epoch) = (gate.arrive(seen.is_write()), gate.epoch()));
        let fault = if pass == Pass::Hold { None } else { self.fault_for(&seen) };
        seen.faulted = fault.is_some();
        all.push(seen);
        Arrival { pass, epoch, number: all.len() - 1, fault }
    }

    fn fault_for(&self, seen: &Seen) -> Option<Fault> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter_mut().find_map(|rule| rule.apply(seen))
    }

    fn answered(&self, number: usize, epoch: usize, status: u16) {
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // After a reset the number means another request.
        if self.gate.borrow().epoch() != epoch {
            return;
        }
        if let Some(seen) = all.get_mut(number) {
            seen.status = Some(status);
        }
    }

    /// Waits for the next reset.
    async fn hold(&self, epoch: usize) -> io::Error {
        let _ = self.gate.subscribe().wait_for(|gate| gate.epoch() != epoch).await;
        body::cut()
    }
}
