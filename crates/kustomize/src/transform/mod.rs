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
use crate::function::Function;
use crate::loader::Loader;
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
    /// Whatever a function does.
    Function(Box<Function>),
    /// Several as one.
    All(Vec<Transformer>),
}

impl Transformer {
    /// Changes the objects.
    pub fn apply(&self, resources: &mut Resources, loader: &Loader<'_>) -> Result<(), Error> {
        let budget = loader.budget();
        budget.spend_copies(self.weight(), resources.list().len())?;
        match self {
            Self::MergePatches(patches) => patches.apply(resources),
            Self::Patch(patch) => patch.apply(resources, budget),
            Self::Namespace(namespace) => namespace.set(resources),
            Self::Affix(affix, specs) => names::rename(resources, affix, specs),
            Self::Pairs(pairs, specs) => set_pairs(resources, pairs, specs),
            Self::JsonPatch(patch) => patch.apply(resources, budget),
            Self::Replicas(replica, specs) => replicas::set(resources, replica, specs),
            Self::Images(images) => images.set(resources),
            Self::Replacements(list) => replacements::apply(resources, list, budget),
            Self::ValueAdd(value) => value.apply(resources),
            Self::Hash => hash::add(resources),
            Self::Function(function) => function.transform(resources, loader),
            Self::All(list) => list.iter().try_for_each(|one| one.apply(resources, loader)),
        }
    }

    /// The bytes that each object gets, if it gets any.
    fn weight(&self) -> usize {
        match self {
            Self::Namespace(namespace) => namespace.name.len(),
            Self::Affix(affix, _) => affix.text().len(),
            Self::Pairs(pairs, _) => pairs.iter().map(|(key, value)| key.len() + value.len()).sum(),
            Self::ValueAdd(value) => value.value.len(),
            // Images and replicas are as small as what they replace; the others count for themselves.
            _ => 0,
        }
    }
}
