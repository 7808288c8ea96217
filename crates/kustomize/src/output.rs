//! The objects of a finished build.

use std::collections::BTreeSet;

use towpath_yaml::{Node, write, write_to};

use crate::error::Error;
use crate::id::NOT_NAMESPACED;
use crate::resource::Resource;

/// What a build gives.
#[derive(Clone, Debug)]
pub struct Output {
    resources: Vec<Resource>,
    warnings: Vec<String>,
}

impl Output {
    pub(crate) fn new(resources: Vec<Resource>, warnings: Vec<String>) -> Self {
        Self { resources, warnings }
    }

    /// What the build had to say that is no error.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The objects in their order.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &Node> {
        self.resources.iter().map(|resource| &resource.node)
    }

    /// Puts what `change` makes of an object in its place; where it makes nothing, the object stays.
    pub fn change<E>(&mut self, mut change: impl FnMut(&Node) -> Result<Option<Node>, E>) -> Result<(), E> {
        for resource in &mut self.resources {
            if let Some(node) = change(&resource.node)? {
                resource.node = node;
            }
        }
        Ok(())
    }

    /// All objects as one text, separated by `---`.
    pub fn to_yaml(&self) -> Result<String, Error> {
        let mut text = String::new();
        for (number, resource) in self.resources.iter().enumerate() {
            if number > 0 {
                text.push_str("---\n");
            }
            write_to(&resource.node, &mut text).map_err(|error| unwritable(&error))?;
        }
        Ok(text)
    }

    /// Each object as a file of its own, named as kustomize does.
    pub fn to_files(&self) -> Result<Vec<(String, String)>, Error> {
        let space = |resource: &Resource| resource.id().effective_namespace().to_owned();
        let spaces: BTreeSet<String> =
            self.resources.iter().map(space).filter(|space| space != NOT_NAMESPACED).collect();
        let file = |resource: &Resource| {
            let space = space(resource);
            let mut name = file_name(resource);
            if spaces.len() > 1 && space != NOT_NAMESPACED {
                name = format!("{}_{name}", space.to_lowercase());
            }
            Ok((name, write(&resource.node).map_err(|error| unwritable(&error))?))
        };
        self.resources.iter().map(file).collect()
    }
}

fn unwritable(error: &towpath_yaml::WriteError) -> Error {
    Error::invalid(format!("map[string]interface {{}}(nil): {error}"))
}

fn file_name(resource: &Resource) -> String {
    let gvk = resource.gvk();
    let parts: Vec<_> = [gvk.group, gvk.version, gvk.kind]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!("{}_{}.yaml", parts.join("_"), resource.name().to_lowercase())
}
