//! What a build knows of kinds: which are outside of namespaces, and how their lists merge.
//!
//! Upstream's knowledge is global to its process, and grows: a schema that a kustomization names stands alone
//! if it is named first, and beside the built-in one if that was needed before. All objects of a build share
//! one [`Kinds`], so the same happens here, build by build.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use towpath_merge::strategic::{BuiltIn, Schema, Scope};

use crate::config::is_namespaced;
use crate::error::Error;

/// What is known, shared by all objects of a build.
#[derive(Clone, Default)]
pub struct Kinds(Arc<Known>);

#[derive(Default)]
struct Known {
    named: OnceLock<Named>,
    /// A kind was met that is not built in.
    stranger: AtomicBool,
    /// The built-in schema was used for a merge.
    merged: AtomicBool,
}

/// The schema that a kustomization names.
enum Named {
    BuiltIn,
    Custom(Box<Schema>),
}

impl Kinds {
    /// Notes that an object of a kind was met.
    pub fn meet(&self, api_version: &str, kind: &str) {
        let known = &self.0;
        if !known.stranger.load(Ordering::Relaxed) && is_namespaced(api_version, kind).is_none() {
            known.stranger.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a kind is known to be cluster-scoped. Unknown kinds count as namespaced.
    pub fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        match (is_namespaced(api_version, kind), self.0.named.get()) {
            (Some(namespaced), _) => !namespaced,
            (None, Some(Named::Custom(schema))) => schema.scope(api_version, kind) == Some(Scope::Cluster),
            (None, _) => false,
        }
    }

    /// The schema to merge by.
    pub fn for_merge(&self) -> &Schema {
        if let Some(Named::Custom(schema)) = self.0.named.get() {
            return schema;
        }
        self.0.merged.store(true, Ordering::Relaxed);
        Schema::built_in()
    }

    /// Uses a schema, unless another one is in use.
    pub fn name_schema(&self, version: Option<&str>, custom: Option<&[u8]>) -> Result<(), Error> {
        if self.0.named.get().is_some() {
            return Ok(());
        }
        let schema = match (version, custom) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid("builtin version and custom schema provided, cannot use both"));
            }
            (None | Some(""), None) => return Ok(()),
            (Some("v1.21.2"), None) => Named::BuiltIn,
            (Some(_), None) => return Err(Error::invalid("the specified OpenAPI version is not built in")),
            (None, Some(custom)) => {
                let schema = Schema::custom(custom, self.built_in_beside());
                Named::Custom(Box::new(schema.map_err(|error| Error::invalid(error.to_string()))?))
            }
        };
        // Nobody was here since the look above.
        let _ = self.0.named.set(schema);
        Ok(())
    }

    /// Whether a custom schema is in use that tells the scope of any kind.
    pub fn has_own_scopes(&self) -> bool {
        matches!(self.0.named.get(), Some(Named::Custom(schema)) if schema.has_scopes())
    }

    fn built_in_beside(&self) -> BuiltIn {
        if self.0.merged.load(Ordering::Relaxed) {
            BuiltIn::Behind
        } else if self.0.stranger.load(Ordering::Relaxed) {
            BuiltIn::InFront
        } else {
            BuiltIn::Absent
        }
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kinds")
    }
}
