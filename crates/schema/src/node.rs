//! The compact form of a schema: only what checking and merging need, children by number.

use std::collections::HashMap;

use serde_json::Value;

use crate::names::Name;

/// The number of a node in its document.
pub(crate) type Id = u32;

/// What a value may be at one place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    /// Null is as good as absent.
    pub(crate) nullable: bool,
    /// The only values that the server takes; empty where any will do.
    pub(crate) values: Box<[Value]>,
    /// What the server writes where the field is absent; of collections only that it does, as null.
    pub(crate) default: Option<Box<Value>>,
    /// The server's own type has the field at all times, said or unsaid.
    pub(crate) given: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Nothing is known, so nothing is wrong.
    Anything,
    /// As the type of this name in the same document; anything, where it is not there.
    Named(Name),
    /// The metadata of a custom resource.
    Metadata,
    Boolean,
    Integer,
    Number,
    Text,
    /// Base64.
    Bytes,
    /// A time or a date as text; merging takes any scalar for one.
    Time,
    /// A port's number or name, a count or a percentage.
    IntegerOrText,
    /// `500m`, `1Gi` or a number.
    Quantity,
    List(Box<List>),
    Map(Box<Map>),
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) items: Id,
    pub(crate) identity: Identity,
}

/// What tells the items of a list apart when it is merged.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    /// Nothing: the list is replaced as a whole.
    Atomic,
    /// The item itself.
    Itself,
    /// These fields of the item.
    Keys(Box<[Name]>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    /// Sorted by number, so that one is found by halving.
    pub(crate) properties: Box<[(Name, Id)]>,
    /// Of these the server refuses the absence.
    pub(crate) required: Box<[Name]>,
    /// The schema of all other fields.
    pub(crate) rest: Option<Id>,
    /// Fields that are not listed are no mistake.
    pub(crate) open: bool,
    /// It is replaced as a whole.
    pub(crate) atomic: bool,
}

impl Map {
    pub(crate) fn property(&self, name: Name) -> Option<Id> {
        let at = self.properties.binary_search_by_key(&name.number(), |(name, _)| name.number()).ok()?;
        self.properties.get(at).map(|(_, id)| *id)
    }
}

/// The schemas of one group and version, which refer to each other by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    nodes: Vec<Node>,
    types: HashMap<u32, Id>,
}

/// How many names may stand for one another: none in practice, and a circle must end.
const LONGEST_CHAIN: usize = 16;

impl Document {
    pub(crate) fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        Id::try_from(self.nodes.len() - 1).expect("nodes are fewer than bytes of a document")
    }

    pub(crate) fn name(&mut self, name: Name, id: Id) {
        self.types.insert(name.number(), id);
    }

    pub(crate) fn seal(&mut self) {
        self.nodes.shrink_to_fit();
        self.types.shrink_to_fit();
    }

    /// The node itself, which may stand for another.
    pub(crate) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// The node behind all names, if there is one.
    pub(crate) fn resolve(&self, id: Id) -> Option<&Node> {
        self.behind(self.node(id)?)
    }

    /// The same of a node at hand.
    pub(crate) fn behind<'a>(&'a self, mut node: &'a Node) -> Option<&'a Node> {
        for _ in 0..LONGEST_CHAIN {
            let Shape::Named(name) = node.shape else { return Some(node) };
            node = self.node(*self.types.get(&name.number())?)?;
        }
        None
    }
}
