//! Texts that many rows share, each kept once: a row holds a number of four bytes instead.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(u32);

/// All texts. None is ever forgotten: groups, kinds, namespaces, units and managers are few beside the objects.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Name>,
}

impl Names {
    /// The number of a text, a new one if need be.
    pub(crate) fn take(&mut self, text: &str) -> Name {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let name =
            Name(u32::try_from(self.texts.len()).expect("fewer than four billion names fit in memory"));
        let shared: Arc<str> = text.into();
        self.texts.push(Arc::clone(&shared));
        self.numbers.insert(shared, name);
        name
    }

    /// The number of a text that some row may have.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a number.
    pub(crate) fn text(&self, name: Name) -> &str {
        self.shared(name).map_or("", |text| text)
    }

    /// The text of a number, to be kept.
    pub(crate) fn shared(&self, name: Name) -> Option<&Arc<str>> {
        self.texts.get(usize::try_from(name.0).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number() {
        let mut names = Names::default();
        let (web, shop) = (names.take("web"), names.take("shop"));
        assert_eq!(names.take("web"), web);
        assert_ne!(web, shop);
        assert_eq!((names.text(shop), names.find("shop"), names.find("x")), ("shop", Some(shop), None));
    }
}
