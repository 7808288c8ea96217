//! What can go wrong with a cluster, told apart once so that nobody above reads message texts.

use serde::Deserialize;
use towpath_failure::{Class, Failure, Reason};

/// The server's own account of a failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// The server's reason, for example `NotFound`.
    pub reason: String,
    /// The server's message.
    pub message: String,
    /// The fields that are wrong, where the server names them.
    pub causes: Vec<Cause>,
    /// How many seconds the server asks us to wait.
    pub retry_after: Option<u64>,
}

/// One field that the server found wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Cause {
    /// The field's path, for example `spec.replicas`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// The server's word for it, for example `FieldValueInvalid`.
    pub reason: String,
}

/// Why a call to a cluster failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kubeconfig cannot be read or does not name a usable cluster.
    #[error("read the kubeconfig: {message}")]
    Config {
        /// What is wrong with it.
        message: String,
    },
    /// Nobody answers at the server's address.
    #[error("reach the cluster at {url}: {message}")]
    Unreachable {
        /// The server's address.
        url: String,
        /// What the network said.
        message: String,
    },
    /// The server's certificate is not acceptable.
    #[error("trust the cluster at {url}: {message}")]
    Certificate {
        /// The server's address.
        url: String,
        /// What is wrong with the certificate.
        message: String,
    },
    /// We could not obtain credentials to show to the server.
    #[error("log in to the cluster: {message}")]
    Login {
        /// What the credential helper said.
        message: String,
    },
    /// The server refused the request.
    #[error("{what}: {}", status.message)]
    Refused {
        /// What was asked for.
        what: String,
        /// The server's account.
        status: Box<Status>,
        /// What we know beyond the server's account, for example that our own certificate has expired.
        note: Option<String>,
    },
    /// The call took longer than it may.
    #[error("{what}: time was up after {seconds} s")]
    Deadline {
        /// What was asked for.
        what: String,
        /// How long we waited.
        seconds: u64,
    },
    /// The connection broke while a request was under way.
    #[error("{what}: the connection broke: {message}")]
    Broken {
        /// What was asked for.
        what: String,
        /// What the network said.
        message: String,
    },
    /// The answer is not what the protocol promises.
    #[error("{what}: the server's answer makes no sense: {message}")]
    Nonsense {
        /// What was asked for.
        what: String,
        /// What is wrong with the answer.
        message: String,
    },
}

impl Error {
    /// The HTTP status code of a refusal; zero otherwise.
    pub fn code(&self) -> u16 {
        match self {
            Self::Refused { status, .. } => status.code,
            _ => 0,
        }
    }

    /// The server's account of a refusal.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Refused { status, .. } => Some(status),
            _ => None,
        }
    }

    /// True when the object is not there.
    pub fn is_not_found(&self) -> bool {
        self.code() == 404
    }

    /// True when somebody else changed or created the object in the meantime.
    pub fn is_conflict(&self) -> bool {
        self.code() == 409
    }

    /// True when a list or watch has to start anew because its resource version is too old.
    pub fn is_gone(&self) -> bool {
        self.code() == 410
    }

    /// True when all that is wrong is that fields may not be changed in place: created anew, the object would do.
    pub fn is_immutable(&self) -> bool {
        let fixed = |cause: &Cause| {
            let detail = detail(&cause.message);
            !cause.field.is_empty() && FIXED.iter().any(|words| detail.contains(words))
        };
        self.status().is_some_and(|status| {
            status.code == 422 && !status.causes.is_empty() && status.causes.iter().all(fixed)
        })
    }

    /// True when we may not do this.
    pub fn is_forbidden(&self) -> bool {
        self.code() == 403
    }

    /// True when the cluster as a whole is closed to us: not there, not trusted, or not letting us in.
    pub fn is_closed_door(&self) -> bool {
        match self {
            Self::Config { .. }
            | Self::Unreachable { .. }
            | Self::Certificate { .. }
            | Self::Login { .. } => true,
            Self::Refused { status, .. } => matches!(status.code, 401 | 403),
            Self::Deadline { .. } | Self::Broken { .. } | Self::Nonsense { .. } => false,
        }
    }
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        Reason(match self {
            Self::Config { .. } => "KubeconfigInvalid",
            Self::Unreachable { .. } => "ClusterUnreachable",
            Self::Certificate { .. } => "CertificateInvalid",
            Self::Login { .. } => "LoginFailed",
            Self::Deadline { .. } => "DeadlineExceeded",
            Self::Refused { .. } if self.is_immutable() => "Immutable",
            Self::Broken { .. } => "ConnectionBroken",
            Self::Nonsense { .. } => "ProtocolViolated",
            Self::Refused { status, .. } => match status.code {
                401 => "Unauthorized",
                403 => "Forbidden",
                404 => "NotFound",
                409 => "Conflict",
                410 => "Expired",
                413 => "TooLarge",
                400 | 422 => "Invalid",
                500 if is_misfit(status) => "Invalid",
                429 => "TooManyRequests",
                _ => "ServerFailed",
            },
        })
    }

    fn class(&self) -> Class {
        match self {
            Self::Config { .. } | Self::Certificate { .. } | Self::Login { .. } | Self::Nonsense { .. } => {
                Class::Terminal
            }
            Self::Unreachable { .. } | Self::Deadline { .. } | Self::Broken { .. } => Class::Transient,
            Self::Refused { status, .. } if is_passing(status) => Class::Transient,
            Self::Refused { .. } => Class::Terminal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Config { .. } => {
                Some("name a kubeconfig with --kubeconfig or KUBECONFIG, and a context with --context".into())
            }
            Self::Unreachable { .. } => {
                Some("check that the server is running and that the kubeconfig's address is right".into())
            }
            Self::Certificate { .. } => Some("renew the certificate, or fetch a fresh kubeconfig".into()),
            Self::Refused { note: Some(note), .. } => Some(note.clone()),
            Self::Refused { status, .. } => match status.code {
                401 => Some(
                    "the server does not know these credentials; log in again or fetch a fresh kubeconfig"
                        .into(),
                ),
                403 => Some("ask for a role that allows this, or use another context with --context".into()),
                413 => Some(
                    "Kubernetes takes at most 3 MiB in a request and 1 MiB of data in a ConfigMap or Secret"
                        .into(),
                ),
                _ if self.is_immutable() => {
                    Some("this cannot be changed: delete the object and apply it again".into())
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The words of validations for "this may not change". The server has no reason of its own for it.
const FIXED: [&str; 6] =
    ["immutable", "may not change", "may not be changed", "cannot change", "updates to", "oldSelf"];

/// What a cause says, without the refused value: that is the user's and may hold any words.
fn detail(message: &str) -> &str {
    match message.strip_prefix("Forbidden: ") {
        // Some show the difference below.
        Some(said) => said.lines().next().unwrap_or_default(),
        None => message.rsplit(": ").next().unwrap_or_default(),
    }
}

/// What passes by itself: the server is busy, restarting or behind a proxy that is.
fn is_passing(status: &Status) -> bool {
    matches!(status.code, 429 | 500 | 502 | 503 | 504) && !is_misfit(status)
}

/// An object that does not fit its schema is answered with 500 under server-side apply, not with 422.
fn is_misfit(status: &Status) -> bool {
    let says = |text: &str| status.message.starts_with(text);
    status.code == 500 && (says("failed to create typed") || says("failed to convert new object"))
}

/// Reads a `Status` body. A body that is none still gives a message.
pub(crate) fn parse_status(code: u16, retry_after: Option<u64>, body: &[u8]) -> Status {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Wire {
        reason: String,
        message: String,
        details: Option<Details>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Details {
        causes: Option<Vec<Cause>>,
        retry_after_seconds: Option<u64>,
    }
    let wire: Wire = serde_json::from_slice(body).unwrap_or_default();
    let details = wire.details.unwrap_or_default();
    let message = match wire.message {
        text if !text.is_empty() => text,
        _ => {
            let text: String = String::from_utf8_lossy(body).trim().chars().take(300).collect();
            if text.is_empty() {
                format!("the server answered {code}")
            } else {
                format!("the server answered {code}: {text}")
            }
        }
    };
    Status {
        code,
        reason: wire.reason,
        message,
        causes: details.causes.unwrap_or_default(),
        retry_after: retry_after.or(details.retry_after_seconds.filter(|seconds| *seconds > 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_body_is_read_and_any_other_is_quoted() {
        let body = br#"{"kind":"Status","reason":"Invalid","message":"no","details":{"causes":[{"field":"spec.x","message":"bad"}]}}"#;
        let status = parse_status(422, None, body);
        assert_eq!((status.reason.as_str(), status.message.as_str()), ("Invalid", "no"));
        assert_eq!(status.causes.first().map(|cause| cause.field.as_str()), Some("spec.x"));
        assert_eq!(
            parse_status(502, None, b"<html>bad gateway").message,
            "the server answered 502: <html>bad gateway"
        );
        assert_eq!(parse_status(500, Some(3), b"").retry_after, Some(3));
    }

    #[test]
    fn immutable_is_only_what_is_nothing_else() {
        let refused = |code: u16, messages: &[&str]| {
            let cause =
                |text: &&str| Cause { field: "spec".into(), message: (*text).into(), ..Cause::default() };
            let causes = messages.iter().map(cause).collect();
            let status = Box::new(Status { code, causes, ..Status::default() });
            Error::Refused { what: "apply".into(), status, note: None }
        };
        for text in [
            "Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: field is immutable",
            "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
            "Forbidden: spec is immutable after creation except resources.requests\n{ Size: 1 }",
            "Invalid value: \"\": may not change once set",
            "Invalid value: \"string\": failed rule: self == oldSelf",
        ] {
            let error = refused(422, &[text]);
            assert!(error.is_immutable() && error.reason() == Reason("Immutable"), "{text}");
            assert!(!refused(409, &[text]).is_immutable());
            assert!(!refused(422, &[text, "Invalid value: -1: must be at least 0"]).is_immutable());
        }
        for text in ["Invalid value: \"immutable\": must be a number", "Forbidden: not with hostNetwork", ""]
        {
            assert!(!refused(422, &[text]).is_immutable(), "{text}");
        }
        assert!(!refused(422, &[]).is_immutable());
    }

    #[test]
    fn an_object_that_does_not_fit_is_not_tried_again() {
        let refused = |message: &str| Error::Refused {
            what: "apply".into(),
            status: Box::new(Status { code: 500, message: message.into(), ..Status::default() }),
            note: None,
        };
        assert_eq!(refused("etcdserver: leader changed").class(), Class::Transient);
        let misfit =
            refused("failed to create typed patch object (a/b; v1, Kind=Pod): .spec.x: field not declared");
        assert_eq!((misfit.class(), misfit.reason()), (Class::Terminal, Reason("Invalid")));
    }
}
