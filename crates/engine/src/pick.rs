//! Which part of an app a run is about.

use std::fmt;
use std::str::FromStr;

use towpath_object::{Key, LabelSelector};

/// Which part of an app a run is about. What is not picked is neither applied nor deleted, and stays in the inventory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// All of it.
    #[default]
    All,
    /// All objects, without running any hook.
    NoHooks,
    /// The objects with these labels and of these waves, without running any hook.
    Part {
        /// Their labels, as they are written.
        labels: LabelSelector,
        /// Their waves.
        waves: Waves,
    },
    /// These hooks and nothing else.
    Hooks(Vec<HookName>),
}

/// A range of waves, both ends included; an end that is missing is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waves {
    first: Option<i64>,
    last: Option<i64>,
}

/// Why a text is no range of waves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a wave: use N, N..M, N.. or ..M")]
pub struct BadWaves {
    text: String,
}

impl Waves {
    /// True when the wave is in the range.
    pub fn has(self, wave: i64) -> bool {
        self.first.is_none_or(|first| first <= wave) && self.last.is_none_or(|last| wave <= last)
    }
}

impl FromStr for Waves {
    type Err = BadWaves;

    fn from_str(text: &str) -> Result<Self, BadWaves> {
        let bad = || BadWaves { text: text.into() };
        let end = |text: &str| match text.trim() {
            "" => Ok(None),
            number => number.parse().map(Some).map_err(|_| bad()),
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (end(first)?, end(last)?),
            None => (end(text)?, end(text)?),
        };
        let backwards = matches!((first, last), (Some(first), Some(last)) if first > last);
        if backwards || (first, last) == (None, None) { Err(bad()) } else { Ok(Self { first, last }) }
    }
}

/// A hook as a person names it: `NAME`, or `KIND/NAME` where several kinds have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookName {
    kind: Option<String>,
    name: String,
}

impl HookName {
    /// Reads it.
    pub fn new(text: &str) -> Self {
        match text.split_once('/') {
            Some((kind, name)) => Self { kind: Some(kind.into()), name: name.into() },
            None => Self { kind: None, name: text.into() },
        }
    }

    pub(crate) fn is(&self, key: &Key) -> bool {
        self.name == key.name && self.kind.as_ref().is_none_or(|kind| kind.eq_ignore_ascii_case(&key.kind))
    }
}

impl fmt::Display for HookName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Some(kind) => write!(f, "{kind}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_their_ends() {
        let has = |text: &str, wave| text.parse::<Waves>().unwrap().has(wave);
        assert!(has("3", 3) && !has("3", 4));
        assert!(has("-1..1", -1) && has("-1..1", 1) && !has("-1..1", 2));
        assert!(has("2..", 9) && !has("2..", 1) && has("..0", -5));
        for bad in ["", "..", "x", "3..1", "1...2"] {
            assert!(bad.parse::<Waves>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_hook_is_named_with_or_without_its_kind() {
        let key = Key::new("batch", "Job", "web", "migrate");
        assert!(HookName::new("migrate").is(&key) && HookName::new("job/migrate").is(&key));
        assert!(!HookName::new("Pod/migrate").is(&key) && !HookName::new("other").is(&key));
    }
}
