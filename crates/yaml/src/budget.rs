//! What a document may cost: nesting, nodes, and what its aliases repeat.

use crate::document::Limits;
use crate::error::{Error, Kind, Mark};
use crate::tree::Id;

/// Counts what was built of a document, and refuses more than the limits allow.
pub(crate) struct Budget<'t> {
    limits: &'t Limits,
    /// Nodes so far, the document itself included; go-yaml's measure.
    decoded: usize,
    /// Those among them that aliases brought.
    aliased: usize,
    /// Bytes of text that aliases copied.
    copied: usize,
    /// The aliases that are being followed.
    expanding: Vec<(Id, Mark)>,
    depth: usize,
}

/// What a document cost.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    /// See [`Limits::nodes`].
    pub nodes: usize,
    /// See [`Limits::alias_bytes`].
    pub alias_bytes: usize,
}

impl<'t> Budget<'t> {
    pub fn new(limits: &'t Limits) -> Self {
        Self { limits, decoded: 1, aliased: 0, copied: 0, expanding: Vec::new(), depth: 0 }
    }

    /// What was built so far.
    pub fn spent(&self) -> Spent {
        Spent { nodes: self.decoded, alias_bytes: self.copied }
    }

    /// Starts to follow an alias.
    pub fn enter(&mut self, alias: Id, name: &str, mark: Mark) -> Result<(), Error> {
        if self.expanding.iter().any(|(open, _)| *open == alias) {
            return Err(mark.error(Kind::Value, format!("the value of the anchor &{name} contains itself")));
        }
        self.deeper(mark)?;
        self.expanding.push((alias, mark));
        Ok(())
    }

    /// The alias is followed.
    pub fn leave(&mut self) {
        self.expanding.pop();
        self.shallower();
    }

    /// Starts a collection.
    pub fn deeper(&mut self, mark: Mark) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(
                mark.error(Kind::Limit, format!("nested more than {} levels deep", self.limits.depth))
            );
        }
        Ok(())
    }

    /// Ends a collection.
    pub fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// Counts a node, and refuses a document that consists mostly of alias expansion: go-yaml's rule, which
    /// allows 99 % up to 400,000 nodes and falls to 10 % at 4,000,000.
    pub fn count(&mut self, mark: Mark) -> Result<(), Error> {
        self.decoded += 1;
        if !self.expanding.is_empty() {
            self.aliased += 1;
            if self.aliased > 100 && self.decoded > 1000 && self.ratio_exceeded() {
                return Err(self.too_much());
            }
        }
        if self.decoded > self.limits.nodes {
            let limit = self.limits.nodes;
            return Err(mark.error(Kind::Limit, format!("more than {limit} values in one document")));
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
        let mark = self.expanding.first().map(|(_, mark)| *mark).unwrap_or_default();
        mark.error(Kind::Limit, "the aliases of the document repeat too much content")
            .hint("write the repeated content out, or use fewer aliases of aliases")
    }

    /// Counts a text.
    pub fn copy(&mut self, bytes: usize) -> Result<(), Error> {
        if !self.expanding.is_empty() {
            self.copied += bytes;
            if self.copied > self.limits.alias_bytes {
                return Err(self.too_much());
            }
        }
        Ok(())
    }
}
