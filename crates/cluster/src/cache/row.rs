//! A row as readers get it: a copy, which never changes under their eyes.

use std::fmt;
use std::sync::Arc;

use towpath_object::{Key, Object};

/// What is known of one object.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its identity.
    pub key: Key,
    /// What tells it from a later object of the same name.
    pub uid: String,
    /// Its resource version.
    pub version: String,
    /// The generation of its spec; zero for kinds that have none.
    pub generation: i64,
    /// True when the server has been asked to delete it.
    pub leaving: bool,
    /// Who it says owns it, and who we infer owns it. See [`Cache::parents`](super::Cache::parents).
    pub owners: Vec<Owner>,
    /// The unit it belongs to by its labels.
    pub unit: Option<Arc<str>>,
    /// The object itself, where it belongs to a unit or is a CustomResourceDefinition.
    pub managed: Option<Managed>,
}

/// Who owns an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The object with this uid.
    Uid(String),
    /// The object with this key, which the owned one does not name itself.
    Named(Key),
}

/// A whole object in little space.
#[derive(Clone)]
pub struct Managed {
    pub(super) json: Arc<[u8]>,
    /// The digest of the fields that our manager owns, and of their values (`CacheSettings::owned`).
    pub owned: Option<Arc<str>>,
    /// Who manages fields of it, in the order of the server.
    pub managers: Vec<Arc<str>>,
}

impl Managed {
    /// The object, without its managed fields. It is read anew each time: keep it while you need it.
    #[expect(clippy::missing_panics_doc, reason = "it cannot: only an object becomes these bytes")]
    pub fn object(&self) -> Object {
        let value = serde_json::from_slice(&self.json).expect("we wrote these bytes from a JSON value");
        Object::new(value).expect("the server gave it a kind and a name")
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.json.len()
    }
}

/// The content may be a Secret's: it is not shown.
impl fmt::Debug for Managed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Managed")
            .field("owned", &self.owned)
            .field("managers", &self.managers)
            .finish_non_exhaustive()
    }
}

/// An object and its place below a root.
#[derive(Clone, Debug)]
pub struct Node {
    /// The object.
    pub row: Row,
    /// Zero for a root.
    pub depth: usize,
    /// The position, in the same tree, of the node it hangs below.
    pub parent: Option<usize>,
}
