//! What can be wrong with a template or its variables.

use towpath_failure::{Class, Failure, Reason};

/// A template that cannot be read. The texts are those of Flux's library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Something that no rule covers.
    #[error("bad substitution")]
    Substitution,
    /// `${name` and then neither an operator nor `}`.
    #[error("missing closing brace")]
    ClosingBrace,
    /// `${` and then no name.
    #[error("unable to parse variable name")]
    VariableName,
    /// An operator without its argument.
    #[error("unable to parse substitution within function")]
    Argument,
    /// `${name:=` and its like, cut off.
    #[error("unable to parse default function")]
    Default,
    /// Nested beyond our limit.
    #[error("expressions are nested more than {0} levels deep")]
    Depth(usize),
}

/// A template that cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// In strict mode: no such variable and no default.
    #[error("variable not set (strict mode): {0:?}")]
    NotSet(String),
    /// The result outgrows our limit.
    #[error("the result is larger than {0} bytes")]
    Size(usize),
    /// A pattern that takes too long on a value.
    #[error("the pattern behind `${{{0}` takes too long on its value")]
    Work(String),
}

/// Why an object was not substituted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A variable whose name could not be written in a template.
    #[error("'{0}' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'")]
    Name(String),
    /// The object's text is no template.
    #[error("variable substitution failed")]
    Parse(#[source] ParseError),
    /// The template could not be filled in.
    #[error("variable substitution failed")]
    Expand(#[source] ExpandError),
    /// The object's text is not YAML any more. What the YAML reader says is left out: it may quote a value.
    #[error("after substitution the object is not valid YAML: line {line}, column {column}")]
    Yaml {
        /// The line in the object's substituted text, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A value is not text, or was cut inside a character.
    #[error("after substitution `{0}` is not UTF-8")]
    NotText(String),
    /// Two keys of one map became the same.
    #[error("after substitution two keys of `{0}` are the same")]
    SameKey(String),
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        Reason("BuildFailed")
    }

    fn class(&self) -> Class {
        Class::Terminal
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Expand(ExpandError::NotSet(name)) => Some(format!(
                "set `{name}`, give a default as `${{{name}:=value}}`, or write `$${{{name}}}` for the text itself"
            )),
            Self::Parse(_) => Some("write `$${` for a literal `${`".into()),
            Self::Yaml { .. } => Some("use typed substitution, which keeps every value a string".into()),
            _ => None,
        }
    }
}
