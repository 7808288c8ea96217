//! Why a file was not decrypted. No variant holds plaintext, a key, or text that was decrypted.

use towpath_failure::{Class, Failure, Reason};

use crate::format::Format;

/// A file that was not decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are not of their format.
    #[error("read the file as {format}: {problem}")]
    Read {
        /// What it was read as.
        format: Format,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no `sops` part in the file.
    #[error("sops metadata not found")]
    NoMetadata,
    /// The `sops` part does not make sense.
    #[error("sops metadata: {0}")]
    Metadata(String),
    /// No key opens the file.
    #[error("cannot get the data key: {}", .0.join("; "))]
    DataKey(Vec<String>),
    /// A value was changed, moved, or encrypted with another key.
    #[error("cannot decrypt the value of `{path}`: {problem}")]
    Value {
        /// Its keys, joined by dots.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A key or value of a type that SOPS does not know.
    #[error("`{path}`: {problem}")]
    Unsupported {
        /// Its keys, joined by dots.
        path: String,
        /// What is not supported.
        problem: String,
    },
    /// The stored MAC was removed.
    #[error("the file has no MAC: it cannot be told whether it was changed")]
    NoMac,
    /// The stored MAC cannot be decrypted.
    #[error("the file's MAC cannot be decrypted: {0}")]
    BrokenMac(&'static str),
    /// Values were added, removed, moved or changed.
    #[error("MAC mismatch: the file was changed after it was encrypted")]
    MacMismatch,
    /// A value of a Secret is a file of its own, which was not decrypted.
    #[error("`data.{key}`: {source}")]
    Data {
        /// The key of the value.
        key: String,
        /// What is wrong with the file in it.
        source: Box<Error>,
    },
    /// The plaintext has no form in a format.
    #[error("write the plaintext as {format}: {problem}")]
    Write {
        /// What it should be written as.
        format: Format,
        /// Why that cannot be.
        problem: String,
    },
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        Reason("DecryptionFailed")
    }

    fn class(&self) -> Class {
        Class::Terminal
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Data { source, .. } => source.hint(),
            Self::DataKey(_) => Some("give one of the private keys that the file names under `sops`".into()),
            Self::MacMismatch | Self::NoMac | Self::BrokenMac(_) => Some(
                "restore the file from its history, or edit it with `sops` so that it is signed again".into(),
            ),
            _ => None,
        }
    }
}
