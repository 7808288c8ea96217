//! Constraints: alternatives of conditions that all hold.

use std::sync::LazyLock;

use regex::Regex;

use crate::version::{Error, Version, compare_pre};

const NUMBERS: &str = r"v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?";
const REST: &str = r"(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?";
const OPERATORS: &str = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^";

static ONE: LazyLock<Regex> =
    LazyLock::new(|| expression(&format!(r"^\s*({OPERATORS})\s*({NUMBERS}{REST})\s*$")));
static RANGE: LazyLock<Regex> =
    LazyLock::new(|| expression(&format!(r"\s*({NUMBERS}{REST})\s+-\s+({NUMBERS}{REST})\s*")));
static FIND: LazyLock<Regex> = LazyLock::new(|| expression(&format!(r"({OPERATORS})\s*({NUMBERS}{REST})")));
static VALID: LazyLock<Regex> = LazyLock::new(|| {
    let one = format!(r"({OPERATORS})\s*({NUMBERS}{REST})\s*");
    expression(&format!(r"^(\s*{one})((?:\s+|,\s*){one})*$"))
});

/// Go's classes are ASCII's.
fn expression(text: &str) -> Regex {
    Regex::new(&text.replace(r"\s", r"[\t\n\f\r ]")).expect("a valid expression")
}

/// Alternatives, each of conditions that must all hold.
#[derive(Clone, Debug)]
pub struct Constraints {
    alternatives: Vec<Vec<Condition>>,
}

/// A version with an operator, and which of its numbers were left open.
#[derive(Clone, Debug)]
struct Condition {
    operator: String,
    version: Version,
    /// Anything was left open.
    open: bool,
    minor_open: bool,
    patch_open: bool,
}

impl Constraints {
    /// Reads constraints.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = with_ranges(text);
        let alternatives = text.split("||").map(|part| {
            if !VALID.is_match(part) {
                return Err(Error::Constraint(part.to_owned()));
            }
            FIND.find_iter(part).map(|found| Condition::parse(found.as_str())).collect()
        });
        Ok(Self { alternatives: alternatives.collect::<Result<_, _>>()? })
    }

    /// Whether the version is within.
    pub fn matches(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|all| all.iter().all(|condition| condition.matches(version)))
    }
}

/// `1.2 - 1.4` as two conditions.
fn with_ranges(text: &str) -> String {
    let mut out = text.to_owned();
    for found in RANGE.captures_iter(text) {
        let group = |index| found.get(index).map_or("", |group| group.as_str());
        out = out.replacen(group(0), &format!(">= {}, <= {} ", group(1), group(11)), 1);
    }
    out
}

impl Condition {
    fn parse(text: &str) -> Result<Self, Error> {
        let groups = ONE.captures(text).ok_or_else(|| Error::Constraint(text.to_owned()))?;
        let group = |index| groups.get(index).map_or("", |found| found.as_str());
        let any = |index| matches!(group(index).trim_start_matches('.'), "" | "x" | "X" | "*");
        let (major, minor, pre) = (group(3), group(4), group(6));
        let (mut minor_open, mut patch_open) = (false, false);
        let version = if any(3) {
            format!("0.0.0{pre}")
        } else if any(4) {
            minor_open = true;
            format!("{major}.0.0{pre}")
        } else if any(5) {
            patch_open = true;
            format!("{major}{minor}.0{pre}")
        } else {
            group(2).to_owned()
        };
        Ok(Self {
            operator: group(1).to_owned(),
            version: Version::parse(&version).map_err(|_| Error::WithinConstraint)?,
            open: any(3) || minor_open || patch_open,
            minor_open,
            patch_open,
        })
    }

    fn matches(&self, version: &Version) -> bool {
        // A pre-release is wanted only by who names one.
        let pre_unwanted = !version.pre.is_empty() && self.version.pre.is_empty();
        let order = version.compare(&self.version);
        match self.operator.as_str() {
            "!=" => self.differs(version),
            _ if pre_unwanted => false,
            ">" => self.greater(version),
            "<" => order.is_lt(),
            ">=" | "=>" => order.is_ge(),
            "<=" | "=<" => self.at_most(version),
            "~" | "~>" => self.tilde(version),
            "^" => self.caret(version),
            _ if self.open => self.tilde(version),
            _ => order.is_eq(),
        }
    }

    fn differs(&self, version: &Version) -> bool {
        let own = &self.version;
        if self.open {
            if !version.pre.is_empty() && own.pre.is_empty() {
                return false;
            }
            if own.major != version.major || own.minor != version.minor && !self.minor_open {
                return true;
            }
            if self.minor_open {
                return false;
            }
            if own.patch != version.patch && !self.patch_open {
                return true;
            }
            if self.patch_open {
                return compare_pre(&version.pre, &own.pre).is_ne();
            }
        }
        version.compare(own).is_ne()
    }

    fn greater(&self, version: &Version) -> bool {
        let own = &self.version;
        if !self.open || version.major == own.major && !self.minor_open && !self.patch_open {
            return version.compare(own).is_gt();
        }
        match version.major.cmp(&own.major) {
            std::cmp::Ordering::Equal if self.minor_open => false,
            std::cmp::Ordering::Equal => version.minor > own.minor,
            order => order.is_gt(),
        }
    }

    fn at_most(&self, version: &Version) -> bool {
        let own = &self.version;
        if !self.open {
            return version.compare(own).is_le();
        }
        version.major < own.major
            || version.major == own.major && (version.minor <= own.minor || self.minor_open)
    }

    fn tilde(&self, version: &Version) -> bool {
        let own = &self.version;
        if version.compare(own).is_lt() {
            return false;
        }
        let any = (own.major, own.minor, own.patch) == (0, 0, 0) && !self.minor_open && !self.patch_open;
        any || version.major == own.major && (version.minor == own.minor || self.minor_open)
    }

    fn caret(&self, version: &Version) -> bool {
        let own = &self.version;
        if version.compare(own).is_lt() {
            return false;
        }
        if own.major > 0 || self.minor_open {
            return version.major == own.major;
        }
        if version.major > 0 {
            return false;
        }
        if own.minor > 0 || self.patch_open {
            return version.minor == own.minor;
        }
        version.minor == 0 && version.patch == own.patch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_hold_or_not() {
        let holds = |constraint: &str, version: &str| {
            Constraints::parse(constraint).unwrap().matches(&Version::parse(version).unwrap())
        };
        for (constraint, version) in [
            ("^1.2.0", "1.3.0"),
            (">=1.2.0-0", "1.3.0-alpha"),
            ("1.2.x", "1.2.7"),
            ("~1.2", "1.2.9"),
            ("*", "3.0.0"),
            ("1.2 - 1.4", "1.4.5"),
            (">1.2, <2 || ^3", "3.9.0"),
            ("^0.2.3", "0.2.9"),
            ("!=1.2", "1.3.0"),
        ] {
            assert!(holds(constraint, version), "{constraint} {version}");
        }
        for (constraint, version) in [
            ("^1.2.0", "1.3.0-alpha"),
            ("^0.2.3", "0.3.0"),
            ("~1.2.3", "1.3.0"),
            (">1", "1.9.0"),
            ("<=1.1", "1.2.0"),
        ] {
            assert!(!holds(constraint, version), "{constraint} {version}");
        }
        assert_eq!(Constraints::parse("a").unwrap_err().to_string(), "improper constraint: a");
    }
}
