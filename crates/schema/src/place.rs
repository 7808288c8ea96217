//! A place in a kind's schema, for those who merge: what is below it, and how it is merged.

use serde_json::Value;
use towpath_object::Gvk;

use crate::node::{Document, Id, Identity as ItemIdentity, Node, Shape};
use crate::schemas::Schemas;

/// A place in the schema of a kind. Where nothing is known, all that is below is unknown too.
///
/// ```
/// use serde_json::json;
/// use towpath_object::Gvk;
/// use towpath_schema::{Identity, Schemas};
///
/// let mut schemas = Schemas::default();
/// schemas.add_definition(&json!({"spec": {"group": "shop.example.com", "names": {"kind": "Basket"},
///     "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
///         "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
///             "items": {"type": "object", "properties": {"id": {"type": "string"}}}}}}}}]}}));
/// let items = schemas.place(&Gvk::new("shop.example.com/v1", "Basket")).field("items");
/// assert_eq!(items.identity(), Identity::Keys(vec!["id"]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    schemas: &'a Schemas,
    /// The document and the node as it is written there, which may stand for another.
    at: Option<(&'a Document, &'a Node)>,
}

/// What tells the items of a list apart when it is merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity<'a> {
    /// Nothing: the list is replaced as a whole.
    Atomic,
    /// The item itself.
    Itself,
    /// These fields of the item.
    Keys(Vec<&'a str>),
}

impl Schemas {
    /// Where the schema of a kind begins.
    pub fn place(&self, gvk: &Gvk) -> Place<'_> {
        let at = self.root(gvk).and_then(|root| {
            let document = self.document(root)?;
            Some((document, document.node(root.node)?))
        });
        Place { schemas: self, at }
    }
}

impl<'a> Place<'a> {
    /// The place of a field, or of an entry of a mapping.
    #[must_use]
    pub fn field(self, name: &str) -> Self {
        let at = self.resolved().and_then(|(document, node)| {
            let Shape::Map(map) = &node.shape else { return None };
            let property = self.schemas.names.find(name).and_then(|name| map.property(name));
            Self::node(document, property.or(map.rest)?)
        });
        Self { at, ..self }
    }

    /// The place of a list's items.
    #[must_use]
    pub fn items(self) -> Self {
        let at = self.resolved().and_then(|(document, node)| {
            let Shape::List(list) = &node.shape else { return None };
            Self::node(document, list.items)
        });
        Self { at, ..self }
    }

    /// Whether anything is known of it.
    pub fn is_known(self) -> bool {
        self.resolved().is_some_and(|(_, node)| !matches!(node.shape, Shape::Anything))
    }

    /// Whether the schema lists the field by its name.
    pub fn declares(self, name: &str) -> bool {
        self.resolved().is_some_and(|(_, node)| match &node.shape {
            Shape::Map(map) => self.schemas.names.find(name).is_some_and(|name| map.property(name).is_some()),
            _ => false,
        })
    }

    /// Whether a field of this name has a place here, listed or not.
    pub fn admits(self, name: &str) -> bool {
        self.resolved().is_none_or(|(_, node)| match &node.shape {
            Shape::Map(map) => map.open || map.rest.is_some() || self.declares(name),
            _ => true,
        })
    }

    /// The names of the fields that the schema lists.
    pub fn fields(self) -> Vec<&'a str> {
        match self.resolved().map(|(_, node)| &node.shape) {
            Some(Shape::Map(map)) => {
                map.properties.iter().map(|(name, _)| self.schemas.names.text(*name)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the mapping is replaced as a whole.
    pub fn is_atomic_map(self) -> bool {
        self.resolved().is_some_and(|(_, node)| matches!(&node.shape, Shape::Map(map) if map.atomic))
    }

    /// Whether it is a mapping from any name to values of one kind.
    pub fn is_dictionary(self) -> bool {
        self.resolved().is_some_and(
            |(_, node)| matches!(&node.shape, Shape::Map(map) if map.properties.is_empty() && map.rest.is_some()),
        )
    }

    /// Whether it is a list.
    pub fn is_list(self) -> bool {
        self.resolved().is_some_and(|(_, node)| matches!(node.shape, Shape::List(_)))
    }

    /// What tells the items of the list apart; atomic where nothing is known.
    pub fn identity(self) -> Identity<'a> {
        match self.resolved().map(|(_, node)| &node.shape) {
            Some(Shape::List(list)) => match &list.identity {
                ItemIdentity::Atomic => Identity::Atomic,
                ItemIdentity::Itself => Identity::Itself,
                ItemIdentity::Keys(keys) => {
                    Identity::Keys(keys.iter().map(|key| self.schemas.names.text(*key)).collect())
                }
            },
            _ => Identity::Atomic,
        }
    }

    /// What the server writes where a scalar is absent.
    pub fn default(self) -> Option<&'a Value> {
        self.at.and_then(|(_, node)| node.default.as_deref()).filter(|value| !value.is_null())
    }

    /// Whether the server's own type has the field at all times, said or unsaid.
    pub fn is_given(self) -> bool {
        self.at.is_some_and(|(_, node)| node.given)
    }

    fn node(document: &'a Document, id: Id) -> Option<(&'a Document, &'a Node)> {
        Some((document, document.node(id)?))
    }

    /// The node behind all names.
    fn resolved(self) -> Option<(&'a Document, &'a Node)> {
        let (document, node) = self.at?;
        match node.shape {
            Shape::Metadata => {
                let root = self.schemas.metadata()?;
                let document = self.schemas.document(root)?;
                Some((document, document.resolve(root.node)?))
            }
            _ => Some((document, document.behind(node)?)),
        }
    }
}
