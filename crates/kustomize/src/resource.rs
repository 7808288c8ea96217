//! An object on its way through the build, with what the build has to remember of it.

use towpath_yaml::Node;

use crate::id::{Gvk, Id};
use crate::kinds::Kinds;
use crate::origin::Origin;
use crate::tree;

/// What happens when a generated object meets one of the same id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behavior {
    /// It must not be there yet; nobody said so.
    #[default]
    Unspecified,
    /// It must not be there yet.
    Create,
    /// It takes the other's place.
    Replace,
    /// Its data is laid over the other's.
    Merge,
}

impl Behavior {
    /// From the word for it; other words are as none.
    pub fn new(word: &str) -> Self {
        match word {
            "create" => Self::Create,
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            _ => Self::Unspecified,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Merge => "merge",
        }
    }
}

/// How well the changes of two names have to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// No changes fit any.
    Loose,
    /// They end alike.
    Exact,
}

/// Who an object was before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Previous {
    name: String,
    namespace: String,
    kind: String,
}

/// What the build remembers of an object. Upstream keeps this in annotations of the object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Who it was, oldest first.
    pub previous: Vec<Previous>,
    /// The prefixes that its name got.
    pub prefixes: Vec<String>,
    /// The suffixes that its name got.
    pub suffixes: Vec<String>,
    /// For generated objects.
    pub behavior: Behavior,
    /// Whether its name gets a hash of its content.
    pub needs_hash: bool,
}

impl Memory {
    /// What is written on an object: other programs pass on what kustomize remembers.
    fn written_on(node: &Node) -> Self {
        let mut memory = Self::default();
        let annotations = node.at(&["metadata", "annotations"]).map(Node::entries).unwrap_or_default();
        let list = |value: &str| value.split(',').map(str::to_owned).collect();
        let (mut names, mut spaces, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        for entry in annotations {
            let Some(word) = entry.key.text.strip_prefix("internal.config.kubernetes.io/") else { continue };
            let value = tree::raw(&entry.value);
            match word {
                "needsHashSuffix" => memory.needs_hash = value == "enabled",
                "generatorBehavior" => memory.behavior = Behavior::new(value),
                "prefixes" => memory.prefixes = list(value),
                "suffixes" => memory.suffixes = list(value),
                "previousNames" => names = list(value),
                "previousNamespaces" => spaces = list(value),
                "previousKinds" => kinds = list(value),
                _ => {}
            }
        }
        if names.len() == spaces.len() && names.len() == kinds.len() {
            let ids = names.into_iter().zip(spaces).zip(kinds);
            memory.previous =
                ids.map(|((name, namespace), kind)| Previous { name, namespace, kind }).collect();
        }
        memory
    }
}

/// An object.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its content; null when it was deleted.
    pub node: Node,
    /// What the build remembers of it.
    pub memory: Memory,
    /// The variables that take their value from it.
    pub variables: Vec<String>,
    /// Where it came from.
    pub origin: Option<Origin>,
    /// What changed it.
    pub transformations: Vec<Origin>,
    /// What the build knows of kinds.
    pub kinds: Kinds,
}

impl Resource {
    /// An object that nothing is known of yet, but what upstream's annotations on it say.
    pub fn new(node: Node, kinds: &Kinds) -> Self {
        let resource = Self {
            memory: Memory::written_on(&node),
            node,
            variables: Vec::new(),
            origin: None,
            transformations: Vec::new(),
            kinds: kinds.clone(),
        };
        kinds.meet(resource.api_version(), resource.kind());
        resource
    }

    /// Whether it was deleted or has no content.
    pub fn is_gone(&self) -> bool {
        self.node.is_empty()
    }

    /// The apiVersion.
    pub fn api_version(&self) -> &str {
        self.node.get("apiVersion").map_or("", tree::raw)
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        self.node.get("kind").map_or("", tree::raw)
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.metadata("name")
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        self.metadata("namespace")
    }

    fn metadata(&self, field: &str) -> &str {
        let present = |node: &&Node| !node.is_empty();
        let metadata = self.node.get("metadata").filter(present);
        metadata.and_then(|metadata| metadata.get(field)).filter(present).map_or("", tree::raw)
    }

    /// The type.
    pub fn gvk(&self) -> Gvk<'_> {
        Gvk::new(self.api_version(), self.kind())
    }

    /// Who it is now.
    pub fn id(&self) -> Id<'_> {
        let (api_version, kind) = (self.api_version(), self.kind());
        Id {
            gvk: Gvk::new(api_version, kind),
            name: self.name(),
            namespace: self.namespace(),
            cluster_scoped: self.kinds.is_cluster_scoped(api_version, kind),
        }
    }

    /// Who it was, oldest first.
    pub fn previous_ids(&self) -> impl Iterator<Item = Id<'_>> {
        let api_version = if self.memory.previous.is_empty() { "" } else { self.api_version() };
        self.memory.previous.iter().map(move |previous| Id {
            gvk: Gvk::new(api_version, &previous.kind),
            name: &previous.name,
            namespace: &previous.namespace,
            cluster_scoped: false,
        })
    }

    /// Who it was at first.
    pub fn original_id(&self) -> Id<'_> {
        self.previous_ids().next().unwrap_or_else(|| self.id())
    }

    /// Remembers who it is now, before a change.
    pub fn remember_id(&mut self) {
        let id = self.id();
        let previous = Previous {
            name: id.name.to_owned(),
            namespace: id.effective_namespace().to_owned(),
            kind: id.gvk.kind.to_owned(),
        };
        self.memory.previous.push(previous);
    }

    /// Whether the names of both were changed by the same kustomizations. With [`Fit::Loose`] a name without changes
    /// fits any.
    pub fn is_named_like(&self, other: &Self, fit: Fit) -> bool {
        let alike = |one: &[String], other: &[String]| {
            if one.is_empty() || other.is_empty() {
                return fit == Fit::Loose || one.len() == other.len();
            }
            one.iter().rev().zip(other.iter().rev()).all(|(one, other)| one == other)
        };
        alike(&self.memory.prefixes, &other.memory.prefixes)
            && alike(&self.memory.suffixes, &other.memory.suffixes)
    }

    /// What the build remembers of it, without its content.
    pub fn without_content(&self) -> Self {
        Self {
            node: Node::null(),
            memory: self.memory.clone(),
            variables: Vec::new(),
            origin: None,
            transformations: Vec::new(),
            kinds: self.kinds.clone(),
        }
    }

    /// Notes what changed it. What has no origin was made by it.
    pub fn changed_by(&mut self, origin: &Origin) {
        match self.origin {
            Some(_) => self.transformations.push(origin.clone()),
            None => self.origin = Some(origin.clone()),
        }
    }
}
