//! What is wrong with an object, and where.

use std::fmt;

/// One thing that the server would refuse an object for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, as people write it: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// Where, as keys and indices from the root, to find the line with. Of a missing field it ends with the
    /// field, which is not there.
    pub keys: Vec<String>,
    /// What is wrong there. Values of a Secret are never shown.
    pub message: String,
    /// Of which kind it is.
    pub kind: Kind,
}

/// The kinds of violations, told apart so that a caller can treat some of them as warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The kind has no such field. Server-side apply refuses it whatever the field validation is.
    UnknownField,
    /// A value is of another type.
    WrongType,
    /// A field has to be there.
    Missing,
    /// A value is not one of those that are possible.
    UnknownValue,
    /// Two items of a list are the same to the server.
    Duplicate,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// The way to a value, borrowed from the object while it is walked.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

/// `spec.ports[0].name`; a key that is no plain name is written as `metadata.annotations["example.com/a"]`.
pub(crate) fn path(steps: &[Step<'_>]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for step in steps {
        // Writing into a String cannot fail.
        let _ = match step {
            Step::Index(index) => write!(text, "[{index}]"),
            Step::Field(name) if !is_plain(name) => write!(text, "[{name:?}]"),
            Step::Field(name) if text.is_empty() => write!(text, "{name}"),
            Step::Field(name) => write!(text, ".{name}"),
        };
    }
    text
}

pub(crate) fn keys(steps: &[Step<'_>]) -> Vec<String> {
    let key = |step: &Step<'_>| match step {
        Step::Field(name) => (*name).to_string(),
        Step::Index(index) => index.to_string(),
    };
    steps.iter().map(key).collect()
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_people_write_them() {
        let steps = [Step::Field("spec"), Step::Field("ports"), Step::Index(0), Step::Field("name")];
        assert_eq!(path(&steps), "spec.ports[0].name");
        assert_eq!(keys(&steps), ["spec", "ports", "0", "name"]);
        let steps = [Step::Field("metadata"), Step::Field("annotations"), Step::Field("example.com/a")];
        assert_eq!(path(&steps), r#"metadata.annotations["example.com/a"]"#);
    }
}
