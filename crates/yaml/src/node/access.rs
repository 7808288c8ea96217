//! Looking into nodes and changing them, with kyaml's rules for what a changed place keeps.

use super::{Content, Entry, Key, Node, Style, Tag};

impl Node {
    /// A scalar whose text alone decides its type.
    pub fn scalar(text: impl Into<Box<str>>) -> Self {
        Self { content: Content::Scalar(text.into()), tag: Tag::None, style: Style::PLAIN, line: 0 }
    }

    /// A text, whatever it looks like.
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self { tag: Tag::Str, ..Self::scalar(text) }
    }

    /// A null that was written as such.
    #[must_use]
    pub fn null() -> Self {
        Self { tag: Tag::Null, ..Self::scalar("null") }
    }

    /// A list.
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        Self { content: Content::List(items), tag: Tag::Seq, style: Style::PLAIN, line: 0 }
    }

    /// A map.
    #[must_use]
    pub fn map(entries: Vec<Entry>) -> Self {
        Self { content: Content::Map(entries), tag: Tag::Map, style: Style::PLAIN, line: 0 }
    }

    /// The text of a scalar that is not null.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(text) if self.tag != Tag::Null => Some(text),
            _ => None,
        }
    }

    /// Whether it is tagged as null; a scalar without a tag is not, even if it will be read as one.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.tag == Tag::Null
    }

    /// Null, an empty map or an empty list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.content {
            Content::Scalar(_) => self.is_null(),
            Content::List(items) => items.is_empty() || self.is_null(),
            Content::Map(entries) => entries.is_empty() || self.is_null(),
        }
    }

    /// The entries of a map; none of anything else.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The entries of a map, to be changed.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.content {
            Content::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of a list; none of anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a list, to be changed.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.content {
            Content::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value of a key of a map. Of a key that is written twice it is the first.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| &*entry.key.text == key).map(|entry| &entry.value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let entries = self.entries_mut()?;
        entries.iter_mut().find(|entry| &*entry.key.text == key).map(|entry| &mut entry.value)
    }

    /// The value behind several keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value behind several keys, to be changed.
    pub fn at_mut(&mut self, path: &[&str]) -> Option<&mut Self> {
        path.iter().try_fold(self, |node, key| node.get_mut(key))
    }

    /// The text behind several keys.
    #[must_use]
    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// Sets a field as kyaml does: the place keeps its style, so a quoted place makes a text of a number; a
    /// text that YAML 1.1 would not read as one gets quotes; a null removes the field. What is not a map is
    /// left alone.
    pub fn set(&mut self, key: &str, mut value: Self) {
        value.protect();
        if value.is_null() {
            self.remove(key);
            return;
        }
        let Some(entries) = self.entries_mut() else { return };
        match entries.iter_mut().find(|entry| &*entry.key.text == key) {
            Some(entry) => {
                value.style = entry.value.style;
                entry.value = value;
            }
            None => entries.push(Entry { key: Key::new(key), value }),
        }
    }

    /// Puts a value under a key as it is, whatever was there.
    pub fn put(&mut self, key: &str, value: Self) {
        let Some(entries) = self.entries_mut() else { return };
        match entries.iter_mut().find(|entry| &*entry.key.text == key) {
            Some(entry) => entry.value = value,
            None => entries.push(Entry { key: Key::new(key), value }),
        }
    }

    /// Removes a field and returns it; of a key that is written twice the first.
    pub fn remove(&mut self, key: &str) -> Option<Self> {
        let entries = self.entries_mut()?;
        let at = entries.iter().position(|entry| &*entry.key.text == key)?;
        Some(entries.remove(at).value)
    }

    /// Replaces the text of a scalar; tag and style stay, so that a number stays one.
    pub fn set_text(&mut self, text: impl Into<Box<str>>) {
        if let Content::Scalar(old) = &mut self.content {
            *old = text.into();
        }
    }

    /// Adds quotes to a plain text, or to a scalar without a tag, that YAML 1.1 would not read as a text.
    pub fn protect(&mut self) {
        if let Content::Scalar(text) = &self.content
            && matches!(self.tag, Tag::None | Tag::Str)
            && self.style == Style::PLAIN
            && super::is_yaml_1_1_non_string(text)
        {
            self.style = Style::DOUBLE;
        }
    }
}

impl Key {
    /// A plain key whose text alone decides its type.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into(), tag: Tag::None, style: Style::PLAIN, line: 0 }
    }
}
