//! Answers that come through as they are, slowly, in part, or with an end of our making.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt as _, TryStreamExt as _};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use serde_json::{Value, json};

/// An answer's body.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// The time that hyper gets to send what it has before we cut: an error makes it forget unsent bytes.
const FLUSH: Duration = Duration::from_millis(50);

/// What the server says, as it says it.
pub(super) fn passed(body: Incoming) -> Body {
    body.map_err(io::Error::other).boxed_unsync()
}

/// These bytes.
pub(super) fn whole(content: String) -> Body {
    Full::new(Bytes::from(content)).map_err(|never: Infallible| match never {}).boxed_unsync()
}

/// What the server says, in pieces with a pause before each.
pub(super) fn slow(body: Incoming, piece: usize, pause: Duration) -> Body {
    let pieces = data(body).flat_map(move |chunk| stream::iter(split(chunk, piece.max(1))));
    boxed(pieces.then(move |part| async move {
        tokio::time::sleep(pause).await;
        part
    }))
}

/// The first bytes of what the server says, then an error, on which hyper cuts the connection.
pub(super) fn truncated(body: Incoming, after: usize) -> Body {
    let cut = stream::once(async {
        tokio::time::sleep(FLUSH).await;
        Err(cut())
    });
    let start = data(body).scan(after, |left, chunk| {
        let part = (*left > 0).then(|| {
            chunk.map(|mut bytes| {
                bytes.truncate(*left);
                *left -= bytes.len();
                bytes
            })
        });
        async move { part }
    });
    boxed(start.chain(cut))
}

/// The first events of a watch, then the event that says that its resource version is too old.
pub(super) fn expired_watch(body: Incoming, after: usize) -> Body {
    let event =
        json!({ "type": "ERROR", "object": status(410, "too old resource version: injected by a test") });
    let last = stream::once(async move { Ok(Bytes::from(format!("{event}\n"))) });
    let start = data(body).scan(after, |left, chunk| {
        let part = (*left > 0).then(|| chunk.map(|bytes| first_events(bytes, left)));
        async move { part }
    });
    boxed(start.chain(last))
}

/// A Kubernetes `Status` for an HTTP status.
pub(super) fn status(code: u16, message: &str) -> Value {
    let reason = match code {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        410 => "Expired",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    };
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    })
}

/// The error with which a connection is cut.
pub(super) fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "cut by a test")
}

fn data(body: Incoming) -> impl Stream<Item = io::Result<Bytes>> + Send {
    body.into_data_stream().map_err(io::Error::other)
}

fn boxed(data: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Body {
    StreamBody::new(data.map_ok(Frame::data)).boxed_unsync()
}

fn split(chunk: io::Result<Bytes>, piece: usize) -> Vec<io::Result<Bytes>> {
    match chunk {
        Err(error) => vec![Err(error)],
        Ok(bytes) => bytes.chunks(piece).map(|part| Ok(Bytes::copy_from_slice(part))).collect(),
    }
}

/// Cuts after the last event that may pass; each ends with a line feed.
fn first_events(mut bytes: Bytes, left: &mut usize) -> Bytes {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let ends: Vec<usize> = ends.take(*left).collect();
    *left -= ends.len();
    if let (0, Some(end)) = (*left, ends.last()) {
        bytes.truncate(*end);
    }
    bytes
}
