//! The walk over target and patch at once.

use towpath_yaml::{Content, Entry, Key, Node, Tag};

use super::directive::{self, Directive};
use super::schema::{Schema, TypeId};
use super::{Error, Order};

/// What stands at one place. kyaml calls them dest and origin.
pub(super) enum Sources<'n> {
    Both(&'n mut Node, &'n mut Node),
    /// Only the target has it.
    Dest(&'n mut Node),
    /// Only the patch has it.
    Origin(&'n mut Node),
    /// What the patch brought, being settled in: target and patch in one.
    Same(&'n mut Node),
}

/// Who brought a map that has no counterpart.
#[derive(Clone, Copy)]
enum Whose {
    Target,
    Patch,
}

/// Which of the sources is the result; it was changed in place.
pub(super) enum Outcome {
    /// The target's, or the one that is both.
    Dest,
    Origin,
    /// A null that stays although nulls are removed.
    New(Node),
    None,
}

pub(super) struct Walker<'s> {
    pub schema: &'s Schema,
    pub order: Order,
}

impl Walker<'_> {
    pub fn walk(&self, mut sources: Sources<'_>, known: Option<TypeId>) -> Result<Outcome, Error> {
        let known = known.or_else(|| self.type_of(&sources));
        let kind = match &sources {
            Sources::Both(dest, origin) => {
                let kind = kind(dest).or_else(|| kind(origin));
                if let Some(expected) = kind {
                    check(expected, dest)?;
                    check(expected, origin)?;
                }
                kind
            }
            Sources::Dest(node) | Sources::Origin(node) | Sources::Same(node) => kind(node),
        };
        if let Sources::Both(dest, origin) = &mut sources
            && is_empty_collection(dest)
        {
            // The target's empty brackets shall not enclose what the patch wrote as a block.
            dest.style = origin.style;
        }
        match kind {
            Some(ANY_LIST) => match known.filter(|known| self.schema.merges(*known)) {
                Some(known) => self.list(sources, known),
                None => Ok(later(&sources)),
            },
            Some(ANY_SCALAR) => Ok(later(&sources)),
            _ => self.map(sources, known),
        }
    }

    /// The type that a resource says it has, where the way to it did not tell.
    fn type_of(&self, sources: &Sources<'_>) -> Option<TypeId> {
        let of = |node: &Node| {
            let field = |key| node.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
            self.schema.resource(field("apiVersion")?, field("kind")?)
        };
        match sources {
            Sources::Both(dest, origin) => of(dest).or_else(|| of(origin)),
            Sources::Dest(node) | Sources::Origin(node) | Sources::Same(node) => of(node),
        }
    }

    fn map(&self, sources: Sources<'_>, known: Option<TypeId>) -> Result<Outcome, Error> {
        match sources {
            Sources::Dest(dest) if dest.is_null() => Ok(match directive::text(dest) {
                // A key without a value goes, a written null stays.
                "" => Outcome::None,
                text => Outcome::New(Node { tag: Tag::Null, ..Node::scalar(text) }),
            }),
            Sources::Dest(dest) => {
                self.settle(dest, known, Whose::Target)?;
                Ok(Outcome::Dest)
            }
            Sources::Both(dest, origin) if dest.is_null() => self.map(Sources::Origin(origin), known),
            Sources::Origin(origin) => {
                // Directives of what cannot have any are not looked at.
                if directive::take(origin).ok() == Some(Directive::Delete) {
                    return Ok(Outcome::None);
                }
                self.settle(origin, known, Whose::Patch)?;
                Ok(Outcome::Origin)
            }
            Sources::Same(node) if node.is_null() => Ok(Outcome::Dest),
            Sources::Same(node) => {
                if directive::take(node)? == Directive::Delete {
                    return Ok(Outcome::None);
                }
                self.settle(node, known, Whose::Patch)?;
                Ok(Outcome::Dest)
            }
            Sources::Both(_, origin) if origin.is_null() => Ok(Outcome::None),
            Sources::Both(dest, origin) => match directive::take(origin)? {
                Directive::Delete => Ok(Outcome::None),
                Directive::Replace => {
                    self.settle(origin, known, Whose::Patch)?;
                    Ok(Outcome::Origin)
                }
                Directive::Merge => {
                    self.merge(dest, origin, known)?;
                    Ok(Outcome::Dest)
                }
            },
        }
    }

    /// Walks the fields of a map that has no counterpart.
    fn settle(&self, node: &mut Node, known: Option<TypeId>, whose: Whose) -> Result<(), Error> {
        let Some(entries) = node.entries_mut() else { return Ok(()) };
        let mut at = 0;
        while let Some(Entry { key, value }) = entries.get_mut(at) {
            let known = known.and_then(|known| self.schema.field(known, &key.text));
            let sources = match whose {
                Whose::Target => Sources::Dest(value),
                Whose::Patch => Sources::Same(value),
            };
            let outcome = self.walk(sources, known)?;
            if place(value, outcome) {
                at += 1;
            } else {
                entries.remove(at);
            }
        }
        Ok(())
    }

    /// Merges the fields of a map into those of another.
    fn merge(&self, dest: &mut Node, origin: &mut Node, known: Option<TypeId>) -> Result<(), Error> {
        let Some(theirs) = origin.entries_mut() else { return Ok(()) };
        let Some(ours) = dest.entries_mut() else { return Ok(()) };
        let mut at = 0;
        while let Some(Entry { key, value }) = ours.get_mut(at) {
            let known = known.and_then(|known| self.schema.field(known, &key.text));
            let counterpart = theirs.iter().position(|entry| entry.key.text == key.text);
            let stays = match counterpart.map(|at| theirs.remove(at)) {
                None => {
                    let outcome = self.walk(Sources::Dest(value), known)?;
                    place(value, outcome)
                }
                Some(mut entry) => match self.walk(Sources::Both(value, &mut entry.value), known)? {
                    Outcome::Origin => {
                        let style = value.style;
                        *value = entry.value;
                        value.protect();
                        value.style = style;
                        !value.is_null()
                    }
                    outcome => place(value, outcome),
                },
            };
            if stays {
                at += 1;
            } else {
                ours.remove(at);
            }
        }
        // kyaml adds fields in the order of their names.
        theirs.sort_by(|a, b| a.key.text.cmp(&b.key.text));
        for Entry { key, mut value } in theirs.drain(..) {
            if ours.iter().any(|entry| entry.key.text == key.text) {
                continue;
            }
            let known = known.and_then(|known| self.schema.field(known, &key.text));
            match self.walk(Sources::Origin(&mut value), known)? {
                Outcome::None => continue,
                Outcome::New(node) => value = node,
                Outcome::Dest | Outcome::Origin => value.protect(),
            }
            if !value.is_null() {
                ours.push(Entry { key: Key { style: key.style, ..Key::new(key.text) }, value });
            }
        }
        Ok(())
    }
}

/// Sets a field to what became of it; tells whether it stays.
fn place(value: &mut Node, outcome: Outcome) -> bool {
    match outcome {
        Outcome::None => false,
        Outcome::New(node) => {
            *value = Node { style: value.style, ..node };
            true
        }
        Outcome::Dest | Outcome::Origin => {
            value.protect();
            !value.is_null()
        }
    }
}

/// The patch's where it has one.
fn later(sources: &Sources<'_>) -> Outcome {
    match sources {
        Sources::Both(..) | Sources::Origin(_) => Outcome::Origin,
        Sources::Dest(_) | Sources::Same(_) => Outcome::Dest,
    }
}

const ANY_MAP: &str = "MappingNode";
const ANY_LIST: &str = "SequenceNode";
const ANY_SCALAR: &str = "ScalarNode";

/// kyaml's name for what a node is; none of null.
fn kind(node: &Node) -> Option<&'static str> {
    (!node.is_null()).then(|| name(node))
}

fn name(node: &Node) -> &'static str {
    match node.content {
        Content::Map(_) => ANY_MAP,
        Content::List(_) => ANY_LIST,
        Content::Scalar(_) => ANY_SCALAR,
    }
}

fn check(expected: &'static str, node: &Node) -> Result<(), Error> {
    match kind(node) {
        Some(found) if found != expected => Err(wrong_kind(expected, node)),
        _ => Ok(()),
    }
}

/// The error for a node that is not what is expected.
pub(super) fn wrong_kind(expected: &'static str, node: &Node) -> Error {
    Error::Kind { expected, found: name(node), contents: towpath_yaml::write_v3(node), line: node.line }
}

fn is_empty_collection(node: &Node) -> bool {
    match &node.content {
        Content::Scalar(_) => false,
        Content::List(items) => items.is_empty(),
        Content::Map(entries) => entries.is_empty(),
    }
}
