//! Git over http: a small server in front of `git http-backend`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::{cgi, repository};
use crate::background::Background;

/// The running server.
#[derive(Debug)]
pub(super) struct Server {
    background: Background,
}

#[derive(Debug)]
struct Context {
    root: PathBuf,
    /// The Authorization header that is wanted.
    authorization: Option<String>,
}

impl Server {
    pub(super) fn start(root: &Path, credentials: Option<(&str, &str)>) -> Result<Self> {
        let authorization = credentials
            .map(|(user, password)| format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))));
        let context = Arc::new(Context { root: root.to_path_buf(), authorization });
        Ok(Self { background: Background::start("git-http", move |listener| accept(listener, context))? })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.background.address()
    }
}

async fn accept(listener: TcpListener, context: Arc<Context>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let context = Arc::clone(&context);
        connections.spawn(async move {
            let service = service_fn(|request| answer(&context, request));
            // A client that goes away in the middle is its own affair.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(context: &Context, request: Request<Incoming>) -> io::Result<Response<Full<Bytes>>> {
    let (head, body) = request.into_parts();
    let shown = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if context.authorization.is_some() && context.authorization.as_deref() != shown {
        let refusal = Response::builder().status(StatusCode::UNAUTHORIZED);
        let refusal = refusal.header(WWW_AUTHENTICATE, "Basic realm=\"git\"").body(Full::default());
        return refusal.map_err(io::Error::other);
    }
    let sent = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let mut backend = tokio::process::Command::from(repository::git(&context.root));
    backend.arg("http-backend").envs(cgi::environment(&head, &context.root, sent.len()));
    backend.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).kill_on_drop(true);
    let mut backend = backend.spawn()?;
    let mut stdin = backend.stdin.take().ok_or_else(|| io::Error::other("the backend has no input"))?;
    // Both at once: the backend may answer before it has read everything, and stop reading when it refuses.
    let feed = async move {
        let _ = stdin.write_all(&sent).await;
    };
    let ((), output) = tokio::join!(feed, backend.wait_with_output());
    cgi::response(Bytes::from(output?.stdout)).map_err(io::Error::other)
}
