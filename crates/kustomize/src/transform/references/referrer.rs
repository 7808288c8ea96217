//! The object whose fields name others.

use std::collections::HashSet;
use std::fmt::Write as _;

use towpath_yaml::{Content, Node};

use super::Field;
use super::candidates::{Candidate, Candidates};
use crate::error::Error;
use crate::id::Gvk;
use crate::resource::{Fit, Resource};
use crate::tree;

/// What has to be known of the object while its fields are changed.
pub struct Referrer<'c> {
    candidates: &'c Candidates,
    cluster_scoped: bool,
    namespace: String,
    /// The namespaces of the accounts that a role binding names.
    more_namespaces: HashSet<String>,
    /// Group and kind that a role binding's `roleRef` names.
    role: Option<(String, String)>,
    changes: Resource,
}

impl<'c> Referrer<'c> {
    /// For an object.
    pub fn of(resource: &Resource, candidates: &'c Candidates) -> Result<Self, Error> {
        let id = resource.id();
        let more_namespaces = if id.cluster_scoped { HashSet::new() } else { subject_namespaces(resource)? };
        let role = resource.node.get("roleRef").and_then(|role| {
            let field = |name| role.get(name).map(|node| tree::raw(node).to_owned());
            Some((field("apiGroup")?, field("kind")?))
        });
        Ok(Self {
            candidates,
            cluster_scoped: id.cluster_scoped,
            namespace: id.effective_namespace().to_owned(),
            more_namespaces,
            role,
            changes: resource.without_content(),
        })
    }

    /// Brings what a field holds up to date: a name, a map with a name in it, or a list of these.
    pub fn update(
        &self,
        node: &mut Node,
        field: &Field<'_>,
        ambiguous: &mut Option<Vec<usize>>,
    ) -> Result<(), Error> {
        if node.is_null() {
            return Ok(());
        }
        match &mut node.content {
            Content::Scalar(_) => self.update_name(node, field, ambiguous),
            Content::Map(_) => self.update_map(node, field, ambiguous),
            Content::List(items) => {
                items.iter_mut().filter(|item| !item.is_null()).try_for_each(|item| match item.content {
                    Content::Scalar(_) => self.update_name(item, field, ambiguous),
                    Content::Map(_) => self.update_map(item, field, ambiguous),
                    Content::List(_) => {
                        Err(Error::invalid("a list is expected to be either a string or a map of string"))
                    }
                })
            }
        }
    }

    fn update_name(
        &self,
        node: &mut Node,
        field: &Field<'_>,
        ambiguous: &mut Option<Vec<usize>>,
    ) -> Result<(), Error> {
        let name = tree::raw(node);
        let reachable = self.candidates.named(name).filter(|candidate| self.reaches(candidate));
        let same = |one: &Candidate, other: &Candidate| one.name == other.name;
        let Some(found) = self.select(reachable.collect(), field, same, ambiguous)? else { return Ok(()) };
        if found.name == name {
            return Ok(());
        }
        tree::replace_scalar(node, Node::scalar(found.name.as_str()))
    }

    fn update_map(
        &self,
        node: &mut Node,
        field: &Field<'_>,
        ambiguous: &mut Option<Vec<usize>>,
    ) -> Result<(), Error> {
        let Some(name) = node.get("name").map(|node| tree::raw(node).to_owned()) else {
            return Err(Error::invalid("path config error; no 'name' field in node"));
        };
        let named = self.candidates.named(&name).filter(|candidate| self.reaches(candidate));
        let found: Vec<_> = match node.get("namespace").map(tree::raw) {
            None => named.collect(),
            Some(namespace) => {
                let first = |candidate: &&Candidate| {
                    !candidate.cluster_scoped && candidate.original_namespace == namespace
                };
                let now = |candidate: &&Candidate| {
                    !candidate.cluster_scoped && candidate.effective_namespace == namespace
                };
                let any_first =
                    self.candidates.all().iter().filter(first).any(|candidate| self.reaches(candidate));
                if any_first { named.filter(first).collect() } else { named.filter(now).collect() }
            }
        };
        let same =
            |one: &Candidate, other: &Candidate| one.name == other.name && one.namespace == other.namespace;
        let Some(found) = self.select(found, field, same, ambiguous)? else { return Ok(()) };
        if found.name == name && found.namespace.is_empty() {
            return Ok(());
        }
        tree::set_field(node, "name", Node::scalar(found.name.as_str()))?;
        if !found.namespace.is_empty() {
            tree::set_field(node, "namespace", Node::scalar(found.namespace.as_str()))?;
        }
        Ok(())
    }

    /// Whether the object can name another one at all.
    fn reaches(&self, candidate: &Candidate) -> bool {
        self.cluster_scoped
            || candidate.cluster_scoped
            || candidate.effective_namespace == self.namespace
            || self.more_namespaces.contains(&candidate.namespace)
    }

    /// The one that is meant; none if there is none.
    fn select<'a>(
        &self,
        mut found: Vec<&'a Candidate>,
        field: &Field<'_>,
        same: impl Fn(&Candidate, &Candidate) -> bool,
        ambiguous: &mut Option<Vec<usize>>,
    ) -> Result<Option<&'a Candidate>, Error> {
        found.retain(|candidate| candidate.was(field.target));
        if let Some((group, kind)) = self.role.as_ref().filter(|_| field.spec.path.ends_with("roleRef/name"))
        {
            found.retain(|candidate| candidate.was(Gvk { group, version: "", kind }));
        }
        if !self.cluster_scoped {
            found.retain(|candidate| {
                candidate.cluster_scoped
                    || candidate.is_service_account
                    || candidate.effective_namespace == self.namespace
            });
        }
        if found.len() != 1 {
            found.retain(|candidate| candidate.is_named_like(&self.changes, Fit::Loose));
        }
        if found.len() > 1 {
            found.retain(|candidate| candidate.is_named_like(&self.changes, Fit::Exact));
        }
        let Some((first, others)) = found.split_first() else { return Ok(None) };
        if others.iter().all(|other| same(first, other)) {
            return Ok(Some(first));
        }
        *ambiguous = Some(found.iter().map(|candidate| candidate.at).collect());
        Err(Error::invalid("found multiple possible referrals"))
    }

    /// What upstream says when several objects are meant.
    pub fn details(list: &[Resource], at: usize, places: &[usize]) -> String {
        let yaml = |at: usize| {
            list.get(at)
                .map(|resource| towpath_yaml::write(&resource.node).unwrap_or_default())
                .unwrap_or_default()
        };
        let found: Vec<_> =
            places.iter().filter_map(|at| list.get(*at)).map(|one| one.id().to_string()).collect();
        let mut text = format!(
            "found multiple possible referrals: {}\n\n**** Too many possible referral targets to referrer:\n{}\n",
            found.join(", "),
            yaml(at)
        );
        for (number, place) in places.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "--- possible referral {number}:\n{}", yaml(*place));
        }
        text
    }
}

/// The namespaces of the service accounts among the subjects of a role binding.
fn subject_namespaces(resource: &Resource) -> Result<HashSet<String>, Error> {
    let mut namespaces = HashSet::new();
    if resource.kind() != "RoleBinding" {
        return Ok(namespaces);
    }
    for subject in resource.node.get("subjects").map(Node::items).unwrap_or_default() {
        let account = subject.get("kind").is_some_and(|kind| tree::raw(kind) == "ServiceAccount");
        let Some(namespace) = subject.get("namespace").filter(|_| account) else { continue };
        if !matches!(namespace.to_json(), Ok(serde_json::Value::String(_))) {
            return Err(Error::invalid(format!(
                "Invalid Input: namespace is blank for resource {:?}\n",
                resource.id().to_string()
            )));
        }
        namespaces.insert(tree::raw(namespace).to_owned());
    }
    Ok(namespaces)
}
