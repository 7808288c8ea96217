//! What a sync is asked to do, and everything it has to know for that.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use towpath_object::{Invalid, Key, Kinds, Object, Resource};

use super::SyncOptions;
use crate::{Manifest, Origin, Target};

/// Whose rules decide about order, hooks, waiting and failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// Argo CD's: phases and waves, an order of kinds within a wave, health between waves.
    Argo,
    /// Flux's: stages of kinds, everything in a stage together. Hooks and waves under our own names only.
    #[default]
    Kstatus,
    /// Ours, for people who come from anywhere: the stages and the health of Flux, and hooks, waves and options under
    /// everybody's names.
    Towpath,
}

impl Rules {
    /// True when the annotations of Argo CD and Helm count beside ours.
    pub fn read_foreign_names(self) -> bool {
        self != Self::Kstatus
    }

    /// True when kinds are applied in stages, and what is in a stage together.
    pub fn have_stages(self) -> bool {
        self != Self::Argo
    }
}

/// A request for a sync.
pub struct Request<'a> {
    /// Whose rules.
    pub rules: Rules,
    /// The options of the operation.
    pub options: SyncOptions,
    /// The unit's namespace: where objects go that name none.
    pub namespace: String,
    /// Labels and annotations that the unit's namespace is to have, with `CreateNamespace`.
    pub namespace_metadata: Option<NamespaceMetadata>,
    /// Everything that is wanted, hooks included, with the unit's marks on it.
    pub wanted: Vec<Wanted>,
    /// Everything that is live and belongs to the unit or has the name of something wanted, and the unit's
    /// namespace if it exists.
    pub live: Vec<Object>,
    /// Which of the objects.
    pub selection: Selection,
    /// The revision that is synced, for the names of hooks.
    pub revision: String,
    /// When the operation began, for the names of hooks and for consent to deletions.
    pub started: Timestamp,
    /// What the server serves.
    pub kinds: &'a Kinds,
    /// API groups that could not be discovered, and why.
    pub unreadable: &'a BTreeMap<String, String>,
    /// Answers that only the caller has.
    pub caller: &'a dyn Caller,
}

/// What a schedule has to ask its caller. The defaults know nothing and allow everything.
pub trait Caller {
    /// May this be applied or deleted? A reason vetoes the operation. The resource is missing for kinds that
    /// come into being during the operation.
    fn permit(&self, _object: &Object, _resource: Option<&Resource>) -> Result<(), String> {
        Ok(())
    }

    /// Would an apply change the live object? Unknown counts as yes.
    fn modified(&self, _key: &Key) -> Option<bool> {
        None
    }

    /// The other unit that a live object belongs to.
    fn other_owner(&self, _live: &Object) -> Option<String> {
        None
    }

    /// Are hooks that are no longer wanted pruned like anything else? Argo CD leaves them behind.
    fn prunes_hooks(&self) -> bool {
        false
    }
}

/// A caller who allows everything and knows nothing.
impl Caller for () {}

/// A wanted object. Hooks may have a `generateName` instead of a name.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The object; while it has no name of its own, the prefix stands for it.
    pub object: Object,
    /// The prefix of the name it will be given.
    pub prefix: Option<String>,
    /// Where it was written.
    pub origin: Option<Origin>,
}

impl Wanted {
    /// Checks and takes an object as it was written.
    pub fn new(mut value: Value, origin: Option<Origin>) -> Result<Self, Invalid> {
        let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let prefix = if name.is_empty() { name_by_prefix(&mut value) } else { None };
        Ok(Self { object: Object::new(value)?, prefix, origin })
    }
}

impl From<Manifest> for Wanted {
    fn from(manifest: Manifest) -> Self {
        Self { object: manifest.object, prefix: None, origin: Some(manifest.origin) }
    }
}

impl From<Target> for Wanted {
    fn from(target: Target) -> Self {
        let prefix = target.object.value().pointer("/metadata/generateName").and_then(Value::as_str);
        if prefix != Some(target.object.name()) {
            return Self { object: target.object, prefix: None, origin: Some(target.origin) };
        }
        let mut value = target.object.into_value();
        let prefix = name_by_prefix(&mut value);
        let object = Object::new(value).expect("its identity did not change");
        Self { object, prefix, origin: Some(target.origin) }
    }
}

/// Puts the prefix of a name that is yet to be given in the place of the name.
fn name_by_prefix(value: &mut Value) -> Option<String> {
    let metadata = value.get_mut("metadata").and_then(Value::as_object_mut)?;
    let Some(Value::String(prefix)) = metadata.remove("generateName") else { return None };
    if prefix.is_empty() {
        return None;
    }
    metadata.insert("name".into(), prefix.clone().into());
    Some(prefix)
}

/// Labels and annotations of the unit's namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NamespaceMetadata {
    /// Its labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
}

/// Which objects of a unit are synced.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Selection {
    /// All of them, and hooks.
    #[default]
    All,
    /// Those; no hooks are run and no history is written.
    Only(Vec<Selector>),
    /// Those hooks and nothing else; no history is written.
    Hooks(Vec<Selector>),
}

/// One object of a selective sync.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Selector {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace; any when missing.
    pub namespace: Option<String>,
}

impl Selection {
    /// True when the object is among them.
    pub fn has(&self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::Only(selectors) => selectors.iter().any(|one| one.is(key)),
            Self::Hooks(_) => false,
        }
    }

    /// True when the hook is among them, by the name it was written under.
    pub fn has_hook(&self, key: &Key) -> bool {
        match self {
            Self::All => true,
            Self::Only(_) => false,
            Self::Hooks(selectors) => selectors.iter().any(|one| one.is(key)),
        }
    }
}

impl Selector {
    /// Selects one object.
    pub fn of(key: &Key) -> Self {
        Self {
            group: key.group.clone(),
            kind: key.kind.clone(),
            name: key.name.clone(),
            namespace: Some(key.namespace.clone()),
        }
    }

    fn is(&self, key: &Key) -> bool {
        self.group == key.group
            && self.kind == key.kind
            && self.name == key.name
            && self.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
    }
}
