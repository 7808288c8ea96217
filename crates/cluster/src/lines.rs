//! An answer that comes line by line for as long as it lasts: the body of a watch.

use bytes::Bytes;
use futures::StreamExt as _;
use http::Response;
use http_body_util::{BodyDataStream, BodyExt as _};
use kube::client::Body;

/// The lines of an answer.
pub(crate) struct Lines {
    chunks: BodyDataStream<Body>,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(response: Response<Body>) -> Self {
        Self { chunks: response.into_body().into_data_stream(), begun: Vec::new() }
    }

    /// The whole lines that have come since, at least one, each with its line feed. Nothing when the answer has ended
    /// or the connection broke, which to a watch is the same.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let chunk = self.chunks.next().await?.ok()?;
            if let Some(lines) = whole_lines(&mut self.begun, &chunk) {
                return Some(lines);
            }
        }
    }
}

/// Adds a chunk to what has begun, and takes the whole lines.
fn whole_lines(begun: &mut Vec<u8>, chunk: &Bytes) -> Option<Vec<u8>> {
    let end = chunk.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let (lines, rest) = chunk.split_at(end.unwrap_or(0));
    begun.extend_from_slice(lines);
    let whole = end.map(|_| std::mem::take(begun));
    begun.extend_from_slice(rest);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_from_chunks() {
        let mut begun = Vec::new();
        let mut feed = |text: &'static str| whole_lines(&mut begun, &Bytes::from_static(text.as_bytes()));
        assert_eq!(feed("a"), None);
        assert_eq!(feed("b\nc\nd").as_deref(), Some(b"ab\nc\n".as_slice()));
        assert_eq!(feed(""), None);
        assert_eq!(feed("\n").as_deref(), Some(b"d\n".as_slice()));
    }
}
