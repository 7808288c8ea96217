//! What can be wrong with a template.

use thiserror::Error;
use towpath_failure::{Class, Failure, Reason};

/// A template that does not parse, or that fails while it is executed. The texts are Go's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// The text is no template.
    #[error("{0}")]
    Parse(String),
    /// Executing it failed: the template's name and the whole message.
    #[error("{message}")]
    Execute {
        /// The template that was being executed.
        template: String,
        /// What Go says, from `template: ` on.
        message: String,
    },
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        match self {
            Error::Parse(_) => Reason("TemplateInvalid"),
            Error::Execute { .. } => Reason("TemplateFailed"),
        }
    }

    fn class(&self) -> Class {
        Class::Terminal
    }
}
