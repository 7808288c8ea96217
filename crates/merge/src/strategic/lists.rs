//! Lists whose items have keys, or that are sets of scalars.

use std::collections::HashSet;

use towpath_yaml::{Content, Node, Tag};

use super::directive::{self, Directive, text};
use super::elements::{Pool, append, find, set};
use super::schema::TypeId;
use super::walk::{Outcome, Sources, Walker};
use super::{Error, Order};

/// The two lists while they become one.
struct Merging {
    pool: Pool,
    dest: Vec<usize>,
    origin: Origin,
}

enum Origin {
    /// Only the target has the list.
    None,
    /// It is the target's own.
    Same,
    Own(Vec<usize>),
}

impl Walker<'_> {
    pub(super) fn list(&self, sources: Sources<'_>, known: TypeId) -> Result<Outcome, Error> {
        match sources {
            Sources::Both(_, origin) if origin.is_null() => Ok(Outcome::None),
            Sources::Both(dest, origin) if !dest.is_null() => match directive::take(origin)? {
                Directive::Delete => Ok(Outcome::None),
                Directive::Replace => {
                    self.merge_lists(origin, None, Origin::Same, known)?;
                    Ok(Outcome::Origin)
                }
                Directive::Merge => {
                    let theirs = take_items(origin);
                    self.merge_lists(dest, Some(theirs), Origin::None, known)?;
                    Ok(Outcome::Dest)
                }
            },
            // What is new is not asked for a directive.
            Sources::Both(_, origin) | Sources::Origin(origin) => {
                self.merge_lists(origin, None, Origin::Same, known)?;
                Ok(Outcome::Origin)
            }
            Sources::Same(node) => {
                if directive::take(node)? == Directive::Delete {
                    return Ok(Outcome::None);
                }
                self.merge_lists(node, None, Origin::Same, known)?;
                Ok(Outcome::Dest)
            }
            Sources::Dest(dest) => {
                self.merge_lists(dest, None, Origin::None, known)?;
                Ok(Outcome::Dest)
            }
        }
    }

    fn merge_lists(
        &self,
        dest: &mut Node,
        theirs: Option<Vec<Node>>,
        origin: Origin,
        known: TypeId,
    ) -> Result<(), Error> {
        let keys = self.schema.keys(known);
        if theirs.is_none() && matches!(origin, Origin::None) && is_tidy(dest.items(), &keys) {
            return self.settle_items(dest, known);
        }
        let mut pool = Pool::default();
        let ours = pool.add(take_items(dest));
        let origin = match theirs {
            Some(items) => Origin::Own(pool.add(items)),
            None => origin,
        };
        let mut merging = Merging { pool, dest: ours, origin };
        let values = merging.values(&keys, self.order);
        let list = if values.is_empty() && keys.is_empty() {
            let values = merging.scalars(self.order);
            self.set_elements(&mut merging, values, &[""], known)?
        } else {
            self.set_elements(&mut merging, values, &keys, known)?
        };
        dest.content = Content::List(merging.pool.into_items(list));
        Ok(())
    }

    /// The items of a list that only the target has and that needs no putting together.
    fn settle_items(&self, dest: &mut Node, known: TypeId) -> Result<(), Error> {
        let items = self.schema.items(known);
        for item in dest.items_mut().into_iter().flatten() {
            self.walk(Sources::Dest(item), items)?;
        }
        Ok(())
    }

    fn set_elements(
        &self,
        merging: &mut Merging,
        mut all: Vec<Vec<String>>,
        keys: &[&str],
        known: TypeId,
    ) -> Result<Vec<usize>, Error> {
        if all.is_empty() {
            return Ok(std::mem::take(&mut merging.dest));
        }
        let item_type = self.schema.items(known);
        if keys.len() > 1 {
            match_up(&mut all);
        }
        let used = Used::of(&all, keys.len());
        let mut added = Vec::new();
        let valid_keys = used.pick(keys);
        for values in &all {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let valid = used.pick(&values);
            match self.element(merging, &valid_keys, &valid, item_type)? {
                None => set(&mut merging.pool, &mut merging.dest, None, &valid_keys, &valid)?,
                Some(id) => {
                    name(merging.pool.get_mut(id), &valid_keys, &valid);
                    set(&mut merging.pool, &mut added, Some(id), &valid_keys, &valid)?;
                }
            }
        }
        let Merging { pool, dest, .. } = merging;
        let mut dest = std::mem::take(dest);
        match self.order {
            Order::Front => {
                append(pool, &mut added, &dest, &valid_keys)?;
                Ok(added)
            }
            Order::Behind => {
                append(pool, &mut dest, &added, &valid_keys)?;
                Ok(dest)
            }
        }
    }

    /// Walks the items with these values; the number of what comes out, unless that is nothing.
    fn element(
        &self,
        merging: &mut Merging,
        keys: &[&str],
        values: &[&str],
        item_type: Option<TypeId>,
    ) -> Result<Option<usize>, Error> {
        let given = Used::of(&[values.iter().map(|value| (*value).to_owned()).collect()], keys.len());
        let (keys, values) = (given.pick(keys), given.pick(values));
        let ours = find(&merging.pool, &merging.dest, &keys, &values);
        let theirs = match &merging.origin {
            Origin::None => None,
            Origin::Same => ours,
            Origin::Own(list) => find(&merging.pool, list, &keys, &values),
        };
        let id = match (ours, theirs) {
            (None, None) => return Ok(None),
            (Some(same), Some(other)) if same == other => {
                let outcome = self.walk(Sources::Same(merging.pool.get_mut(same)), item_type)?;
                settle(merging, outcome, same, same)
            }
            (Some(ours), None) => {
                let outcome = self.walk(Sources::Dest(merging.pool.get_mut(ours)), item_type)?;
                settle(merging, outcome, ours, ours)
            }
            (None, Some(theirs)) => {
                let outcome = self.walk(Sources::Origin(merging.pool.get_mut(theirs)), item_type)?;
                settle(merging, outcome, theirs, theirs)
            }
            (Some(ours), Some(theirs)) => {
                let mut patch = merging.pool.take(theirs);
                let outcome = self.walk(Sources::Both(merging.pool.get_mut(ours), &mut patch), item_type)?;
                *merging.pool.get_mut(theirs) = patch;
                settle(merging, outcome, ours, theirs)
            }
        };
        Ok(id.filter(|id| !is_nothing(merging.pool.get(*id))))
    }
}

fn settle(merging: &mut Merging, outcome: Outcome, ours: usize, theirs: usize) -> Option<usize> {
    match outcome {
        Outcome::Dest => Some(ours),
        Outcome::Origin => Some(theirs),
        Outcome::New(node) => merging.pool.add(vec![node]).pop(),
        Outcome::None => None,
    }
}

impl Merging {
    /// Both lists in the order in which their items shall come.
    fn lists(&self, order: Order) -> impl Iterator<Item = usize> {
        let theirs: &[usize] = match &self.origin {
            Origin::Own(list) => list,
            Origin::None | Origin::Same => &[],
        };
        let (first, second) = match order {
            Order::Front => (theirs, self.dest.as_slice()),
            Order::Behind => (self.dest.as_slice(), theirs),
        };
        first.iter().chain(second).copied()
    }

    /// The values of the keys of all items, each combination once.
    fn values(&self, keys: &[&str], order: Order) -> Vec<Vec<String>> {
        let mut seen = HashSet::new();
        if keys.is_empty() {
            return Vec::new();
        }
        self.lists(order)
            .map(|id| keys.iter().map(|key| value(self.pool.get(id), key).to_owned()).collect::<Vec<_>>())
            .filter(|values| seen.insert(values.clone()))
            .collect()
    }

    fn scalars(&self, order: Order) -> Vec<Vec<String>> {
        let mut seen = HashSet::new();
        self.lists(order)
            .map(|id| text(self.pool.get(id)).to_owned())
            .filter(|text| seen.insert(text.clone()))
            .map(|text| vec![text])
            .collect()
    }
}

/// The value of a key of an item; empty where there is none.
fn value<'n>(item: &'n Node, key: &str) -> &'n str {
    item.get(key).filter(|field| !field.is_null()).map(text).unwrap_or_default()
}

/// Which of several keys are in use at all; where none is, all of them count.
struct Used(Vec<bool>);

impl Used {
    fn of(all: &[Vec<String>], keys: usize) -> Self {
        let used: Vec<bool> = (0..keys)
            .map(|at| all.iter().any(|values| values.get(at).is_some_and(|value| !value.is_empty())))
            .collect();
        if used.contains(&true) { Self(used) } else { Self(vec![true; keys]) }
    }

    fn pick<'a>(&self, list: &[&'a str]) -> Vec<&'a str> {
        list.iter().zip(&self.0).filter(|(_, used)| **used).map(|(entry, _)| *entry).collect()
    }
}

/// Values that differ only in what one of them leaves open become the same.
fn match_up(all: &mut [Vec<String>]) {
    for i in 0..all.len() {
        for j in 0..all.len() {
            let both = all.get(i).zip(all.get(j)).and_then(|(a, b)| common(a, b));
            if let Some(both) = both {
                for at in [i, j] {
                    if let Some(values) = all.get_mut(at) {
                        values.clone_from(&both);
                    }
                }
            }
        }
    }
}

fn common(a: &[String], b: &[String]) -> Option<Vec<String>> {
    let open = |(a, b): (&String, &String)| a == b || a.is_empty() || b.is_empty();
    let matches = a.len() == b.len() && a.iter().zip(b).all(open) && a.iter().zip(b).any(|(a, b)| a == b);
    matches.then(|| a.iter().zip(b).map(|(a, b)| if a.is_empty() { b } else { a }.clone()).collect())
}

/// Makes sure that an item has its keys. A scalar takes its value anew, and with it loses its tag.
fn name(item: &mut Node, keys: &[&str], values: &[&str]) {
    for (key, value) in keys.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
        match &item.content {
            Content::Map(_) if item.get(key).is_none() => item.set(key, Node::scalar(*value)),
            Content::Scalar(_) => item.tag = Tag::None,
            _ => {}
        }
    }
}

/// What an item that is nothing is left out for.
fn is_nothing(item: &Node) -> bool {
    item.is_null() || matches!(&item.content, Content::Map(entries) if entries.is_empty())
}

/// Whether every item is a map with all keys, or with only the first, and no two are the same: such a list
/// comes out as it goes in.
fn is_tidy(items: &[Node], keys: &[&str]) -> bool {
    let Some(first) = keys.first() else { return false };
    let full = |item: &Node| keys.iter().all(|key| !value(item, key).is_empty());
    let lone = |item: &Node| {
        !value(item, first).is_empty() && keys.iter().skip(1).all(|key| value(item, key).is_empty())
    };
    if !items.iter().all(full) && !items.iter().all(lone) {
        return false;
    }
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(keys.iter().map(|key| value(item, key)).collect::<Vec<_>>()))
}

fn take_items(node: &mut Node) -> Vec<Node> {
    node.items_mut().map(std::mem::take).unwrap_or_default()
}
