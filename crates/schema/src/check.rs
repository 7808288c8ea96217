//! The walk over an object beside its schema.

use serde_json::{Map as Fields, Value};
use towpath_object::Gvk;

use crate::fit::{expected, fits, merges, same, shorten};
use crate::names::Name;
use crate::node::{Document, Id, Map, Node, Shape};
use crate::schemas::Schemas;
use crate::text;
use crate::violation::{Kind, Step, Violation, keys, path};

/// More than this nobody reads.
const MOST: usize = 100;

impl Schemas {
    /// What a server-side apply of a new object would be refused for, as far as schemas tell; nothing for a kind
    /// that is not known.
    pub fn check(&self, gvk: &Gvk, object: &Value) -> Vec<Violation> {
        let mut walk = Walk {
            schemas: self,
            steps: Vec::new(),
            found: Vec::new(),
            secret: gvk.group.is_empty() && gvk.kind == "Secret",
            dropped: false,
        };
        if let Some(root) = self.root(gvk)
            && let Some(document) = self.document(root)
        {
            walk.value(document, root.node, object);
        }
        walk.found
    }
}

pub(crate) struct Walk<'a> {
    pub(crate) schemas: &'a Schemas,
    pub(crate) steps: Vec<Step<'a>>,
    found: Vec<Violation>,
    /// Values must not be shown.
    pub(crate) secret: bool,
    /// We are inside what the server looks at when it merges and then drops, the status above all: only its
    /// form matters, not what is required there and which values are possible.
    pub(crate) dropped: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn value(&mut self, document: &'a Document, id: Id, value: &'a Value) {
        let Some(written) = document.node(id) else { return };
        let Some((document, node)) = self.resolve(document, id) else { return };
        if value.is_null() {
            let free = written.nullable || node.nullable || matches!(node.shape, Shape::Anything);
            if !free && !self.dropped {
                self.wrong_type(node, value);
            }
            return;
        }
        // A custom resource's metadata is merged like the rest, but what then cannot be read of it is passed over.
        let dropped = self.dropped;
        self.dropped |= is_metadata(written);
        match (&node.shape, value) {
            (Shape::Map(map), Value::Object(fields)) => self.map(document, map, fields),
            (Shape::List(list), Value::Array(items)) => self.list(document, list, items),
            (shape, value) if self.dropped => {
                if !merges(shape, value) {
                    self.wrong_type(node, value);
                }
            }
            (shape, value) if !fits(shape, value) => self.wrong_type(node, value),
            _ => self.possible(node, value),
        }
        self.dropped = dropped;
    }

    /// The node behind all names and the document it is in.
    pub(crate) fn resolve(&self, document: &'a Document, id: Id) -> Option<(&'a Document, &'a Node)> {
        if !is_metadata(document.node(id)?) {
            return Some((document, document.resolve(id)?));
        }
        let root = self.schemas.metadata()?;
        let document = self.schemas.document(root)?;
        Some((document, document.resolve(root.node)?))
    }

    fn map(&mut self, document: &'a Document, map: &'a Map, fields: &'a Fields<String, Value>) {
        // In the order of the names: whether a mapping keeps that of the text is decided elsewhere.
        let mut sorted: Vec<_> = fields.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in sorted {
            let name = self.schemas.names.find(key);
            let property = name.and_then(|name| map.property(name));
            let at_status = self.steps.is_empty() && key == "status";
            self.steps.push(Step::Field(key));
            self.dropped |= at_status;
            match property.or(map.rest) {
                Some(id) => self.value(document, id, value),
                None if map.open => {}
                None => self.unknown(map, key),
            }
            self.dropped &= !at_status;
            self.steps.pop();
        }
        if !self.dropped {
            for name in &map.required {
                self.require(*name, fields);
            }
        }
    }

    pub(crate) fn require(&mut self, name: Name, fields: &Fields<String, Value>) {
        let field = self.schemas.names.text(name);
        // Null is absence to built-in types, and a wrong type, said already, to custom ones.
        if !fields.contains_key(field) {
            self.steps.push(Step::Field(field));
            self.add(Kind::Missing, "is required".into());
            self.steps.pop();
        }
    }

    fn possible(&mut self, node: &Node, value: &Value) {
        if node.values.is_empty() || node.values.iter().any(|one| same(one, value)) {
            return;
        }
        let values: Vec<String> =
            node.values.iter().filter(|one| one.as_str() != Some("")).map(Value::to_string).collect();
        let message = format!("expected one of {}, found {}", values.join(", "), self.describe(value));
        self.add(Kind::UnknownValue, message);
    }

    fn unknown(&mut self, map: &Map, written: &str) {
        let known = map.properties.iter().map(|(name, _)| self.schemas.names.text(*name));
        let message = match text::nearest(written, known) {
            Some(meant) => format!("unknown field, did you mean {meant:?}?"),
            None => "unknown field".into(),
        };
        self.add(Kind::UnknownField, message);
    }

    fn wrong_type(&mut self, node: &Node, value: &Value) {
        let message = format!("expected {}, found {}", expected(&node.shape), self.describe(value));
        self.add(Kind::WrongType, message);
    }

    fn describe(&self, value: &Value) -> String {
        let shown = match value {
            Value::Null => return "null".into(),
            Value::Array(_) => return "a list".into(),
            Value::Object(_) => return "a mapping".into(),
            Value::Bool(flag) => format!("{flag}"),
            Value::Number(number) => format!("the number {number}"),
            Value::String(text) => format!("the string {:?}", shorten(text)),
        };
        match value {
            _ if !self.secret => shown,
            Value::Bool(_) => "a boolean".into(),
            Value::Number(_) => "a number".into(),
            _ => "a string".into(),
        }
    }

    pub(crate) fn add(&mut self, kind: Kind, message: String) {
        if self.found.len() < MOST {
            self.found.push(Violation { path: path(&self.steps), keys: keys(&self.steps), message, kind });
        }
    }
}

fn is_metadata(node: &Node) -> bool {
    matches!(node.shape, Shape::Metadata)
}
