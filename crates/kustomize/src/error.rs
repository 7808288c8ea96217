//! Why a build failed.

use towpath_failure::{Class, Failure, Reason};

/// A build that could not be finished. The text is upstream's where upstream has one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is wrong.
    #[error("{0}")]
    Invalid(String),
    /// A file is not YAML.
    #[error("{0}")]
    Malformed(String),
    /// A file or folder cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// A file is encrypted and cannot be opened.
    #[error("cannot decrypt '{path}': {reason}")]
    Encrypted {
        /// The file.
        path: String,
        /// Why not; never with any of its content.
        reason: String,
    },
    /// The build would cost too much.
    #[error("{0}")]
    Limit(String),
    /// Something lies on another machine.
    #[error("'{0}' is remote, and this build does not fetch")]
    Remote(String),
    /// A chart is to be rendered.
    #[error("chart '{0}' cannot be rendered: Helm charts in a kustomization are not supported yet")]
    Chart(String),
    /// A program outside of this one is to be run.
    #[error("{0}")]
    Plugin(String),
    /// Where a failure happened.
    #[error("{context}: {source}")]
    In {
        /// What was being done, in upstream's words.
        context: String,
        /// What went wrong there.
        source: Box<Error>,
    },
}

impl Error {
    /// An error about wrong input.
    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }

    /// The error with what was being done in front of it.
    pub(crate) fn within(self, context: impl Into<String>) -> Self {
        Self::In { context: context.into(), source: Box::new(self) }
    }

    /// The innermost error.
    pub fn root(&self) -> &Self {
        match self {
            Self::In { source, .. } => source.root(),
            other => other,
        }
    }

    /// Whether a file was read but is of no use: the path does not mean a folder then.
    pub(crate) fn is_about_content(&self) -> bool {
        matches!(self.root(), Self::Malformed(_) | Self::Encrypted { .. } | Self::Limit(_))
    }

    /// Whether it is about another machine.
    pub(crate) fn is_remote(&self) -> bool {
        matches!(self.root(), Self::Remote(_))
    }
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        Reason(match self.root() {
            Self::Invalid(_) | Self::In { .. } => "BuildFailed",
            Self::Malformed(_) => "MalformedYaml",
            Self::Unreadable(_) => "FileUnreadable",
            Self::Encrypted { .. } => "DecryptionFailed",
            Self::Limit(_) => "LimitExceeded",
            Self::Remote(_) => "RemoteRefused",
            Self::Chart(_) => "ChartRefused",
            Self::Plugin(_) => "PluginRefused",
        })
    }

    /// The same files give the same error.
    fn class(&self) -> Class {
        Class::Terminal
    }

    fn hint(&self) -> Option<String> {
        let hint = match self.root() {
            Self::Unreadable(text) if text.starts_with("security;") => {
                "move the file below the kustomization, or build with --load-restrictor LoadRestrictionsNone"
            }
            Self::Limit(_) => "build the tree in parts",
            Self::Remote(_) => "copy it into the tree, or have a source fetch it first",
            Self::Chart(_) => "render the chart with helm and list the result under resources",
            Self::Plugin(text) if text.starts_with("external plugins disabled") => {
                "allow the program with --allow-command, or run the function before the build and list its result \
                 under resources"
            }
            Self::Plugin(_) => "run the function before the build and list its result under resources",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Adds what was being done to an error.
pub(crate) trait Within<T> {
    /// Puts the context in front of the error, if there is one.
    fn within<S: Into<String>>(self, context: impl FnOnce() -> S) -> Result<T, Error>;
}

impl<T> Within<T> for Result<T, Error> {
    fn within<S: Into<String>>(self, context: impl FnOnce() -> S) -> Result<T, Error> {
        self.map_err(|error| error.within(context()))
    }
}
