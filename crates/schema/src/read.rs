//! From the written form of schemas to the compact one.
//!
//! Two kinds of types are read differently, because the server treats them differently. A custom resource's
//! schema is enforced as it stands. A built-in type's is a description of Go code: null is the same as absent,
//! and of what it calls required much is not ([`crate::enforced`]).

use serde_json::Value;

use crate::enforced;
use crate::names::{Name, Names};
use crate::node::{Document, Id, Identity, List, Map, Node, Shape};
use crate::wire::{Additional, Schema};

/// Whose rules a schema follows.
#[derive(Clone, Copy)]
enum Rules<'a> {
    Custom,
    /// Those of the Go type of this name, here in one of its fields.
    BuiltIn {
        name: &'a str,
        field: &'a str,
    },
}

impl<'a> Rules<'a> {
    fn of(self, field: &'a str) -> Self {
        match self {
            Self::Custom => self,
            Self::BuiltIn { name, .. } => Self::BuiltIn { name, field },
        }
    }
}

pub(crate) struct Reader<'a> {
    names: &'a mut Names,
    document: Document,
}

/// Whether a type of a document is a custom resource. Those are written in one piece, while types made from Go
/// refer to each other and begin with a metadata that has a default.
pub(crate) fn is_custom(name: &str, schema: &Schema) -> bool {
    !schema.kinds.is_empty()
        && !name.starts_with("io.k8s.api.")
        && schema.properties.get("metadata").is_some_and(|metadata| metadata.default.is_none())
        && !schema.refers()
}

impl<'a> Reader<'a> {
    pub(crate) fn new(names: &'a mut Names) -> Self {
        Self { names, document: Document::default() }
    }

    pub(crate) fn finish(mut self) -> Document {
        self.document.seal();
        self.document
    }

    /// Reads a type that the server is built with.
    pub(crate) fn built_in(&mut self, name: &str, schema: &Schema) -> Id {
        let id = self.node(schema, Rules::BuiltIn { name, field: "" });
        let name = self.names.intern(name);
        self.document.name(name, id);
        id
    }

    /// Reads a custom resource. Every object has a type and metadata, said or unsaid.
    pub(crate) fn custom_root(&mut self, schema: &Schema) -> Id {
        let mut node = self.read(schema, Rules::Custom);
        if let Shape::Map(map) = &mut node.shape {
            self.complete(map);
        }
        self.document.add(node)
    }

    fn node(&mut self, schema: &Schema, rules: Rules<'_>) -> Id {
        let node = self.read(schema, rules);
        self.document.add(node)
    }

    fn read(&mut self, schema: &Schema, rules: Rules<'_>) -> Node {
        let custom = matches!(rules, Rules::Custom);
        let mut shape = self.shape(schema, rules);
        let scalar = !matches!(shape, Shape::Named(_) | Shape::List(_) | Shape::Map(_));
        let default = match &schema.default {
            Some(value) if scalar => Some(Box::new(value.clone())),
            Some(_) if custom => Some(Box::new(Value::Null)),
            _ => None,
        };
        if custom
            && schema.embedded
            && let Shape::Map(map) = &mut shape
        {
            self.complete(map);
            map.required = ["apiVersion", "kind"].map(|name| self.names.intern(name)).into();
        }
        Node {
            shape,
            nullable: !custom || schema.nullable || default.is_some(),
            values: possible(&schema.values, rules),
            default,
            given: false,
        }
    }

    fn shape(&mut self, schema: &Schema, rules: Rules<'_>) -> Shape {
        if let Some(target) = schema.target() {
            return Shape::Named(self.names.intern(target));
        }
        if matches!(rules, Rules::BuiltIn { name, .. } if name.ends_with(".api.resource.Quantity")) {
            return Shape::Quantity;
        }
        if schema.int_or_string || schema.format.as_deref() == Some("int-or-string") {
            return Shape::IntegerOrText;
        }
        match schema.kind.as_deref() {
            Some("boolean") => Shape::Boolean,
            Some("integer") => Shape::Integer,
            Some("number") => Shape::Number,
            Some("string") => match (rules, schema.format.as_deref()) {
                (Rules::BuiltIn { .. }, Some("byte")) => Shape::Bytes,
                (_, Some("date-time" | "date")) => Shape::Time,
                _ => Shape::Text,
            },
            Some("array") => self.list(schema, rules),
            Some("object") => self.map(schema, rules),
            _ => Shape::Anything,
        }
    }

    fn list(&mut self, schema: &Schema, rules: Rules<'_>) -> Shape {
        let Some(items) = &schema.items else { return Shape::Anything };
        let items = self.node(items, rules);
        let identity = match schema.list_type.as_deref() {
            Some("map") => {
                Identity::Keys(schema.list_keys.iter().map(|key| self.names.intern(key)).collect())
            }
            Some("set") => Identity::Itself,
            _ => Identity::Atomic,
        };
        Shape::List(Box::new(List { items, identity }))
    }

    fn map(&mut self, schema: &Schema, rules: Rules<'_>) -> Shape {
        let untold = schema.properties.is_empty() && schema.additional.is_none();
        let (rest, allowed) = match &schema.additional {
            Some(Additional::Schema(rest)) => (Some(self.node(rest, rules)), false),
            Some(Additional::Allowed(allowed)) => (None, *allowed),
            None => (None, false),
        };
        let required = schema.required.iter().filter(|field| enforces(rules, field, schema));
        Shape::Map(Box::new(Map {
            required: required.map(|field| self.names.intern(field)).collect(),
            properties: self.properties(schema, rules),
            rest,
            open: untold || allowed || schema.preserve,
            atomic: schema.map_type.as_deref() == Some("atomic"),
        }))
    }

    fn properties(&mut self, parent: &Schema, rules: Rules<'_>) -> Box<[(Name, Id)]> {
        let built_in = matches!(rules, Rules::BuiltIn { .. });
        let mut properties = Vec::with_capacity(parent.properties.len());
        for (name, schema) in &parent.properties {
            let mut node = self.read(schema, rules.of(name));
            // Go writes out what is neither a pointer nor left out when empty; the first has an empty default.
            let is_value =
                schema.default.as_ref().and_then(Value::as_object).is_some_and(serde_json::Map::is_empty);
            node.given = built_in && (is_value || parent.required.contains(name));
            properties.push((self.names.intern(name), self.document.add(node)));
        }
        properties.sort_by_key(|(name, _)| name.number());
        properties.into()
    }

    /// Adds what every object has.
    fn complete(&mut self, map: &mut Map) {
        let fields = [("apiVersion", Shape::Text), ("kind", Shape::Text), ("metadata", Shape::Metadata)];
        let mut properties = std::mem::take(&mut map.properties).into_vec();
        for (name, shape) in fields {
            let name = self.names.intern(name);
            properties.retain(|(known, _)| *known != name);
            let node = Node { shape, nullable: true, values: Box::default(), default: None, given: false };
            properties.push((name, self.document.add(node)));
        }
        properties.sort_by_key(|(name, _)| name.number());
        map.properties = properties.into();
    }
}

/// Whether the absence of a field that the schema requires is refused.
fn enforces(rules: Rules<'_>, field: &str, schema: &Schema) -> bool {
    match rules {
        Rules::Custom => schema.properties.get(field).is_none_or(|property| property.default.is_none()),
        Rules::BuiltIn { name, .. } => enforced::requires(name, field),
    }
}

/// The values a field may have; none where any will do. An empty text is as good as none to Go.
fn possible(values: &[Value], rules: Rules<'_>) -> Box<[Value]> {
    match rules {
        _ if values.is_empty() => Box::default(),
        Rules::Custom => values.into(),
        Rules::BuiltIn { name, field } if enforced::limits(name, field) => {
            values.iter().cloned().chain([Value::from("")]).collect()
        }
        Rules::BuiltIn { .. } => Box::default(),
    }
}
