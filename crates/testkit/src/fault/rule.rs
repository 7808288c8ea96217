//! Which requests suffer, and what.

use std::time::Duration;

use http::Method;

use super::record::Seen;

/// What happens to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is handed on only after this time.
    Latency(Duration),
    /// It is answered with this status and never reaches the server.
    Status {
        /// The HTTP status.
        code: u16,
        /// The seconds that the client is asked to wait, for `Retry-After`.
        retry_after: Option<u64>,
    },
    /// The connection is cut, and the server never sees it.
    CutBefore,
    /// The server carries it out, and the connection is cut before the answer.
    CutAfter,
    /// The answer comes in pieces of this many bytes with this pause before each.
    SlowBody {
        /// Bytes in each piece.
        piece: usize,
        /// The wait before each piece.
        pause: Duration,
    },
    /// The answer ends, and the connection with it, after this many bytes.
    TruncatedBody {
        /// Bytes that come through.
        after: usize,
    },
    /// The watch ends with the event by which the server says that its resource version is too old.
    WatchExpired {
        /// Events that come through before it.
        after: usize,
    },
}

impl Fault {
    /// An answer with this status.
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None }
    }

    /// 429, with the seconds to wait.
    pub fn too_many_requests(retry_after: u64) -> Self {
        Self::Status { code: 429, retry_after: Some(retry_after) }
    }
}

/// A fault, and the requests that it happens to: all of them unless narrowed, without end unless counted.
#[derive(Clone, Debug)]
pub struct Rule {
    fault: Fault,
    method: Option<Method>,
    path: Option<String>,
    writes: bool,
    watches: bool,
    skip: usize,
    times: usize,
}

impl Rule {
    /// This fault, for every request.
    pub fn new(fault: Fault) -> Self {
        Self { fault, method: None, path: None, writes: false, watches: false, skip: 0, times: usize::MAX }
    }

    /// Only requests with this method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// Only requests whose path contains this.
    #[must_use]
    pub fn path(mut self, part: &str) -> Self {
        self.path = Some(part.to_owned());
        self
    }

    /// Only writes, see [`Seen::is_write`].
    #[must_use]
    pub fn writes(mut self) -> Self {
        self.writes = true;
        self
    }

    /// Only watches.
    #[must_use]
    pub fn watches(mut self) -> Self {
        self.watches = true;
        self
    }

    /// Lets the first so many of them pass.
    #[must_use]
    pub fn skip(mut self, count: usize) -> Self {
        self.skip = count;
        self
    }

    /// Happens to so many of them, then no more.
    #[must_use]
    pub fn times(mut self, count: usize) -> Self {
        self.times = count;
        self
    }

    /// The fault for this request, if it is one of ours and its turn has come. Counts.
    pub(super) fn apply(&mut self, seen: &Seen) -> Option<Fault> {
        let ours = self.method.as_ref().is_none_or(|method| *method == seen.method)
            && self.path.as_ref().is_none_or(|part| seen.path.contains(part))
            && (!self.writes || seen.is_write())
            && (!self.watches || seen.is_watch());
        if !ours || self.times == 0 {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        self.times -= 1;
        Some(self.fault.clone())
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn a_rule_skips_then_counts_only_what_matches() {
        let get = Seen::new(&Request::builder().uri("/api/v1/pods/a").body(()).unwrap());
        let other = Seen::new(&Request::builder().uri("/api/v1/nodes").body(()).unwrap());
        let mut rule = Rule::new(Fault::CutBefore).method(Method::GET).path("/pods/").skip(1).times(2);
        let hits: Vec<bool> =
            [&get, &other, &get, &other, &get, &get].map(|seen| rule.apply(seen).is_some()).into();
        assert_eq!(hits, [false, false, true, false, true, false]);
    }
}
