//! The objects of a build in their order, found by who they are or were.
//!
//! Look-ups go through an index that is made when it is first asked for and thrown away when objects may have
//! changed, so that neither thousands of files nor thousands of patches walk over all objects each time.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use crate::error::Error;
use crate::id::{Id, Key};
use crate::resource::Resource;

/// The objects.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    list: Vec<Resource>,
    hasher: RandomState,
    /// Where objects are, by who they are.
    current: Option<HashMap<u64, Vec<usize>>>,
    /// Where objects are, by who they are and were.
    any: Option<HashMap<u64, Vec<usize>>>,
}

impl Resources {
    /// All objects.
    pub fn list(&self) -> &[Resource] {
        &self.list
    }

    /// All objects, to be changed.
    pub fn list_mut(&mut self) -> &mut Vec<Resource> {
        self.current = None;
        self.any = None;
        &mut self.list
    }

    /// Takes the objects out.
    pub fn into_list(self) -> Vec<Resource> {
        self.list
    }

    fn hash(hasher: &RandomState, key: &Key<'_>) -> u64 {
        hasher.hash_one(key)
    }

    fn current_index(&mut self) -> &mut HashMap<u64, Vec<usize>> {
        let (list, hasher) = (&self.list, &self.hasher);
        self.current.get_or_insert_with(|| {
            let mut index: HashMap<u64, Vec<usize>> = HashMap::with_capacity(list.len());
            for (at, resource) in list.iter().enumerate() {
                index.entry(Self::hash(hasher, &resource.id().key())).or_default().push(at);
            }
            index
        })
    }

    /// Adds an object; its id must be new.
    pub fn append(&mut self, resource: Resource) -> Result<(), Error> {
        let key = resource.id().key();
        let hash = Self::hash(&self.hasher, &key);
        self.current_index();
        let known = self.current.as_ref().and_then(|index| index.get(&hash));
        let taken = known.into_iter().flatten().filter_map(|at| self.list.get(*at));
        if taken.into_iter().any(|other| other.id().key() == key) {
            return Err(Error::invalid(format!(
                "may not add resource with an already registered id: {}",
                resource.id()
            )));
        }
        let at = self.list.len();
        self.current_index().entry(hash).or_default().push(at);
        self.any = None;
        self.list.push(resource);
        Ok(())
    }

    /// Adds objects; their ids must be new.
    pub fn append_all(&mut self, more: Vec<Resource>) -> Result<(), Error> {
        more.into_iter().try_for_each(|resource| self.append(resource))
    }

    /// The first id that two objects have.
    pub fn refuse_twins(&mut self) -> Result<(), Error> {
        let list = std::mem::take(self.list_mut());
        self.append_all(list)
    }

    /// The same, unless nothing can have become a twin since the last look.
    pub fn refuse_twins_if_changed(&mut self) -> Result<(), Error> {
        if self.current.is_some() { Ok(()) } else { self.refuse_twins() }
    }

    /// Where the objects are that have or had an id.
    pub fn find_any(&mut self, id: &Id<'_>) -> Vec<usize> {
        let (list, hasher) = (&self.list, &self.hasher);
        let index = self.any.get_or_insert_with(|| {
            let mut index: HashMap<u64, Vec<usize>> = HashMap::with_capacity(list.len());
            for (at, resource) in list.iter().enumerate() {
                for id in resource.previous_ids().chain([resource.id()]) {
                    let places = index.entry(Self::hash(hasher, &id.key())).or_default();
                    if places.last() != Some(&at) {
                        places.push(at);
                    }
                }
            }
            index
        });
        let key = id.key();
        let Some(found) = index.get(&Self::hash(hasher, &key)).cloned() else { return Vec::new() };
        let is_it = |at: &usize| {
            self.list.get(*at).is_some_and(|resource| {
                let mut ids = resource.previous_ids().chain([resource.id()]);
                !resource.is_gone() && ids.any(|id| id.key() == key)
            })
        };
        found.into_iter().filter(is_it).collect()
    }

    /// Where the one object is that has or had an id.
    pub fn find_one(&mut self, id: &Id<'_>) -> Result<usize, Error> {
        let problem = match self.find_any(id).as_slice() {
            [at] => return Ok(*at),
            [] => "no matches",
            _ => "multiple matches",
        };
        Err(Error::invalid(format!("{problem} for Id {id}; failed to find unique target for patch {id}")))
    }

    /// Changes the content of one object. The indexes stay if it remains who it is.
    pub fn change<T>(&mut self, at: usize, change: impl FnOnce(&mut Resource) -> T) -> Option<T> {
        let resource = self.list.get_mut(at)?;
        let before = Self::hash(&self.hasher, &resource.id().key());
        let previous = resource.memory.previous.len();
        let done = change(resource);
        let stays = Self::hash(&self.hasher, &resource.id().key()) == before;
        if !stays {
            self.current = None;
        }
        if !stays || resource.memory.previous.len() != previous {
            self.any = None;
        }
        Some(done)
    }

    /// Drops the objects that were deleted.
    pub fn drop_gone(&mut self) {
        if self.list.iter().any(Resource::is_gone) {
            self.list_mut().retain(|resource| !resource.is_gone());
        }
    }
}
