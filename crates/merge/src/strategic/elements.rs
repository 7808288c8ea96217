//! Items of a list that are found, replaced and removed by their keys.
//!
//! kyaml's lists hold pointers: the same item may stand in the old list and in the one that is being built,
//! and a change shows in both. Here items stand in a [`Pool`], and lists hold their numbers.

use towpath_yaml::{Content, Node, Tag};

use super::Error;
use super::directive::text;
use super::walk::wrong_kind;

/// The items of one or two lists.
#[derive(Default)]
pub(super) struct Pool {
    items: Vec<Node>,
}

impl Pool {
    /// Takes the items of a list in; their numbers stand for it.
    pub fn add(&mut self, items: Vec<Node>) -> Vec<usize> {
        let start = self.items.len();
        self.items.extend(items);
        (start..self.items.len()).collect()
    }

    pub fn get(&self, id: usize) -> &Node {
        self.items.get(id).expect("a number comes from this pool")
    }

    pub fn get_mut(&mut self, id: usize) -> &mut Node {
        self.items.get_mut(id).expect("a number comes from this pool")
    }

    /// Takes an item out for a while.
    pub fn take(&mut self, id: usize) -> Node {
        std::mem::replace(self.get_mut(id), Node::null())
    }

    /// The list for good. An item that is there twice is copied.
    pub fn into_items(mut self, list: Vec<usize>) -> Vec<Node> {
        let mut left: Vec<usize> = vec![0; self.items.len()];
        for id in &list {
            if let Some(left) = left.get_mut(*id) {
                *left += 1;
            }
        }
        list.into_iter()
            .map(|id| match left.get_mut(id) {
                Some(left) if *left > 1 => {
                    *left -= 1;
                    self.get(id).clone()
                }
                _ => self.take(id),
            })
            .collect()
    }
}

/// The first item whose fields have these values; with the empty key the first scalar with the value.
pub(super) fn find(pool: &Pool, list: &[usize], keys: &[&str], values: &[&str]) -> Option<usize> {
    let matches = |item: &Node| {
        if keys.first().is_none_or(|key| key.is_empty()) {
            return text(item) == values.first().copied().unwrap_or_default();
        }
        keys.len() == values.len()
            && !item.is_null()
            && keys
                .iter()
                .zip(values)
                .all(|(key, value)| item.get(key).is_some_and(|field| text(field) == *value))
    };
    list.iter().copied().find(|id| matches(pool.get(*id)))
}

/// Replaces every item that has these values by an element, or appends it; without an element removes them.
/// Items that are null or empty maps go in any case.
pub(super) fn set(
    pool: &mut Pool,
    list: &mut Vec<usize>,
    element: Option<usize>,
    keys: &[&str],
    values: &[&str],
) -> Result<(), Error> {
    let keys = if keys.is_empty() { &[""] } else { keys };
    let wants_map = |list: &[&str]| list.first().is_some_and(|first| !first.is_empty());
    let wants_map = wants_map(keys) && wants_map(values);
    let mut new = Vec::with_capacity(list.len() + 1);
    let mut matched = false;
    for id in list.drain(..) {
        let item = pool.get(id);
        let is_map = matches!(item.content, Content::Map(_));
        if item.is_null() || is_map && item.entries().is_empty() {
            continue;
        }
        if !is_map && wants_map {
            new.push(id);
        } else if !has(item, keys, values)? {
            // kyaml drops what it cannot compare.
            if !values.is_empty() {
                new.push(id);
            }
        } else {
            matched = true;
            new.extend(element);
        }
    }
    if let Some(element) = element
        && !matched
        && !pool.get(element).is_null()
    {
        new.push(element);
    }
    *list = new;
    Ok(())
}

/// Whether the fields of an item have these values; the empty value is any.
fn has(item: &Node, keys: &[&str], values: &[&str]) -> Result<bool, Error> {
    let mut found = false;
    for (at, key) in keys.iter().enumerate() {
        if let Some(value) = values.get(at) {
            found = if key.is_empty() {
                match &item.content {
                    Content::Scalar(text) => **text == **value,
                    _ => return Err(wrong_kind("ScalarNode", item)),
                }
            } else {
                match &item.content {
                    Content::Map(_) => {
                        item.get(key).is_some_and(|field| value.is_empty() || text(field) == *value)
                    }
                    _ => return Err(wrong_kind("MappingNode", item)),
                }
            };
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(found)
}

/// Puts the items of one list into another, each in the place of those with its values, else at the end.
pub(super) fn append(
    pool: &mut Pool,
    list: &mut Vec<usize>,
    source: &[usize],
    keys: &[&str],
) -> Result<(), Error> {
    for id in source.iter().copied() {
        if keys.first().is_none_or(|key| key.is_empty()) {
            let value = text(pool.get(id)).to_owned();
            set(pool, list, Some(id), &[""], &[&value])?;
            continue;
        }
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            let item = pool.get(id);
            if item.tag != Tag::Null && !matches!(item.content, Content::Map(_)) {
                return Err(wrong_kind("MappingNode", item));
            }
            match item.get(key) {
                Some(value) => values.push(text(value).to_owned()),
                None => list.push(id),
            }
        }
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        if keys.len() > 1 {
            set(pool, list, None, keys, &values)?;
        }
        set(pool, list, Some(id), keys, &values)?;
    }
    Ok(())
}
