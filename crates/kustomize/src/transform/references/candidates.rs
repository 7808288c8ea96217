//! The objects that a name can mean: those that once had another one.

use std::collections::HashMap;

use crate::id::Gvk;
use crate::resource::{Fit, Resource};

/// What has to be known of an object to tell whether it is meant.
pub struct Candidate {
    /// Where it is.
    pub at: usize,
    /// Its name now.
    pub name: String,
    /// Its namespace now, as written.
    pub namespace: String,
    /// Its namespace now.
    pub effective_namespace: String,
    /// Its namespace at first.
    pub original_namespace: String,
    /// Whether it is outside of namespaces.
    pub cluster_scoped: bool,
    /// Whether its kind is ServiceAccount.
    pub is_service_account: bool,
    api_version: String,
    previous: Vec<(String, String)>,
    /// The object without its content, for its prefixes and suffixes.
    changes: Resource,
}

impl Candidate {
    fn of(at: usize, resource: &Resource) -> Self {
        let id = resource.id();
        let previous = resource.previous_ids().map(|id| (id.gvk.kind.to_owned(), id.name.to_owned()));
        Self {
            at,
            name: id.name.to_owned(),
            namespace: id.namespace.to_owned(),
            effective_namespace: id.effective_namespace().to_owned(),
            original_namespace: resource.original_id().effective_namespace().to_owned(),
            cluster_scoped: id.cluster_scoped,
            is_service_account: id.gvk.kind == "ServiceAccount",
            api_version: resource.api_version().to_owned(),
            previous: previous.collect(),
            changes: resource.without_content(),
        }
    }

    /// Whether it once was of a type.
    pub fn was(&self, gvk: Gvk<'_>) -> bool {
        self.previous.iter().any(|(kind, _)| Gvk::new(&self.api_version, kind).is_selected_by(gvk))
    }

    /// Whether its name was changed by the kustomizations that changed another one's.
    pub fn is_named_like(&self, other: &Resource, fit: Fit) -> bool {
        self.changes.is_named_like(other, fit)
    }
}

/// All candidates, by the names they once had.
pub struct Candidates {
    all: Vec<Candidate>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Candidates {
    /// Those among the objects.
    pub fn of(list: &[Resource]) -> Self {
        let renamed = list.iter().enumerate().filter(|(_, resource)| !resource.memory.previous.is_empty());
        let all: Vec<_> = renamed.map(|(at, resource)| Candidate::of(at, resource)).collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, candidate) in all.iter().enumerate() {
            for (_, name) in &candidate.previous {
                let numbers = by_name.entry(name.clone()).or_default();
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
        }
        Self { all, by_name }
    }

    /// Those that once had a name, in their order.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Candidate> {
        self.by_name.get(name).into_iter().flatten().filter_map(|number| self.all.get(*number))
    }

    /// All.
    pub fn all(&self) -> &[Candidate] {
        &self.all
    }
}
