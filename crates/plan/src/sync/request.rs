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
        let text = |value: &Value, pointer| {
            value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(String::from)
        };
        let mut prefix = None;
        if text(&value, "/metadata/name").is_none() {
            prefix = text(&value, "/metadata/generateName");
            if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut)
                && let Some(prefix) = &prefix
            {
                metadata.remove("generateName");
                metadata.insert("name".into(), prefix.clone().into());
            }
        }
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
        Self { object: target.object, prefix: None, origin: Some(target.origin) }
    }
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
        let Self::Only(selectors) = self else { return true };
        selectors.iter().any(|one| {
            one.group == key.group
                && one.kind == key.kind
                && one.name == key.name
                && one.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
        })
    }
}
