//! Which fields the transformers touch.
//!
//! In: the built-in tables, `configurations` files and `crds` files. Out: one [`Config`] for the objects
//! accumulated so far. Configs are shared, and merged only where somebody wrote one.

mod built_in;
mod crds;
mod facts;
pub mod merge;
pub mod order;
mod scopes;

use std::sync::{Arc, OnceLock};

use crate::decode::record;
use crate::id::Gvk;
use crate::spec::{self, FieldSpecArgs};

pub use crds::from_crds;
pub use order::legacy_rank;
pub use scopes::is_namespaced;

/// A field in objects of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSpec {
    gvk: spec::Gvk,
    /// The path as written.
    pub path: String,
    /// The path in parts.
    pub parts: Vec<Part>,
    /// Whether the field is made where it is missing.
    pub create: bool,
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The field.
    pub name: String,
    /// Whether it is written as a list, which is never created.
    pub list: bool,
}

/// Objects of a type, and the fields that name them.
#[derive(Clone, Debug, PartialEq)]
pub struct BackReference {
    gvk: spec::Gvk,
    /// The fields that hold such an object's name.
    pub referrers: Vec<FieldSpec>,
}

/// All tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Fields that get the prefix.
    pub name_prefix: Vec<FieldSpec>,
    /// Fields that get the suffix.
    pub name_suffix: Vec<FieldSpec>,
    /// Fields that get the namespace.
    pub namespace: Vec<FieldSpec>,
    /// Fields of labels and selectors.
    pub common_labels: Vec<FieldSpec>,
    /// More fields of labels.
    pub labels: Vec<FieldSpec>,
    /// Labels of templates.
    pub template_labels: Vec<FieldSpec>,
    /// Fields of annotations.
    pub common_annotations: Vec<FieldSpec>,
    /// Fields that hold names.
    pub name_reference: Vec<BackReference>,
    /// Fields in which variables are replaced.
    pub var_reference: Vec<FieldSpec>,
    /// Fields of images.
    pub images: Vec<FieldSpec>,
    /// Fields of replicas.
    pub replicas: Vec<FieldSpec>,
}

impl FieldSpec {
    /// A field of any object.
    pub fn anywhere(path: &str, create: bool) -> Self {
        Self::new(spec::Gvk::default(), path, create)
    }

    fn new(gvk: spec::Gvk, path: &str, create: bool) -> Self {
        let parts = split(path, '/').into_iter().map(|name| match name.strip_suffix("[]") {
            Some(short) => Part { name: short.to_owned(), list: true },
            None => Part { name, list: false },
        });
        Self { gvk, path: path.to_owned(), parts: parts.collect(), create }
    }

    /// The type of the objects that have the field; empty parts mean any.
    pub fn gvk(&self) -> Gvk<'_> {
        self.gvk.as_gvk()
    }

    /// Whether objects of a type have the field.
    pub fn is_for(&self, gvk: Gvk<'_>) -> bool {
        gvk.is_selected_by(self.gvk())
    }
}

impl From<&FieldSpecArgs> for FieldSpec {
    fn from(args: &FieldSpecArgs) -> Self {
        Self::new(args.gvk.clone(), &args.path, args.create)
    }
}

impl BackReference {
    /// The type of the objects that are named.
    pub fn gvk(&self) -> Gvk<'_> {
        self.gvk.as_gvk()
    }
}

impl spec::Gvk {
    /// Borrowed.
    pub fn as_gvk(&self) -> Gvk<'_> {
        Gvk { group: &self.group, version: &self.version, kind: &self.kind }
    }
}

/// Splits a path; a backslash in front of a separator makes it part of a name.
pub fn split(path: &str, separator: char) -> Vec<String> {
    let path = path.strip_prefix(separator).unwrap_or(path);
    let mut parts: Vec<String> = Vec::new();
    for part in path.split(separator) {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(separator);
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

record! {
    /// A back reference as it is written.
    BackReferenceArgs = "NameBackReferences" {
        referrers: Vec<FieldSpecArgs> = "fieldSpecs",
        @ gvk: spec::Gvk = "Gvk",
    }
}

record! {
    /// A configuration file.
    ConfigArgs = "TransformerConfig" {
        name_prefix: Vec<FieldSpecArgs> = "namePrefix",
        name_suffix: Vec<FieldSpecArgs> = "nameSuffix",
        namespace: Vec<FieldSpecArgs> = "namespace",
        common_labels: Vec<FieldSpecArgs> = "commonLabels",
        labels: Vec<FieldSpecArgs> = "labels",
        template_labels: Vec<FieldSpecArgs> = "templateLabels",
        common_annotations: Vec<FieldSpecArgs> = "commonAnnotations",
        name_reference: Vec<BackReferenceArgs> = "nameReference",
        var_reference: Vec<FieldSpecArgs> = "varReference",
        images: Vec<FieldSpecArgs> = "images",
        replicas: Vec<FieldSpecArgs> = "replicas",
    }
}

impl Config {
    /// The built-in tables.
    pub fn built_in() -> &'static Arc<Self> {
        static BUILT_IN: OnceLock<Arc<Config>> = OnceLock::new();
        BUILT_IN.get_or_init(|| Arc::new(built_in::config()))
    }

    /// The tables of a configuration file.
    pub fn from_args(args: &ConfigArgs) -> Self {
        let specs = |list: &[FieldSpecArgs]| list.iter().map(FieldSpec::from).collect();
        let references = args.name_reference.iter().map(|reference| BackReference {
            gvk: reference.gvk.clone(),
            referrers: specs(&reference.referrers),
        });
        let mut config = Self {
            name_prefix: specs(&args.name_prefix),
            name_suffix: specs(&args.name_suffix),
            namespace: specs(&args.namespace),
            common_labels: specs(&args.common_labels),
            labels: specs(&args.labels),
            template_labels: specs(&args.template_labels),
            common_annotations: specs(&args.common_annotations),
            name_reference: references.collect(),
            var_reference: specs(&args.var_reference),
            images: specs(&args.images),
            replicas: specs(&args.replicas),
        };
        config.sort();
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split_at_slashes_that_are_not_escaped() {
        assert_eq!(split(r"/metadata/annotations/a\/b/c", '/'), ["metadata", "annotations", "a/b", "c"]);
        let spec = FieldSpec::anywhere("spec/containers[]/image", true);
        assert_eq!(spec.parts[1], Part { name: "containers".into(), list: true });
    }

    #[test]
    fn the_built_in_tables_are_complete() {
        let config = Config::built_in();
        let referrers: usize = config.name_reference.iter().map(|one| one.referrers.len()).sum();
        assert_eq!((config.name_reference.len(), referrers), (16, 167));
        assert_eq!((config.common_labels.len(), config.var_reference.len()), (32, 72));
    }
}
