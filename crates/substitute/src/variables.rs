//! Variables by name.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::Error;

/// Variables and their values. What is set later wins. Values may come from Secrets: `Debug` shows names only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables {
    values: BTreeMap<String, Vec<u8>>,
}

impl Variables {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable; line feeds in the value are left out, as Flux does.
    pub fn set(&mut self, name: impl Into<String>, value: impl AsRef<[u8]>) {
        let value = value.as_ref().iter().copied().filter(|byte| *byte != b'\n').collect();
        self.values.insert(name.into(), value);
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.values.get(name).map(Vec::as_slice)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Refuses a name that is not of ASCII letters, digits and `_`, or that starts with a digit.
    pub fn check(&self) -> Result<(), Error> {
        match self.values.keys().find(|name| !is_name(name)) {
            Some(name) => Err(Error::Name(name.clone())),
            None => Ok(()),
        }
    }
}

impl<N: Into<String>, V: AsRef<[u8]>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut variables = Self::new();
        for (name, value) in pairs {
            variables.set(name, value);
        }
        variables
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
