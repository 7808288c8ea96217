//! Prefixes and suffixes of names.

use towpath_yaml::{Node, Tag};

use crate::config::FieldSpec;
use crate::error::Error;
use crate::id::Gvk;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::tree;
use crate::walk::{Make, each_field};

/// What is put to a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affix {
    /// In front of it.
    Prefix(String),
    /// Behind it.
    Suffix(String),
}

/// Kinds whose names mean something outside.
const KEPT: [Gvk<'_>; 3] = [
    Gvk { group: "", version: "", kind: "CustomResourceDefinition" },
    Gvk { group: "apiregistration.k8s.io", version: "", kind: "APIService" },
    Gvk { group: "", version: "", kind: "Namespace" },
];

impl Affix {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Self::Prefix(text) | Self::Suffix(text) => text,
        }
    }

    fn put_to(&self, name: &str) -> String {
        match self {
            Self::Prefix(prefix) => format!("{prefix}{name}"),
            Self::Suffix(suffix) => format!("{name}{suffix}"),
        }
    }

    fn remember(&self, resource: &mut Resource) {
        let list = match self {
            Self::Prefix(_) => &mut resource.memory.prefixes,
            Self::Suffix(_) => &mut resource.memory.suffixes,
        };
        if !self.text().is_empty() {
            list.push(self.text().to_owned());
            resource.remember_id();
        }
    }
}

/// Changes the names, and remembers that and how.
pub fn rename(resources: &mut Resources, affix: &Affix, specs: &[FieldSpec]) -> Result<(), Error> {
    for resource in resources.list_mut() {
        let gvk = resource.original_id().gvk;
        if KEPT.iter().any(|kept| gvk.is_selected_by(*kept)) {
            continue;
        }
        let fitting: Vec<_> = specs.iter().filter(|spec| spec.is_for(gvk)).collect();
        for spec in fitting {
            if spec.path == "metadata/name" {
                affix.remember(resource);
            }
            each_field(resource, spec, Make::Scalar(Tag::Str), &mut |node| {
                let name = affix.put_to(tree::raw(node));
                tree::replace_scalar(node, Node::scalar(name))
            })?;
        }
    }
    Ok(())
}
