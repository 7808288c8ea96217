//! Strategic merge as kustomize's library does it, which is not as the API server does it.
//!
//! In: a target, a patch and a [`Schema`] that knows which lists have keys. Out: the target with the patch in
//! it, or nothing where the patch says `$patch: delete`. The rules, quirks included, are kyaml's: every field
//! of the target is walked even where the patch has nothing to say (a field without a value goes, a list with
//! keys is put together anew), a place keeps its style, and of all directives only `$patch` is understood.
//! `cargo xtask conformance merge2` holds it against the library.

mod custom;
mod directive;
mod elements;
mod lists;
mod schema;
#[cfg(test)]
mod tests;
mod walk;

use towpath_yaml::Node;

pub use self::schema::{BuiltIn, Schema, Scope};

/// Where the new items of a list with keys go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In front of the old ones, as for patches.
    Front,
    /// Behind them, as for Helm values.
    Behind,
}

/// Why a patch does not fit; most words are kyaml's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A map, list or scalar meets something else.
    #[error("wrong node kind: expected {expected} but got {found}: node contents:\n{contents}")]
    Kind {
        /// What it should be, by kyaml's name.
        expected: &'static str,
        /// What it is.
        found: &'static str,
        /// The node as YAML.
        contents: String,
        /// Its line in the text it comes from.
        line: u32,
    },
    /// A `$patch` that is none of merge, replace and delete.
    #[error("unknown patch strategy '{0}'")]
    Directive(String),
    /// An OpenAPI document that cannot be used.
    #[error("invalid schema file: {0}")]
    Schema(String),
}

/// Merges a patch into a target; none where the patch deletes it.
pub fn merge(
    mut target: Node,
    mut patch: Node,
    schema: &Schema,
    order: Order,
) -> Result<Option<Node>, Error> {
    let walker = walk::Walker { schema, order };
    let outcome = walker.walk(walk::Sources::Both(&mut target, &mut patch), None)?;
    Ok(match outcome {
        walk::Outcome::Dest => Some(target),
        walk::Outcome::Origin => Some(patch),
        walk::Outcome::New(node) => Some(node),
        walk::Outcome::None => None,
    })
}
