//! Names of fields and types, each kept once: most fields of most types are called the same.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(u32);

impl Name {
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// All names by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Name>,
}

impl Names {
    /// The number of a text, a new one where it has none yet.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).expect("names are fewer than bytes of a document"));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    /// The number of a text that some schema has used.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a number.
    pub(crate) fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }
}
