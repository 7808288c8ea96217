//! Sets of fields, as the server keeps them for each manager.
//!
//! A [`FieldSet`] is a set of [`Path`]s, kept as a trie: one entry per step, sorted, each saying whether its
//! path is in the set and what is below it. No entry is empty, so equal sets are equal values.
//!
//! ```text
//! spec ─ containers ─ [name="web"]* ─ image*        * owned: the path up to here is in the set
//!      └ replicas*                  └ name*
//! ```

mod algebra;
mod extract;
mod fields_v1;

pub use extract::extract;
pub use fields_v1::FieldsError;
pub(crate) use fields_v1::shorten;

use serde_json::Value;

use crate::path::{Element, ListKey, Path};

/// A set of fields: which paths of an object somebody owns.
///
/// ```
/// use serde_json::json;
/// use towpath_merge::FieldSet;
///
/// let ours = FieldSet::parse(&json!({"f:spec": {"f:replicas": {}, "f:paused": {}}}))?;
/// let theirs = FieldSet::parse(&json!({"f:spec": {"f:replicas": {}}}))?;
/// let shared: Vec<_> = ours.intersection(&theirs).paths().iter().map(ToString::to_string).collect();
/// assert_eq!(shared, ["spec.replicas"]);
/// assert_eq!(ours.difference(&theirs).to_json(), json!({"f:spec": {"f:paused": {}}}));
/// # Ok::<(), towpath_merge::FieldsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    /// Sorted by element, each element once.
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    element: Element,
    /// Whether the path that ends here is in the set.
    owned: bool,
    below: FieldSet,
}

impl FieldSet {
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds one path. The root cannot be owned, so an empty path adds nothing.
    pub fn insert(&mut self, path: &Path) {
        let mut set = self;
        let mut steps = path.elements().iter().peekable();
        while let Some(element) = steps.next() {
            let last = steps.peek().is_none();
            let entry = set.entry(element);
            entry.owned |= last;
            set = &mut entry.below;
        }
    }

    /// Whether exactly this path is in the set.
    pub fn contains(&self, path: &Path) -> bool {
        self.walk(path).last().is_some_and(|(left, entry)| left == 0 && entry.owned)
    }

    /// Whether this path is in the set, or lies within a value that is owned as a whole.
    ///
    /// ```
    /// # use serde_json::json;
    /// # use towpath_merge::{Element, FieldSet, Path};
    /// let set = FieldSet::parse(&json!({"f:data": {}}))?;
    /// let path = Path::root().child(Element::field("data")).child(Element::field("color"));
    /// assert!(set.covers(&path) && !set.contains(&path));
    /// # Ok::<(), towpath_merge::FieldsError>(())
    /// ```
    pub fn covers(&self, path: &Path) -> bool {
        self.walk(path)
            .last()
            .is_some_and(|(left, entry)| entry.owned && (left == 0 || entry.below.is_empty()))
    }

    /// All paths in the set, sorted.
    pub fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.visit(&Path::root(), &mut |path, entry| {
            if entry.owned {
                paths.push(path.clone());
            }
        });
        paths
    }

    /// The paths in the set that have no other below them, sorted: the values somebody owns as a whole.
    pub fn leaves(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.visit(&Path::root(), &mut |path, entry| {
            if entry.below.is_empty() {
                paths.push(path.clone());
            }
        });
        paths
    }

    /// The empty set, for constants.
    pub(crate) const fn nothing() -> Self {
        Self { entries: Vec::new() }
    }

    /// The first steps of its paths.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.entries.iter().map(|entry| &entry.element)
    }

    /// Whether the field of that name is in the set, and what is below it.
    pub(crate) fn field(&self, name: &str) -> Option<(bool, &Self)> {
        let entry = self.find(&Element::field(name))?;
        Some((entry.owned, &entry.below))
    }

    /// The same of a list's item. An item that lacks key fields which the server fills in is found all the same.
    pub(crate) fn item(&self, item: &Value) -> Option<(bool, &Self)> {
        // Nearly always all keys of a list have the same names, so one of them tells where to look.
        let by_key = || {
            let names = self.entries.iter().find_map(|entry| match &entry.element {
                Element::Key(key) => Some(key.names()),
                _ => None,
            })?;
            self.find(&Element::Key(ListKey::of_item(item, names)))
        };
        let list = std::slice::from_ref(item);
        let by_search = || self.entries.iter().find(|entry| entry.element.position(list).is_some());
        let entry = by_key().or_else(by_search)?;
        Some((entry.owned, &entry.below))
    }

    fn visit(&self, above: &Path, see: &mut impl FnMut(&Path, &Entry)) {
        for entry in &self.entries {
            let path = above.child(entry.element.clone());
            see(&path, entry);
            entry.below.visit(&path, see);
        }
    }

    /// The entries along `path` as far as there are any, each with the number of steps left after it.
    fn walk<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (usize, &'a Entry)> {
        let mut set = self;
        let mut left = path.elements().len();
        path.elements().iter().map_while(move |element| {
            let entry = set.find(element)?;
            set = &entry.below;
            left -= 1;
            Some((left, entry))
        })
    }

    fn find(&self, element: &Element) -> Option<&Entry> {
        let place = self.entries.binary_search_by(|entry| entry.element.cmp(element));
        self.entries.get(place.ok()?)
    }

    fn entry(&mut self, element: &Element) -> &mut Entry {
        let place = self.entries.binary_search_by(|entry| entry.element.cmp(element));
        let place = place.unwrap_or_else(|place| {
            let (element, owned, below) = (element.clone(), false, Self::default());
            self.entries.insert(place, Entry { element, owned, below });
            place
        });
        self.entries.get_mut(place).expect("it was found or inserted there")
    }
}

impl FromIterator<Path> for FieldSet {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        let mut set = Self::default();
        paths.into_iter().for_each(|path| set.insert(&path));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(paths: &[Path]) -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn paths_and_leaves() {
        let set = FieldSet::parse(&json!({"f:spec": {"f:list": {
            ".": {}, "v:\"x\"": {}, "k:{\"name\":\"web\"}": {".": {}, "f:image": {}}}}}))
        .unwrap();
        let all =
            ["spec.list", "spec.list[name=\"web\"]", "spec.list[name=\"web\"].image", "spec.list[=\"x\"]"];
        assert_eq!(names(&set.paths()), all);
        let leaves = ["spec.list[name=\"web\"].image", "spec.list[=\"x\"]"];
        assert_eq!(names(&set.leaves()), leaves);
        assert_eq!(set.paths().into_iter().collect::<FieldSet>(), set);
    }

    #[test]
    fn a_path_above_or_below_is_not_the_path() {
        let set = FieldSet::parse(&json!({"f:a": {"f:b": {".": {}, "f:c": {}}}})).unwrap();
        let path = |names: &[&str]| names.iter().map(|name| Element::field(name)).collect::<Path>();
        assert!(!set.contains(&path(&["a"])) && !set.covers(&path(&["a"])));
        assert!(set.contains(&path(&["a", "b"])));
        // b is owned as a mapping of which only c is ours.
        assert!(!set.covers(&path(&["a", "b", "d"])));
        assert!(!set.contains(&path(&["a", "b", "c", "d"])) && set.covers(&path(&["a", "b", "c", "d"])));
        assert!(!set.contains(&Path::root()) && !set.covers(&Path::root()));
    }
}
