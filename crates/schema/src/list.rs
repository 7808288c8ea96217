//! Lists: the server merges many of them by key, and refuses items that cannot be told apart.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Map as Fields, Value};

use crate::check::Walk;
use crate::names::Name;
use crate::node::{Document, Identity, List, Node, Shape};
use crate::violation::{Kind, Step};

impl<'a> Walk<'a> {
    pub(crate) fn list(&mut self, document: &'a Document, list: &'a List, items: &'a [Value]) {
        for (index, item) in items.iter().enumerate() {
            self.steps.push(Step::Index(index));
            match (&list.identity, item) {
                (Identity::Keys(_) | Identity::Itself, Value::Null) => {
                    self.add(Kind::WrongType, "expected an item, found null".into());
                    self.steps.pop();
                    continue;
                }
                (Identity::Keys(keys), Value::Object(fields)) => self.identify(document, list, keys, fields),
                _ => {}
            }
            self.value(document, list.items, item);
            self.steps.pop();
        }
        self.duplicates(document, list, items);
    }

    /// An item that has none of the fields that identify it cannot be merged.
    fn identify(
        &mut self,
        document: &'a Document,
        list: &List,
        keys: &[Name],
        fields: &Fields<String, Value>,
    ) {
        let named = |key: &Name| {
            fields.contains_key(self.schemas.names.text(*key)) || self.default(document, list, *key).is_some()
        };
        if keys.iter().any(named) {
            return;
        }
        let already = match self.resolve(document, list.items) {
            Some((_, Node { shape: Shape::Map(map), .. })) if !self.dropped => &*map.required,
            _ => &[],
        };
        for key in keys.iter().filter(|key| !already.contains(key)) {
            self.require(*key, fields);
        }
    }

    fn duplicates(&mut self, document: &'a Document, list: &List, items: &'a [Value]) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for (index, item) in items.iter().enumerate() {
            let Some(identity) = self.identity(document, list, item) else { continue };
            match seen.get(&identity) {
                None => {
                    seen.insert(identity, index);
                }
                Some(first) => {
                    let what = if self.secret { String::new() } else { format!(": {identity}") };
                    let message = format!("is the same item as [{first}]{what}");
                    self.steps.push(Step::Index(index));
                    self.add(Kind::Duplicate, message);
                    self.steps.pop();
                }
            }
        }
    }

    /// What tells an item apart from others, as a text; nothing where the server does not look or where part of
    /// it is unsaid.
    fn identity(&self, document: &'a Document, list: &List, item: &Value) -> Option<String> {
        match &list.identity {
            Identity::Atomic => None,
            Identity::Itself => (item.is_string() || item.is_number()).then(|| item.to_string()),
            Identity::Keys(keys) => {
                let mut text = String::new();
                for key in keys {
                    let field = self.schemas.names.text(*key);
                    let value = item.get(field).or_else(|| self.default(document, list, *key))?;
                    if !(value.is_string() || value.is_number() || value.is_boolean()) {
                        return None;
                    }
                    let comma = if text.is_empty() { "" } else { ", " };
                    // Writing into a String cannot fail.
                    let _ = write!(text, "{comma}{field} {value}");
                }
                (!text.is_empty()).then_some(text)
            }
        }
    }

    /// The default of a field of the list's items.
    fn default(&self, document: &'a Document, list: &List, field: Name) -> Option<&'a Value> {
        let (document, node) = self.resolve(document, list.items)?;
        let Shape::Map(map) = &node.shape else { return None };
        document.node(map.property(field)?)?.default.as_deref()
    }
}
