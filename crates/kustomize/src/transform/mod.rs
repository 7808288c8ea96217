//! What changes objects: the built-in transformers.

pub mod block;
pub mod hash;
mod images;
mod labels;
mod names;
mod namespace;
mod patch;
pub mod references;
mod replacements;
mod replicas;
pub mod sort;
mod value_add;
pub mod variables;

use std::collections::BTreeMap;

use crate::config::FieldSpec;
use crate::error::Error;
use crate::resources::Resources;
use crate::spec::{Replacement, Replica};

pub use images::Images;
pub use labels::set_pairs;
pub use names::Affix;
pub use namespace::{Namespace, Subjects};
pub use patch::{LateJsonPatch, MergePatches, Patch, in_file};
pub use value_add::{Target as ValueTarget, ValueAdd};

/// A transformer, ready for use.
#[derive(Clone, Debug)]
pub enum Transformer {
    /// `patchesStrategicMerge`.
    MergePatches(MergePatches),
    /// One of `patches`.
    Patch(Box<Patch>),
    /// `namespace`.
    Namespace(Namespace),
    /// `namePrefix` or `nameSuffix`.
    Affix(Affix, Vec<FieldSpec>),
    /// Labels or annotations.
    Pairs(BTreeMap<String, String>, Vec<FieldSpec>),
    /// One of `patchesJson6902`.
    JsonPatch(Box<LateJsonPatch>),
    /// One of `replicas`.
    Replicas(Replica, Vec<FieldSpec>),
    /// One of `images`.
    Images(Box<Images>),
    /// `replacements`.
    Replacements(Vec<Replacement>),
    /// A value for many fields.
    ValueAdd(ValueAdd),
    /// Hashes in names.
    Hash,
    /// Several as one.
    All(Vec<Transformer>),
}

impl Transformer {
    /// Changes the objects.
    pub fn apply(&self, resources: &mut Resources) -> Result<(), Error> {
        match self {
            Self::MergePatches(patches) => patches.apply(resources),
            Self::Patch(patch) => patch.apply(resources),
            Self::Namespace(namespace) => namespace.set(resources),
            Self::Affix(affix, specs) => names::rename(resources, affix, specs),
            Self::Pairs(pairs, specs) => set_pairs(resources, pairs, specs),
            Self::JsonPatch(patch) => patch.apply(resources),
            Self::Replicas(replica, specs) => replicas::set(resources, replica, specs),
            Self::Images(images) => images.set(resources),
            Self::Replacements(list) => replacements::apply(resources, list),
            Self::ValueAdd(value) => value.apply(resources),
            Self::Hash => hash::add(resources),
            Self::All(list) => list.iter().try_for_each(|one| one.apply(resources)),
        }
    }
}
