//! A parsed document before its scalars are given a type and its aliases are expanded.

use std::borrow::Cow;

use crate::error::Mark;
use crate::node::Style;

/// A node of a [`Tree`] by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(usize);

/// What a node is.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    Scalar(Scalar<'a>),
    Sequence {
        items: Vec<Id>,
        flow: bool,
    },
    Mapping {
        entries: Vec<(Id, Id)>,
        flow: bool,
    },
    /// Stands for another node: the one that last had this anchor's name when the alias was read.
    Alias {
        target: Id,
        name: &'a str,
    },
}

/// A scalar as it was written.
#[derive(Debug)]
pub(crate) struct Scalar<'a> {
    pub text: Cow<'a, str>,
    /// The full tag; none where nothing was written.
    pub tag: Option<Cow<'a, str>>,
    pub style: Style,
    /// Whether the text alone decides the type: plain and untagged, or tagged with a lone `!`.
    pub implicit: bool,
}

#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub mark: Mark,
    pub content: Content<'a>,
}

/// The nodes of one document.
#[derive(Debug, Default)]
pub(crate) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

impl<'a> Tree<'a> {
    pub fn add(&mut self, mark: Mark, content: Content<'a>) -> Id {
        self.nodes.push(Node { mark, content });
        Id(self.nodes.len() - 1)
    }

    /// Fills a collection whose number had to be known before its children were read.
    pub fn set(&mut self, id: Id, content: Content<'a>) {
        if let Some(node) = self.nodes.get_mut(id.0) {
            node.content = content;
        }
    }

    pub fn get(&self, id: Id) -> &Node<'a> {
        self.nodes.get(id.0).expect("an Id comes from the tree that it is used with")
    }
}
