//! Tokens to trees, one document at a time, by recursive descent.
//!
//! In: a text. Out: one [`Tree`] and its root per document. Aliases are bound here, since an anchor may be
//! redefined further down; they are expanded later, under a budget.

mod collection;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{Error, Kind as Class, Mark};
use crate::node::Style;
use crate::scan::Scanner;
use crate::scan::token::Kind;
use crate::tree::{Content, Id, Scalar, Tree};

/// Where a node stands; decides which collections may start there.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// At the top, or in a block sequence.
    Block,
    /// The key or value of a block mapping, where a sequence need not be indented.
    BlockMapping,
    Flow,
}

/// Anchor and tag before a node.
#[derive(Default)]
struct Properties<'a> {
    anchor: Option<&'a str>,
    tag: Option<Cow<'a, str>>,
}

pub(crate) struct Parser<'a> {
    scanner: Scanner<'a>,
    tree: Tree<'a>,
    anchors: HashMap<&'a str, Id>,
    tag_prefixes: Vec<(&'a str, Cow<'a, str>)>,
    depth: usize,
    max_depth: usize,
    first: bool,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, max_depth: usize) -> Self {
        Self {
            scanner: Scanner::new(text),
            tree: Tree::default(),
            anchors: HashMap::new(),
            tag_prefixes: Vec::new(),
            depth: 0,
            max_depth,
            first: true,
        }
    }

    /// The next document; none at the end of the stream.
    pub fn document(&mut self) -> Result<Option<(Tree<'a>, Id)>, Error> {
        self.tree = Tree::default();
        self.anchors.clear();
        self.tag_prefixes.clear();
        let first = std::mem::replace(&mut self.first, false);
        if !first {
            while self.at(|kind| *kind == Kind::DocumentEnd)? {
                self.scanner.next()?;
            }
        }
        if self.at(|kind| *kind == Kind::StreamEnd)? {
            return Ok(None);
        }
        let bare = first
            && !self.at(|kind| {
                matches!(kind, Kind::Version { .. } | Kind::TagPrefix { .. } | Kind::DocumentStart)
            })?;
        if !bare {
            self.directives()?;
            if !self.at(|kind| *kind == Kind::DocumentStart)? {
                return Err(trailing(self.mark()?));
            }
            self.scanner.next()?;
        }
        let empty = !bare && self.at(ends_document)?;
        let root = if empty { self.nothing()? } else { self.node(Place::Block)? };
        if self.at(|kind| *kind == Kind::DocumentEnd)? {
            self.scanner.next()?;
        }
        Ok(Some((std::mem::take(&mut self.tree), root)))
    }

    fn at(&mut self, test: impl FnOnce(&Kind<'a>) -> bool) -> Result<bool, Error> {
        Ok(test(&self.scanner.peek()?.kind))
    }

    fn mark(&mut self) -> Result<Mark, Error> {
        Ok(self.scanner.peek()?.mark)
    }

    fn directives(&mut self) -> Result<(), Error> {
        let mut version = false;
        while self.at(|kind| matches!(kind, Kind::Version { .. } | Kind::TagPrefix { .. }))? {
            let token = self.scanner.next()?;
            match token.kind {
                Kind::Version { .. } if version => {
                    return Err(token.mark.syntax("a second %YAML line in one document"));
                }
                Kind::Version { major: 1, minor: 1 } => version = true,
                Kind::Version { major, minor } => {
                    return Err(token
                        .mark
                        .syntax(format!("YAML {major}.{minor} is not supported, only 1.1"))
                        .hint("remove the %YAML line; Kubernetes tools read YAML 1.1"));
                }
                Kind::TagPrefix { handle, prefix } => {
                    if self.tag_prefixes.iter().any(|(known, _)| *known == handle) {
                        return Err(token.mark.syntax(format!("a second %TAG line for {handle}")));
                    }
                    self.tag_prefixes.push((handle, prefix));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A value that is not there: null.
    fn nothing(&mut self) -> Result<Id, Error> {
        let mark = self.mark()?;
        Ok(self.tree.add(mark, empty(None)))
    }

    fn node(&mut self, place: Place) -> Result<Id, Error> {
        let mark = self.mark()?;
        if let Kind::Alias(name) = self.scanner.peek()?.kind {
            self.scanner.next()?;
            let Some(target) = self.anchors.get(name).copied() else {
                return Err(mark
                    .syntax(format!("no anchor &{name} before this alias"))
                    .hint("quote the text if it is not meant as an alias"));
            };
            return Ok(self.tree.add(mark, Content::Alias { target, name }));
        }
        let properties = self.properties()?;
        self.content(place, mark, properties)
    }

    fn content(&mut self, place: Place, mark: Mark, properties: Properties<'a>) -> Result<Id, Error> {
        let Properties { anchor, tag } = properties;
        let block = place != Place::Flow;
        let read: fn(&mut Self, Mark) -> Result<Content<'a>, Error> = match &self.scanner.peek()?.kind {
            Kind::BlockEntry if place == Place::BlockMapping => Self::indentless_sequence,
            Kind::FlowSequenceStart => Self::flow_sequence,
            Kind::FlowMappingStart => Self::flow_mapping,
            Kind::BlockSequenceStart if block => Self::block_sequence,
            Kind::BlockMappingStart if block => Self::block_mapping,
            Kind::Scalar { .. } => {
                let Kind::Scalar { text, style } = self.scanner.next()?.kind else {
                    return Err(no_content(mark));
                };
                let implicit = tag.as_ref().map_or(style == Style::PLAIN, |tag| tag == "!");
                let scalar = Content::Scalar(Scalar { text, tag, style, implicit });
                return Ok(self.anchored(anchor, mark, scalar));
            }
            _ if anchor.is_some() || tag.is_some() => {
                return Ok(self.anchored(anchor, mark, empty(tag)));
            }
            _ => return Err(no_content(self.mark()?)),
        };
        // The number is taken before the children are read: an alias in them may mean this very node.
        let id = self.anchored(anchor, mark, Content::Sequence { items: Vec::new(), flow: false });
        self.depth += 1;
        if self.depth > self.max_depth {
            return Err(mark.error(Class::Limit, format!("nested more than {} levels deep", self.max_depth)));
        }
        let content = read(self, mark)?;
        self.depth -= 1;
        self.tree.set(id, content);
        Ok(id)
    }

    fn anchored(&mut self, anchor: Option<&'a str>, mark: Mark, content: Content<'a>) -> Id {
        let id = self.tree.add(mark, content);
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, id);
        }
        id
    }

    /// An anchor and a tag, in either order.
    fn properties(&mut self) -> Result<Properties<'a>, Error> {
        let mut properties = Properties::default();
        loop {
            let wanted = match self.scanner.peek()?.kind {
                Kind::Anchor(_) => properties.anchor.is_none(),
                Kind::Tag { .. } => properties.tag.is_none(),
                _ => false,
            };
            if !wanted {
                return Ok(properties);
            }
            let token = self.scanner.next()?;
            match token.kind {
                Kind::Anchor(name) => properties.anchor = Some(name),
                Kind::Tag { handle, suffix } => {
                    properties.tag = Some(self.full_tag(token.mark, handle, suffix)?);
                }
                _ => {}
            }
        }
    }

    fn full_tag(&self, mark: Mark, handle: &str, suffix: Cow<'a, str>) -> Result<Cow<'a, str>, Error> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        let declared = self.tag_prefixes.iter().find(|(known, _)| *known == handle);
        let prefix = match (declared, handle) {
            (Some((_, prefix)), _) => prefix.as_ref(),
            (None, "!") => "!",
            (None, "!!") => "tag:yaml.org,2002:",
            (None, _) => {
                return Err(mark.syntax(format!("the tag handle {handle} is not declared by a %TAG line")));
            }
        };
        Ok(Cow::Owned(format!("{prefix}{suffix}")))
    }
}

/// A scalar of which nothing or only the tag was written.
fn empty(tag: Option<Cow<'_, str>>) -> Content<'_> {
    let implicit = tag.is_none();
    Content::Scalar(Scalar { text: Cow::Borrowed(""), tag, style: Style::PLAIN, implicit })
}

fn ends_document(kind: &Kind<'_>) -> bool {
    matches!(
        kind,
        Kind::Version { .. }
            | Kind::TagPrefix { .. }
            | Kind::DocumentStart
            | Kind::DocumentEnd
            | Kind::StreamEnd
    )
}

fn trailing(mark: Mark) -> Error {
    mark.error(Class::Trailing, "text after the end of the document")
        .hint("indent it, or put a `---` line before it if it is a document of its own")
}

fn no_content(mark: Mark) -> Error {
    mark.syntax("expected a value here")
}
