//! CGI as far as `git http-backend` needs it: a request to environment variables, output to a response.

use std::path::Path;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, Response};
use http_body_util::Full;

/// What the program finds in its environment. <https://git-scm.com/docs/git-http-backend>
pub(super) fn environment(head: &Parts, root: &Path, length: usize) -> Vec<(&'static str, String)> {
    let header = |name: HeaderName| {
        let value = head.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    vec![
        ("GIT_PROJECT_ROOT", root.display().to_string()),
        ("GIT_HTTP_EXPORT_ALL", "1".to_owned()),
        ("GIT_PROTOCOL", header(HeaderName::from_static("git-protocol"))),
        ("REQUEST_METHOD", head.method.to_string()),
        ("PATH_INFO", head.uri.path().to_owned()),
        ("QUERY_STRING", head.uri.query().unwrap_or_default().to_owned()),
        ("CONTENT_TYPE", header(CONTENT_TYPE)),
        ("CONTENT_LENGTH", length.to_string()),
        ("HTTP_CONTENT_ENCODING", header(CONTENT_ENCODING)),
        ("REMOTE_ADDR", "127.0.0.1".to_owned()),
    ]
}

/// Reads what the program printed: header lines, an empty line, the body.
pub(super) fn response(mut output: Bytes) -> Result<Response<Full<Bytes>>> {
    let end =
        output.windows(4).position(|four| four == b"\r\n\r\n").context("the backend gave no headers")?;
    let head = output.split_to(end + 4);
    let head = std::str::from_utf8(&head).context("read the backend's headers")?;
    let mut response = Response::builder();
    for line in head.trim_end().split("\r\n") {
        let (name, value) = line.split_once(':').context("read a header of the backend")?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") {
            response = response.status(value.split(' ').next().unwrap_or(value));
        } else {
            response = response.header(name, value);
        }
    }
    response.body(Full::new(output)).context("build the response")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_line_and_headers_are_read() {
        let output = Bytes::from_static(b"Status: 404 Not Found\r\nContent-Type: text/plain\r\n\r\nno");
        let response = response(output).unwrap();
        assert_eq!(response.status(), 404);
        assert_eq!(response.headers()["content-type"], "text/plain");
    }

    #[test]
    fn output_without_headers_is_an_error() {
        assert!(response(Bytes::from_static(b"fatal")).is_err());
    }
}
