//! An app: a name in a namespace, and the marks it leaves on its objects.

use std::collections::BTreeMap;
use std::fmt;

/// The label that names the app an object belongs to.
pub const APP_LABEL: &str = "towpath.dev/app";
/// The label that names the namespace in which that app's inventory lives.
pub const APP_NAMESPACE_LABEL: &str = "towpath.dev/app-namespace";
/// The annotation that protects an object from being pruned, with the value `disabled`.
pub const PRUNE_ANNOTATION: &str = "towpath.dev/prune";

/// The name of an app: lower-case letters, digits and `-`, at most 63 of them, so that it fits a label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppName(String);

/// Why a text is not the name of an app.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} is not a name: use lower-case letters, digits and '-', at most 63, starting and ending with a letter or digit"
)]
pub struct BadName {
    name: String,
}

impl AppName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let edge = |c: Option<char>| c.is_some_and(|c| inner(c) && c != '-');
        let good = name.len() <= 63
            && name.chars().all(inner)
            && edge(name.chars().next())
            && edge(name.chars().last());
        if good { Ok(Self(name.into())) } else { Err(BadName { name: name.chars().take(80).collect() }) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AppName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An app on a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its name.
    pub name: AppName,
    /// Where its inventory lives, and where objects go that name no namespace.
    pub namespace: String,
}

impl App {
    /// The labels that every object of the app carries.
    pub fn labels(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            (APP_LABEL.to_string(), self.name.to_string()),
            (APP_NAMESPACE_LABEL.to_string(), self.namespace.clone()),
        ])
    }

    /// The selector that finds the app's objects.
    pub fn selector(&self) -> String {
        format!("{APP_LABEL}={},{APP_NAMESPACE_LABEL}={}", self.name, self.namespace)
    }
}

impl fmt::Display for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.name, self.namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_a_label() {
        assert!(AppName::new("shop-1").is_ok());
        for bad in ["", "-a", "a-", "A", "a_b", "a.b", &"a".repeat(64)] {
            assert!(AppName::new(bad).is_err(), "{bad:?}");
        }
    }
}
