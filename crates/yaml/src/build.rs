//! Trees to JSON values: types, merge keys, aliases under a budget, and the line of everything.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::document::{Document, Limits};
use crate::error::{Error, Kind, Mark};
use crate::lines::{Lines, Open};
use crate::number::{Numeric, format_float_key};
use crate::resolve::{self, Resolved};
use crate::tree::{Content, Id, Tree};

/// Builds the document of a tree; none where it is null.
pub(crate) fn document(tree: &Tree<'_>, root: Id, limits: &Limits) -> Result<Option<Document>, Error> {
    let mut builder = Builder {
        tree,
        limits,
        lines: Lines::default(),
        decoded: 1,
        aliased: 0,
        copied: 0,
        expanding: Vec::new(),
        depth: 0,
    };
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
    limits: &'t Limits,
    lines: Lines,
    /// Nodes so far, the document itself included; go-yaml's measure.
    decoded: usize,
    /// Those among them that aliases brought.
    aliased: usize,
    /// Bytes of text that aliases copied.
    copied: usize,
    /// The aliases that are being followed.
    expanding: Vec<Id>,
    depth: usize,
}

impl Builder<'_, '_> {
    fn value(&mut self, id: Id, open: Open) -> Result<Value, Error> {
        self.count(id)?;
        let tree = self.tree;
        let node = tree.get(id);
        match &node.content {
            Content::Alias { target, name } => self.follow(id, name, |builder| builder.value(*target, open)),
            Content::Scalar(scalar) => {
                let resolved =
                    resolve::scalar(scalar).map_err(|message| node.mark.error(Kind::Value, message))?;
                self.scalar(resolved, node.mark)
            }
            Content::Sequence(items) => {
                let mut values = Vec::with_capacity(items.len());
                self.deeper(node.mark)?;
                for (index, item) in items.iter().enumerate() {
                    let open = self.lines.open(&index.to_string(), tree.get(*item).mark.line + 1);
                    values.push(self.value(*item, open)?);
                    self.lines.close(open);
                }
                self.depth -= 1;
                Ok(Value::Array(values))
            }
            Content::Mapping(entries) => {
                let mut map = Map::new();
                self.deeper(node.mark)?;
                self.entries(entries, &mut map, open)?;
                self.depth -= 1;
                Ok(Value::Object(map))
            }
        }
    }

    fn scalar(&mut self, resolved: Resolved<'_>, mark: Mark) -> Result<Value, Error> {
        match resolved {
            Resolved::Null => Ok(Value::Null),
            Resolved::Bool(value) => Ok(Value::Bool(value)),
            Resolved::Text(text) => {
                self.copy(text.len())?;
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
            self.count(*key_id)?;
            let mark = self.tree.get(*key_id).mark;
            let key = self.key(*key_id)?;
            let twice = if merges { !written.insert(key.clone()) } else { map.contains_key(&key) };
            if twice {
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
            Content::Mapping(_) | Content::Alias { .. } => self.merge_one(source, map, open),
            // Backwards, because the earlier ones take precedence.
            Content::Sequence(items) => {
                items.iter().rev().try_for_each(|item| self.merge_one(*item, map, open))
            }
            Content::Scalar(_) => Err(not_mergeable(tree.get(source).mark)),
        }
    }

    fn merge_one(&mut self, source: Id, map: &mut Map<String, Value>, open: Open) -> Result<(), Error> {
        self.count(source)?;
        let tree = self.tree;
        let node = tree.get(source);
        match &node.content {
            Content::Mapping(entries) => {
                self.deeper(node.mark)?;
                self.entries(entries, map, open)?;
                self.depth -= 1;
                Ok(())
            }
            Content::Alias { target, name } => match &tree.get(*target).content {
                Content::Mapping(_) => {
                    self.follow(source, name, |builder| builder.merge_one(*target, map, open))
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
            Content::Alias { target, name } => self.follow(id, name, |builder| {
                builder.count(*target)?;
                builder.key(*target)
            }),
            Content::Sequence(_) => Err(refuse("a list")),
            Content::Mapping(_) => Err(refuse("a mapping").hint("quote the text if it is a template")),
            Content::Scalar(scalar) => {
                match resolve::scalar(scalar).map_err(|message| node.mark.error(Kind::Value, message))? {
                    Resolved::Text(text) => {
                        self.copy(text.len())?;
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

    fn follow<T>(
        &mut self,
        alias: Id,
        name: &str,
        expand: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mark = self.tree.get(alias).mark;
        if self.expanding.contains(&alias) {
            return Err(mark.error(Kind::Value, format!("the value of the anchor &{name} contains itself")));
        }
        self.deeper(mark)?;
        self.expanding.push(alias);
        let result = expand(self);
        self.expanding.pop();
        self.depth -= 1;
        result
    }

    fn deeper(&mut self, mark: Mark) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(
                mark.error(Kind::Limit, format!("nested more than {} levels deep", self.limits.depth))
            );
        }
        Ok(())
    }

    /// Counts a node, and refuses a document that consists mostly of alias expansion: go-yaml's rule, which
    /// allows 99 % up to 400,000 nodes and falls to 10 % at 4,000,000.
    fn count(&mut self, id: Id) -> Result<(), Error> {
        self.decoded += 1;
        if !self.expanding.is_empty() {
            self.aliased += 1;
            if self.aliased > 100 && self.decoded > 1000 && self.ratio_exceeded() {
                return Err(self.too_much());
            }
        }
        if self.decoded > self.limits.nodes {
            let limit = self.limits.nodes;
            return Err(self
                .tree
                .get(id)
                .mark
                .error(Kind::Limit, format!("more than {limit} values in one document")));
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    fn ratio_exceeded(&self) -> bool {
        const LOW: f64 = 400_000.0;
        const HIGH: f64 = 4_000_000.0;
        let decoded = self.decoded as f64;
        let scale = ((decoded - LOW) / (HIGH - LOW)).clamp(0.0, 1.0);
        self.aliased as f64 / decoded > 0.99 - 0.89 * scale
    }

    /// The refusal of alias expansion, at the alias from which it started.
    fn too_much(&self) -> Error {
        let mark = self.expanding.first().map(|alias| self.tree.get(*alias).mark).unwrap_or_default();
        mark.error(Kind::Limit, "the aliases of the document repeat too much content")
            .hint("write the repeated content out, or use fewer aliases of aliases")
    }

    fn copy(&mut self, bytes: usize) -> Result<(), Error> {
        if !self.expanding.is_empty() {
            self.copied += bytes;
            if self.copied > self.limits.alias_bytes {
                return Err(self.too_much());
            }
        }
        Ok(())
    }
}

fn not_json(mark: Mark) -> Error {
    mark.error(Kind::Value, "infinity and not-a-number have no JSON form")
        .hint("quote it if it is meant as text")
}

fn not_mergeable(mark: Mark) -> Error {
    mark.error(Kind::Value, "a merge (`<<`) needs a mapping, or a list of mappings")
}
