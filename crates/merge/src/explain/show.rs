//! An explanation as text: one line per field.

use std::fmt;

use serde_json::Value;

use super::{Explanation, Field, Reason};
use crate::diff::Kind;
use crate::literal::Literal;

/// Longer values are cut.
const LONGEST: usize = 80;

/// The changes; in the alternate form (`{:#}`) also what is left as it is.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for field in &self.changes {
            writeln!(f, "{field}")?;
        }
        if f.alternate() {
            for field in &self.notes {
                writeln!(f, "{field}")?;
            }
        }
        Ok(())
    }
}

/// `spec.replicas: 1 -> 2 (desired)`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        let stays = !matches!(self.reason, Reason::Desired | Reason::RemovedByUs | Reason::IgnoredBy(_));
        match (self.kind, &self.before, &self.after) {
            (Kind::Reordered, ..) => f.write_str("in another order")?,
            (_, Some(before), None) if stays => f.write_str(&short(before))?,
            (_, Some(before), None) => write!(f, "{} -> nothing", short(before))?,
            (_, None, Some(after)) => write!(f, "nothing -> {}", short(after))?,
            (_, Some(before), Some(after)) => write!(f, "{} -> {}", short(before), short(after))?,
            (_, None, None) => f.write_str("nothing")?,
        }
        write!(f, " ({})", self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Desired => f.write_str("desired"),
            Self::RemovedByUs => f.write_str("removed"),
            Self::DefaultedByServer => f.write_str("set by the server"),
            Self::OwnedBy(manager) => write!(f, "owned by {manager}"),
            Self::IgnoredBy(rule) => write!(f, "ignored by {rule}"),
            Self::LiveOnly => f.write_str("live only"),
        }
    }
}

fn short(value: &Value) -> String {
    let text = Literal::from(value.clone()).to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
