//! Where credentials are found: variables and files, as values, so that a test has its own.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::error::Error;

/// A process' variables and its home folder. `Debug` shows names only.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    home: Option<PathBuf>,
}

impl Environment {
    /// That of this process. Variables that are not text are left out.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self { variables: variables.collect(), home: std::env::home_dir() }
    }

    /// One with these variables; `HOME` among them is the home folder.
    pub fn new<N: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let variables: BTreeMap<String, String> =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let home = variables.get("HOME").map(PathBuf::from);
        Self { variables, home }
    }

    /// A variable that is set, and not to nothing.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A variable that says yes.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// A path below the home folder.
    pub(crate) fn at_home(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(path))
    }
}

/// The text of a file that must be there.
pub(crate) fn file(path: &Path) -> Result<Zeroizing<String>, Error> {
    std::fs::read_to_string(path).map(Zeroizing::new).map_err(|error| Error::Credentials {
        problem: format!("read {}: {error}", path.display()),
        hint: None,
    })
}

/// The text of a file that may be missing.
pub(crate) fn file_if_any(path: &Path) -> Result<Option<Zeroizing<String>>, Error> {
    if path.exists() { file(path).map(Some) } else { Ok(None) }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
