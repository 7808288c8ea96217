//! What went wrong in a text, and where.

/// Why a text was refused. Stable, so that callers and the conformance run can tell classes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The bytes are not text: bad UTF-8 or UTF-16, or control characters.
    Encoding,
    /// The text is not YAML.
    Syntax,
    /// Something follows a document without a `---` line.
    Trailing,
    /// A key is written twice in one mapping.
    Duplicate,
    /// YAML that has no JSON counterpart: `.inf`, a null key, a value that contradicts its tag.
    Value,
    /// A budget of [`crate::Limits`] is spent: nesting, nodes, alias expansion.
    Limit,
}

/// A refused text: where, what, and what to do about it. Line and column count from 1, in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Error {
    /// The line of the problem.
    pub line: u32,
    /// The column of the problem.
    pub column: u32,
    /// What is wrong there.
    pub message: String,
    /// What the person may do, as one sentence without a final stop.
    pub hint: Option<&'static str>,
    /// The class of the problem.
    pub kind: Kind,
}

/// A place in the text; line and column count from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub line: u32,
    pub column: u32,
}

impl Mark {
    pub fn error(self, kind: Kind, message: impl Into<String>) -> Error {
        Error {
            line: self.line.saturating_add(1),
            column: self.column.saturating_add(1),
            message: message.into(),
            hint: None,
            kind,
        }
    }

    pub fn syntax(self, message: impl Into<String>) -> Error {
        self.error(Kind::Syntax, message)
    }
}

impl Error {
    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}
