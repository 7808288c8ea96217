//! What people write: a kustomization file and its parts, as records.

mod generator;
mod helm;
mod kustomization;
mod patch;
mod replacement;
mod selector;
mod variable;

pub use generator::{ConfigMapArgs, GeneratorArgs, GeneratorOptions, SecretArgs};
pub use helm::{HelmChart, HelmChartArgs, HelmGlobals};
pub use kustomization::{Kustomization, Label, ObjectMeta, Refused, SortOptions};
pub use patch::{Image, Patch, PatchArgs, Replica};
pub use replacement::{FieldOptions, Replacement, ReplacementField, SourceSelector, TargetSelector};
pub use selector::{FieldSpecArgs, Gvk, ResId, Selector};
pub use variable::Var;
