//! The walk over an object beside its schema.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Map as Fields, Value};
use towpath_object::Gvk;

use crate::names::Name;
use crate::node::{Document, Id, Identity, List, Map, Node, Shape};
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

struct Walk<'a> {
    schemas: &'a Schemas,
    steps: Vec<Step<'a>>,
    found: Vec<Violation>,
    /// Values must not be shown.
    secret: bool,
    /// We are inside what the server looks at when it merges and then drops, the status above all: only its
    /// form matters, not what is required there and which values are possible.
    dropped: bool,
}

impl<'a> Walk<'a> {
    fn value(&mut self, document: &'a Document, id: Id, value: &'a Value) {
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
    fn resolve(&self, document: &'a Document, id: Id) -> Option<(&'a Document, &'a Node)> {
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

    fn require(&mut self, name: Name, fields: &Fields<String, Value>) {
        let field = self.schemas.names.text(name);
        // Null is absence to built-in types, and a wrong type, said already, to custom ones.
        if !fields.contains_key(field) {
            self.steps.push(Step::Field(field));
            self.add(Kind::Missing, "is required".into());
            self.steps.pop();
        }
    }

    fn list(&mut self, document: &'a Document, list: &'a List, items: &'a [Value]) {
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

    fn add(&mut self, kind: Kind, message: String) {
        if self.found.len() < MOST {
            self.found.push(Violation { path: path(&self.steps), keys: keys(&self.steps), message, kind });
        }
    }
}

/// Whether a value that is not null is of that shape.
fn fits(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Anything | Shape::Named(_) | Shape::Metadata => true,
        Shape::Boolean => value.is_boolean(),
        Shape::Text | Shape::Time => value.is_string(),
        Shape::Bytes => value.as_str().is_some_and(text::is_base64),
        Shape::Number => value.is_number(),
        Shape::Integer => is_integer(value),
        Shape::IntegerOrText => value.is_string() || is_integer(value),
        Shape::Quantity => value.is_number() || value.as_str().is_some_and(text::is_quantity),
        Shape::List(_) => value.is_array(),
        Shape::Map(_) => value.is_object(),
    }
}

/// The same as far as merging looks: it knows texts, numbers, booleans, scalars, lists and mappings.
fn merges(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Bytes => value.is_string(),
        Shape::Integer => value.is_number(),
        Shape::Time | Shape::IntegerOrText | Shape::Quantity => !value.is_object() && !value.is_array(),
        other => fits(other, value),
    }
}

fn is_metadata(node: &Node) -> bool {
    matches!(node.shape, Shape::Metadata)
}

/// A number without a fraction is an integer, however it is written.
fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Anything | Shape::Named(_) | Shape::Metadata => "a value",
        Shape::Boolean => "true or false",
        Shape::Integer => "an integer",
        Shape::Number => "a number",
        Shape::Text => "a string",
        Shape::Time => "a time as a string",
        Shape::Bytes => "base64",
        Shape::IntegerOrText => "an integer or a string",
        Shape::Quantity => "a quantity such as 500m or 1Gi",
        Shape::List(_) => "a list",
        Shape::Map(_) => "a mapping",
    }
}

/// Numbers are the same whether they are written as 1 or 1.0.
fn same(left: &Value, right: &Value) -> bool {
    left == right
        || matches!((left.as_f64(), right.as_f64()), (Some(a), Some(b)) if a.to_bits() == b.to_bits())
}

/// The beginning of a long text.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
