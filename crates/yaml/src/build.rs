//! Trees to JSON values: types, merge keys, aliases under a budget, and the line of everything.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::budget::Budget;
use crate::document::{Document, Limits};
use crate::error::{Error, Kind, Mark};
use crate::lines::{Lines, Open};
use crate::number::{Numeric, format_float_key};
use crate::resolve::{self, Resolved};
use crate::tree::{Content, Id, Tree};

/// Builds the document of a tree; none where it is null.
pub(crate) fn document(
    tree: &Tree<'_>,
    root: Id,
    limits: &Limits,
    twice: Twice,
) -> Result<Option<Document>, Error> {
    let mut builder = Builder { tree, lines: Lines::default(), budget: Budget::new(limits), twice };
    let mark = tree.get(root).mark;
    let line = mark.line + 1;
    let open = builder.lines.open("", line);
    let value = builder.value(root, open)?;
    builder.lines.close(open);
    let lines = builder.lines;
    Ok((!value.is_null()).then_some(Document { value, line, lines }))
}

struct Builder<'t, 'a> {
    tree: &'t Tree<'a>,
    lines: Lines,
    budget: Budget<'t>,
    twice: Twice,
}

/// What becomes of a key that is written twice.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Twice {
    Refused,
    /// The last value counts.
    LastCounts,
}

impl Builder<'_, '_> {
    fn value(&mut self, id: Id, open: Open) -> Result<Value, Error> {
        let tree = self.tree;
        let node = tree.get(id);
        self.budget.count(node.mark)?;
        match &node.content {
            Content::Alias { target, name } => {
                self.budget.enter(id, name, node.mark)?;
                let value = self.value(*target, open)?;
                self.budget.leave();
                Ok(value)
            }
            Content::Scalar(scalar) => {
                let resolved =
                    resolve::scalar(scalar).map_err(|message| node.mark.error(Kind::Value, message))?;
                self.scalar(resolved, node.mark)
            }
            Content::Sequence { items, .. } => {
                let mut values = Vec::with_capacity(items.len());
                self.budget.deeper(node.mark)?;
                for (index, item) in items.iter().enumerate() {
                    let open = self.lines.open(&index.to_string(), tree.get(*item).mark.line + 1);
                    values.push(self.value(*item, open)?);
                    self.lines.close(open);
                }
                self.budget.shallower();
                Ok(Value::Array(values))
            }
            Content::Mapping { entries, .. } => {
                let mut map = Map::new();
                self.budget.deeper(node.mark)?;
                self.entries(entries, &mut map, open)?;
                self.budget.shallower();
                Ok(Value::Object(map))
            }
        }
    }

    fn scalar(&mut self, resolved: Resolved<'_>, mark: Mark) -> Result<Value, Error> {
        match resolved {
            Resolved::Null => Ok(Value::Null),
            Resolved::Bool(value) => Ok(Value::Bool(value)),
            Resolved::Text(text) => {
                self.budget.copy(text.len())?;
                Ok(Value::String(text.into_owned()))
            }
            Resolved::Number(number) => number.to_value().ok_or_else(|| not_json(mark)),
            Resolved::Special(_) => Err(not_json(mark)),
        }
    }

    /// Adds the entries of a mapping to an object. Merged keys may be overridden, written ones may not; as in
    /// go-yaml a merge overrides what stands before it.
    fn entries(
        &mut self,
        entries: &[(Id, Id)],
        map: &mut Map<String, Value>,
        open: Open,
    ) -> Result<(), Error> {
        let merges = entries.iter().any(|(key, _)| self.is_merge(*key)) || !map.is_empty();
        // Without merges the object itself knows what was written.
        let mut written = HashSet::new();
        for (key_id, value_id) in entries {
            if self.is_merge(*key_id) {
                self.merge(*value_id, map, open)?;
                continue;
            }
            let mark = self.tree.get(*key_id).mark;
            self.budget.count(mark)?;
            let key = self.key(*key_id)?;
            let twice = if merges { !written.insert(key.clone()) } else { map.contains_key(&key) };
            if twice && self.twice == Twice::Refused {
                return Err(self.duplicate(&key, mark, open));
            }
            let entry = self.lines.open(&key, mark.line + 1);
            let value = self.value(*value_id, entry)?;
            self.lines.close(entry);
            map.insert(key, value);
        }
        Ok(())
    }

    fn duplicate(&mut self, key: &str, mark: Mark, open: Open) -> Error {
        let first = self.lines.sibling(open, key).unwrap_or_default();
        mark.error(Kind::Duplicate, format!("the key `{key}` is already on line {first}"))
            .hint("remove one of the two; Kubernetes would silently keep the last")
    }

    fn is_merge(&self, id: Id) -> bool {
        match &self.tree.get(id).content {
            Content::Scalar(scalar) => {
                scalar.text == "<<"
                    && (scalar.implicit || scalar.tag.as_deref() == Some("tag:yaml.org,2002:merge"))
            }
            _ => false,
        }
    }

    fn merge(&mut self, source: Id, map: &mut Map<String, Value>, open: Open) -> Result<(), Error> {
        let tree = self.tree;
        match &tree.get(source).content {
            Content::Mapping { .. } | Content::Alias { .. } => self.merge_one(source, map, open),
            // Backwards, because the earlier ones take precedence.
            Content::Sequence { items, .. } => {
                items.iter().rev().try_for_each(|item| self.merge_one(*item, map, open))
            }
            Content::Scalar(_) => Err(not_mergeable(tree.get(source).mark)),
        }
    }

    fn merge_one(&mut self, source: Id, map: &mut Map<String, Value>, open: Open) -> Result<(), Error> {
        let tree = self.tree;
        let node = tree.get(source);
        self.budget.count(node.mark)?;
        match &node.content {
            Content::Mapping { entries, .. } => {
                self.budget.deeper(node.mark)?;
                self.entries(entries, map, open)?;
                self.budget.shallower();
                Ok(())
            }
            Content::Alias { target, name } => match &tree.get(*target).content {
                Content::Mapping { .. } => {
                    self.budget.enter(source, name, node.mark)?;
                    self.merge_one(*target, map, open)?;
                    self.budget.leave();
                    Ok(())
                }
                _ => Err(not_mergeable(node.mark)),
            },
            _ => Err(not_mergeable(node.mark)),
        }
    }

    /// A key as the string that JSON needs.
    fn key(&mut self, id: Id) -> Result<String, Error> {
        let tree = self.tree;
        let node = tree.get(id);
        let refuse = |what: &str| node.mark.error(Kind::Value, format!("{what} cannot be a key"));
        match &node.content {
            Content::Alias { target, name } => {
                self.budget.enter(id, name, node.mark)?;
                self.budget.count(tree.get(*target).mark)?;
                let key = self.key(*target)?;
                self.budget.leave();
                Ok(key)
            }
            Content::Sequence { .. } => Err(refuse("a list")),
            Content::Mapping { .. } => Err(refuse("a mapping").hint("quote the text if it is a template")),
            Content::Scalar(scalar) => {
                match resolve::scalar(scalar).map_err(|message| node.mark.error(Kind::Value, message))? {
                    Resolved::Text(text) => {
                        self.budget.copy(text.len())?;
                        Ok(text.into_owned())
                    }
                    Resolved::Bool(value) => Ok(value.to_string()),
                    Resolved::Number(Numeric::Int(number)) => Ok(number.to_string()),
                    Resolved::Number(Numeric::Float(number)) | Resolved::Special(number) => {
                        Ok(format_float_key(number))
                    }
                    Resolved::Number(Numeric::Uint(_)) => Err(refuse("a number beyond 64 bits with sign")),
                    Resolved::Null => Err(refuse("null").hint("quote the key if it is meant as text")),
                }
            }
        }
    }
}

fn not_json(mark: Mark) -> Error {
    mark.error(Kind::Value, "infinity and not-a-number have no JSON form")
        .hint("quote it if it is meant as text")
}

fn not_mergeable(mark: Mark) -> Error {
    mark.error(Kind::Value, "a merge (`<<`) needs a mapping, or a list of mappings")
}
