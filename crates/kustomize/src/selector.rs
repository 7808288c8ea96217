//! Which objects a target means.

use regex::Regex;
use towpath_object::LabelSelector;

use crate::error::Error;
use crate::id::{Gvk, Id};
use crate::resource::Resource;
use crate::spec;
use crate::tree;

/// A pattern that has to match a whole text.
#[derive(Clone, Debug)]
enum Pattern {
    Any,
    /// Without special characters; most are.
    Text(String),
    Regex(Regex),
}

impl Pattern {
    fn new(pattern: &str) -> Result<Self, Error> {
        if pattern.is_empty() {
            return Ok(Self::Any);
        }
        if !pattern.contains(['\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$']) {
            return Ok(Self::Text(pattern.to_owned()));
        }
        Regex::new(&format!("^(?:{pattern})$")).map(Self::Regex).map_err(|error| {
            Error::invalid(format!("error parsing regexp: {}", last_line(&error.to_string())))
        })
    }

    fn takes(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Text(wanted) => wanted == text,
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ")
}

/// A selector, ready for use.
#[derive(Clone, Debug)]
pub struct Selector {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
    labels: Metadata,
    annotations: Metadata,
}

/// A selector of labels or annotations.
#[derive(Clone, Debug)]
struct Metadata {
    field: &'static str,
    selector: Result<LabelSelector, String>,
}

impl Metadata {
    fn new(field: &'static str, text: &str) -> Self {
        Self { field, selector: LabelSelector::parse(text).map_err(|error| error.to_string()) }
    }

    fn takes(&self, resource: &Resource) -> Result<bool, Error> {
        match &self.selector {
            Err(error) => Err(Error::invalid(error.clone())),
            Ok(selector) if selector.is_all() => Ok(true),
            Ok(selector) => {
                let texts = tree::texts(&resource.node, self.field);
                Ok(selector.takes(|name| texts.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)))
            }
        }
    }
}

impl Selector {
    /// Compiles the patterns.
    pub fn new(selector: &spec::Selector) -> Result<Self, Error> {
        let gvk = &selector.id.gvk;
        Ok(Self {
            group: Pattern::new(&gvk.group)?,
            version: Pattern::new(&gvk.version)?,
            kind: Pattern::new(&gvk.kind)?,
            name: Pattern::new(&selector.id.name)?,
            namespace: Pattern::new(&selector.id.namespace)?,
            labels: Metadata::new("labels", &selector.labels),
            annotations: Metadata::new("annotations", &selector.annotations),
        })
    }

    /// Whether an object of a type is meant.
    pub fn takes_gvk(&self, gvk: Gvk<'_>) -> bool {
        self.kind.takes(gvk.kind) && self.group.takes(gvk.group) && self.version.takes(gvk.version)
    }

    /// Whether an id is meant, with its namespace as written.
    pub fn takes_id(&self, id: &Id<'_>) -> bool {
        self.takes_gvk(id.gvk) && self.name.takes(id.name) && self.namespace.takes(id.namespace)
    }

    /// Whether the labels and annotations of an object fit.
    pub fn takes_metadata(&self, resource: &Resource) -> Result<bool, Error> {
        Ok(self.annotations.takes(resource)? && self.labels.takes(resource)?)
    }

    /// Whether an object is meant, by its first or current name and namespace.
    pub fn takes(&self, resource: &Resource) -> Result<bool, Error> {
        if !self.takes_gvk(resource.gvk()) {
            return Ok(false);
        }
        let (id, original) = (resource.id(), resource.original_id());
        let named = self.name.takes(original.name) || self.name.takes(id.name);
        let placed = self.namespace.takes(original.effective_namespace())
            || self.namespace.takes(id.effective_namespace());
        Ok(named && placed && self.labels.takes(resource)? && self.annotations.takes(resource)?)
    }
}
