//! The namespace of all objects.

use std::collections::HashMap;

use towpath_yaml::{Content, Node, Tag};

use crate::config::FieldSpec;
use crate::error::{Error, Within};
use crate::resource::Resource;
use crate::resources::Resources;
use crate::tree;
use crate::walk::{Make, each_field};

/// Which subjects of role bindings are changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subjects {
    /// Those named `default`.
    #[default]
    Default,
    /// All service accounts.
    ServiceAccounts,
    /// None.
    None,
}

impl Subjects {
    /// From the word for it.
    pub fn new(word: &str) -> Result<Self, Error> {
        match word {
            "" | "defaultOnly" => Ok(Self::Default),
            "allServiceAccounts" => Ok(Self::ServiceAccounts),
            "none" => Ok(Self::None),
            _ => Err(Error::invalid(format!(
                "invalid value {word:?} for setRoleBindingSubjects: must be one of \
                 \"defaultOnly\", \"none\" or \"allServiceAccounts\""
            ))),
        }
    }
}

/// A namespace, and where it goes.
#[derive(Clone, Debug, Default)]
pub struct Namespace {
    /// The namespace.
    pub name: String,
    /// The fields beside that of the metadata.
    pub specs: Vec<FieldSpec>,
    /// Whether only objects without a namespace get it.
    pub unset_only: bool,
    /// Which subjects of role bindings get it.
    pub subjects: Subjects,
}

impl Namespace {
    /// Changes all objects. Two must not become one.
    pub fn set(&self, resources: &mut Resources) -> Result<(), Error> {
        if self.name.is_empty() {
            return Ok(());
        }
        let mut seen = Seen::of(resources.list());
        for (at, resource) in resources.list_mut().iter_mut().enumerate() {
            if resource.is_gone() {
                continue;
            }
            resource.remember_id();
            seen.leave(at);
            self.set_in(resource)?;
            seen.enter(at, resource)?;
        }
        Ok(())
    }

    /// Changes one object.
    pub fn set_in(&self, resource: &mut Resource) -> Result<(), Error> {
        let mut change = |node: &mut Node| self.write(node);
        if !resource.id().cluster_scoped {
            let spec = FieldSpec::anywhere("metadata/namespace", true);
            each_field(resource, &spec, Make::Scalar(Tag::None), &mut change)?;
        }
        let binding = matches!(resource.kind(), "RoleBinding" | "ClusterRoleBinding");
        if binding {
            self.set_subjects(&mut resource.node)
                .within(|| "setting namespace on (cluster)role binding subjects")?;
        }
        let core = resource.api_version() == "v1";
        for spec in &self.specs {
            let unneeded = spec.path == "metadata/namespace"
                || (spec.path == "metadata/name" && !core)
                || (binding
                    && matches!(spec.gvk().kind, "RoleBinding" | "ClusterRoleBinding")
                    && spec.path == "subjects/namespace");
            if !unneeded {
                each_field(resource, spec, Make::Scalar(Tag::Str), &mut change)
                    .within(|| "namespace transformation failed")?;
            }
        }
        Ok(())
    }

    fn write(&self, node: &mut Node) -> Result<(), Error> {
        if self.unset_only && !tree::value(node).is_empty() {
            return Ok(());
        }
        tree::replace_scalar(node, Node::text(self.name.as_str()))
    }

    fn set_subjects(&self, object: &mut Node) -> Result<(), Error> {
        let (field, wanted) = match self.subjects {
            Subjects::None => return Ok(()),
            Subjects::Default => ("name", "default"),
            Subjects::ServiceAccounts => ("kind", "ServiceAccount"),
        };
        let Some(subjects) = object.get_mut("subjects").filter(|subjects| !subjects.is_null()) else {
            return Ok(());
        };
        let Content::List(subjects) = &mut subjects.content else {
            return Err(tree::wrong_kind(subjects, "SequenceNode"));
        };
        for subject in subjects {
            if subject.get(field).is_some_and(|node| !node.is_null() && tree::value(node) == wanted) {
                if subject.get("namespace").is_none() {
                    subject.put("namespace", Node::scalar(""));
                }
                if let Some(namespace) = subject.get_mut("namespace") {
                    self.write(namespace)?;
                }
            }
        }
        Ok(())
    }
}

/// How many objects have each id while ids change one by one.
struct Seen {
    ids: HashMap<String, usize>,
    of: Vec<String>,
}

impl Seen {
    fn of(list: &[Resource]) -> Self {
        let of: Vec<_> = list.iter().map(key).collect();
        let mut ids = HashMap::with_capacity(of.len());
        for id in &of {
            *ids.entry(id.clone()).or_default() += 1;
        }
        Self { ids, of }
    }

    fn leave(&mut self, at: usize) {
        if let Some(count) = self.of.get(at).and_then(|id| self.ids.get_mut(id)) {
            *count -= 1;
        }
    }

    fn enter(&mut self, at: usize, resource: &Resource) -> Result<(), Error> {
        let id = key(resource);
        let count = self.ids.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            return Err(Error::invalid(format!(
                "namespace transformation produces ID conflict: {count} objects are now {}",
                resource.id()
            )));
        }
        if let Some(place) = self.of.get_mut(at) {
            *place = id;
        }
        Ok(())
    }
}

fn key(resource: &Resource) -> String {
    let id = resource.id();
    format!("{}|{}|{}", id.gvk, id.name, id.effective_namespace())
}
