//! What every error of Towpath can say of itself.
//!
//! In: nothing. Out: [`Failure`], implemented by each room's error enum. A failure has a stable
//! [`Reason`] (for conditions, events, metrics and the page that explains it), a [`Class`] that alone
//! decides whether to try again, and where we know one a hint: what the person should do next.

use std::error::Error;
use std::fmt;

/// A stable CamelCase word for a kind of failure, for example `Forbidden`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(pub &'static str);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What to do about a failure. Nothing else decides a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It may work when tried again soon: a cut connection, a busy server.
    Transient,
    /// It will work when something else has happened: a dependency, a readiness.
    Waiting,
    /// It fails until a person or a new revision changes something.
    Terminal,
}

/// An error that can be acted upon.
pub trait Failure: Error {
    /// The stable word for what went wrong.
    fn reason(&self) -> Reason;

    /// Whether trying again can help.
    fn class(&self) -> Class;

    /// What the person may do, as one sentence without a final stop.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// The whole chain of an error on one line: `outer: inner: innermost`, without repeating a message that a
/// source's own text already ends with.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let message = inner.to_string();
        if !text.ends_with(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(std::fmt::Error);
    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("write the page")
        }
    }
    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_chain_reads_from_the_outside_in() {
        let text = chain(&Outer(fmt::Error));
        assert_eq!(text, format!("write the page: {}", fmt::Error));
    }
}
