//! Why a key was not opened. No variant holds a key, a token, or what a service sent along with success.

use towpath_failure::{Class, Failure, Reason};

/// A key that was not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file's words for its key make no sense.
    #[error("{0}")]
    Key(String),
    /// There are no credentials, or they cannot be used.
    #[error("{problem}")]
    Credentials {
        /// What is wrong with them.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
    /// No answer came.
    #[error("cannot reach {host}: {problem}")]
    Unreachable {
        /// Whom we asked.
        host: String,
        /// What happened instead.
        problem: String,
    },
    /// The service said no.
    #[error("{action}: {host} answered {status}{}", with_colon(.message))]
    Refused {
        /// What we asked for.
        action: &'static str,
        /// Whom we asked.
        host: String,
        /// The HTTP status.
        status: u16,
        /// Its reason, if it gave one.
        message: String,
    },
    /// The service said yes, and something that we do not understand.
    #[error("{action}: the answer of {host} has no {missing} that can be read")]
    Answer {
        /// What we asked for.
        action: &'static str,
        /// Whom we asked.
        host: String,
        /// What we looked for.
        missing: &'static str,
    },
}

fn with_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl Error {
    pub(crate) fn credentials(problem: impl Into<String>, hint: &str) -> Self {
        Self::Credentials { problem: problem.into(), hint: Some(hint.to_owned()) }
    }
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        Reason("DecryptionFailed")
    }

    fn class(&self) -> Class {
        match self {
            Self::Unreachable { .. } => Class::Transient,
            Self::Refused { status, .. } if *status == 429 || *status >= 500 => Class::Transient,
            _ => Class::Terminal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Credentials { hint, .. } => hint.clone(),
            _ => None,
        }
    }
}
