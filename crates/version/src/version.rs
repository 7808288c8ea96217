//! One version.

use std::cmp::Ordering;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use thiserror::Error;

static FORM: LazyLock<Regex> = LazyLock::new(|| {
    const PART: &str = r"[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*";
    let form = format!(r"^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?(?:-({PART}))?(?:\+({PART}))?$");
    Regex::new(&form).expect("a valid expression")
});

/// What is wrong with a version or a constraint; the texts are the library's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// No version at all.
    #[error("Invalid Semantic Version")]
    Version,
    /// A number that is too large.
    #[error("Error parsing version segment: strconv.ParseUint: parsing {0:?}: value out of range")]
    Segment(String),
    /// A number with a leading zero in the pre-release.
    #[error("Version segment starts with 0")]
    LeadingZero,
    /// No constraint.
    #[error("improper constraint: {0}")]
    Constraint(String),
    /// A version within a constraint.
    #[error("constraint Parser Error")]
    WithinConstraint,
}

/// A version: three numbers, what precedes its release, and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names that everybody knows")]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pub pre: String,
    pub metadata: String,
    /// As it was written.
    pub original: String,
}

impl Version {
    /// Reads a version; a leading `v` and missing numbers are allowed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        // A line feed at the end is none of the version, though an expression may allow it.
        let groups = FORM.captures(text).ok_or(Error::Version)?;
        let group = |index| groups.get(index).map_or("", |found| found.as_str());
        let number = |index| match group(index).trim_start_matches('.') {
            "" => Ok(0),
            digits => digits.parse().map_err(|_| Error::Segment(digits.to_owned())),
        };
        let pre = group(4);
        let leading_zero = |part: &str| {
            part.len() > 1 && part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let version = Self {
            major: number(1)?,
            minor: number(2)?,
            patch: number(3)?,
            pre: pre.to_owned(),
            metadata: group(5).to_owned(),
            original: text.to_owned(),
        };
        if pre.split('.').any(leading_zero) {
            return Err(Error::LeadingZero);
        }
        Ok(version)
    }

    /// The order of versions; notes do not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| compare_pre(&self.pre, &other.pre))
    }

    /// The next release: of a pre-release, the release itself.
    #[must_use]
    pub fn next_patch(&self) -> Self {
        let patch = if self.pre.is_empty() { self.patch.wrapping_add(1) } else { self.patch };
        self.released(self.major, self.minor, patch)
    }

    /// The next minor version.
    #[must_use]
    pub fn next_minor(&self) -> Self {
        self.released(self.major, self.minor.wrapping_add(1), 0)
    }

    /// The next major version.
    #[must_use]
    pub fn next_major(&self) -> Self {
        self.released(self.major.wrapping_add(1), 0, 0)
    }

    fn released(&self, major: u64, minor: u64, patch: u64) -> Self {
        let prefix = if self.original.starts_with('v') { "v" } else { "" };
        let original = format!("{prefix}{major}.{minor}.{patch}");
        Self { major, minor, patch, pre: String::new(), metadata: String::new(), original }
    }
}

/// All three numbers, whatever was written.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

/// Nothing is later than a pre-release; parts go by number, then by text; fewer parts come first.
pub(crate) fn compare_pre(one: &str, other: &str) -> Ordering {
    match (one.is_empty(), other.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let (mut ones, mut others) = (one.split('.'), other.split('.'));
    loop {
        let order = match (ones.next(), others.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(one), Ok(other)) => one.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
        if order.is_ne() {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        let version = |text| Version::parse(text).unwrap();
        let ordered =
            ["1", "1.0.1-alpha", "1.0.1-alpha.1", "1.0.1-alpha.beta", "1.0.1-rc.2", "1.0.1-rc.10", "v1.0.1"];
        for pair in ordered.windows(2) {
            assert!(version(pair[0]).compare(&version(pair[1])).is_lt(), "{pair:?}");
        }
        assert_eq!(version("v1.2+a").to_string(), "1.2.0+a");
        assert_eq!(Version::parse("1.2.3-01"), Err(Error::LeadingZero));
        assert_eq!(Version::parse("x"), Err(Error::Version));
    }
}
