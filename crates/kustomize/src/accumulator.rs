//! What a kustomization has brought together so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use towpath_yaml::{Entry, Node};

use crate::config::Config;
use crate::error::{Error, Within};
use crate::id::Id;
use crate::resource::{Behavior, Memory, Resource};
use crate::resources::Resources;
use crate::spec::Var;
use crate::transform::variables::shown;
use crate::tree;

/// Objects, the tables for them, and variables.
#[derive(Default)]
pub struct Accumulator {
    /// The objects.
    pub resources: Resources,
    /// Which fields of them are touched.
    pub config: Arc<Config>,
    /// The variables by name.
    pub variables: BTreeMap<String, Var>,
}

impl Accumulator {
    /// Adds tables.
    pub fn merge_config(&mut self, config: &Arc<Config>) -> Result<(), Error> {
        self.config = self.config.merged(config)?;
        Ok(())
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: Self) -> Result<(), Error> {
        self.resources.append_all(other.resources.into_list())?;
        self.merge_config(&other.config)?;
        other.variables.into_values().try_for_each(|variable| self.add_variable(variable))
    }

    /// Adds variables, and marks the objects that they take their values from.
    pub fn merge_variables(&mut self, variables: &[Var]) -> Result<(), Error> {
        let all = || variables.iter().map(shown).collect::<Vec<_>>().join(" ");
        for variable in variables {
            self.mark(variable).within(|| format!("merging vars [{}]", all()))?;
        }
        let add = |variable: &Var| self.add_variable(variable.clone().with_defaults());
        variables.iter().try_for_each(add).within(|| format!("merging vars [{}]", all()))
    }

    fn mark(&mut self, variable: &Var) -> Result<(), Error> {
        let target = variable.clone().with_defaults().objref;
        let wanted = Id {
            gvk: target.gvk.as_gvk(),
            name: &target.name,
            namespace: &target.namespace,
            cluster_scoped: false,
        };
        let is_it = |id: Id<'_>| {
            id.name == wanted.name
                && id.gvk == wanted.gvk
                && (wanted.namespace.is_empty() || wanted.effective_namespace() == id.effective_namespace())
        };
        let holds = |resource: &Resource| {
            !resource.is_gone() && resource.previous_ids().chain([resource.id()]).any(is_it)
        };
        let found: Vec<_> = self.resources.list().iter().enumerate().filter(|(_, one)| holds(one)).collect();
        match found.as_slice() {
            [] => {}
            [(at, _)] => {
                let at = *at;
                self.resources.change(at, |resource| resource.variables.push(variable.name.clone()));
            }
            many => {
                let shown = shown(&Var { objref: target.clone(), ..variable.clone() });
                let count = many.len();
                return Err(Error::invalid(format!(
                    "found {count} resId matches for var {shown} (unable to disambiguate)"
                )));
            }
        }
        Ok(())
    }

    fn add_variable(&mut self, variable: Var) -> Result<(), Error> {
        if self.variables.contains_key(&variable.name) {
            return Err(Error::invalid(format!("var '{}' already encountered", variable.name)));
        }
        self.variables.insert(variable.name.clone(), variable);
        Ok(())
    }

    /// Adds a generated object: as a new one, or over one that has or had its id.
    pub fn absorb(&mut self, resource: Resource) -> Result<(), Error> {
        let behavior = resource.memory.behavior;
        let found = self.resources.find_any(&resource.id());
        match (found.as_slice(), behavior) {
            ([], Behavior::Merge | Behavior::Replace) => Err(Error::invalid(format!(
                "id {} does not exist; cannot merge or replace",
                in_go(&resource.id())
            ))),
            ([], _) => self.resources.append(resource),
            ([at], Behavior::Merge | Behavior::Replace) => {
                let at = *at;
                self.resources.change(at, |old| lay_over(old, resource, behavior));
                Ok(())
            }
            ([_], _) => Err(Error::invalid(format!(
                "id {} exists; can not use behavior: '{}', behavior must be merge or replace",
                in_go(&resource.id()),
                behavior.word()
            ))),
            (many, _) => Err(Error::invalid(format!(
                "found multiple objects ({}) that could accept merge of {}",
                many.len(),
                resource.id()
            ))),
        }
    }
}

/// An id as Go prints a struct.
fn in_go(id: &Id<'_>) -> String {
    let gvk = id.gvk;
    format!(
        "resid.ResId{{Gvk:resid.Gvk{{Group:{:?}, Version:{:?}, Kind:{:?}, isClusterScoped:{}}}, Name:{:?}, Namespace:{:?}}}",
        gvk.group, gvk.version, gvk.kind, id.cluster_scoped, id.name, id.namespace
    )
}

/// Puts a generated object in the place of another one, which keeps its name and what is remembered of it.
fn lay_over(old: &mut Resource, mut new: Resource, behavior: Behavior) {
    for field in ["labels", "annotations"] {
        let over = laid_over(&tree::texts(&old.node, field), &tree::texts(&new.node, field));
        tree::set_texts(&mut new.node, field, over);
    }
    if behavior == Behavior::Merge {
        for field in ["data", "binaryData"] {
            let entries = |node: &Node| -> Vec<(String, String)> {
                let entries = node.get(field).map(Node::entries).unwrap_or_default();
                let pair = |entry: &Entry| (entry.key.text.to_string(), tree::value(&entry.value).to_owned());
                entries.iter().map(pair).collect()
            };
            let all: BTreeMap<String, String> =
                entries(&old.node).into_iter().chain(entries(&new.node)).collect();
            new.node.remove(field);
            if !all.is_empty() {
                let mut map = tree::empty_map();
                for (key, value) in all {
                    map.put(&key, tree::long_text(value));
                }
                new.node.put(field, map);
            }
        }
        if old.origin.is_some() {
            new.origin.clone_from(&old.origin);
        }
    }
    tree::set_metadata(&mut new.node, "name", Node::scalar(old.name()));
    tree::set_namespace(&mut new.node, old.namespace());
    let needs_hash = old.memory.needs_hash && new.memory.needs_hash;
    new.memory = Memory { needs_hash, ..std::mem::take(&mut old.memory) };
    new.variables = std::mem::take(&mut old.variables);
    if new.transformations.is_empty() {
        new.transformations = std::mem::take(&mut old.transformations);
    }
    *old = new;
}

/// Two lists of pairs as one; the second has the last word.
fn laid_over(below: &[(&str, &str)], above: &[(&str, &str)]) -> Vec<(String, String)> {
    let all: BTreeMap<&str, &str> = below.iter().chain(above).copied().collect();
    all.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}
