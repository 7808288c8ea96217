//! Lists: merged by key, as sets, or replaced as a whole.

use std::collections::BTreeMap;

use serde_json::Value;

use super::facts::Shape;
use super::walk::{Spot, Walk, covers, given_up};
use crate::diff::partners;
use crate::literal::Literal;
use crate::path::ListKey;

impl Walk<'_> {
    pub(super) fn list<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v [Value],
        target: &'v [Value],
        spot: Spot<'_>,
    ) -> Vec<Value> {
        if self.known.sorted(path) {
            let covered =
                live.len() == target.len() && live.iter().zip(target).all(|(live, item)| covers(live, item));
            return if covered { live.to_vec() } else { target.to_vec() };
        }
        let shape =
            if spot.exact { Shape::AtomicList } else { self.known.list(path, [spot.ours, spot.others]) };
        match shape {
            Shape::KeyedList(names) if has_keys(target, &names) => {
                self.keyed(path, live, target, &names, spot)
            }
            Shape::SetList if live.iter().chain(target).all(is_scalar) => set(live, target, spot),
            _ => self.replaced(path, live, target, spot),
        }
    }

    fn keyed<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v [Value],
        target: &'v [Value],
        names: &[String],
        spot: Spot<'_>,
    ) -> Vec<Value> {
        let pairs = paired(live, target, names);
        let left = |item: &Value| match spot.ours.item(item) {
            Some(_) => given_up(item, spot.others.item(item)),
            None => Some(item.clone()),
        };
        let merge = |item: &'v Value, before: Option<&'v Value>| {
            let below = spot.item(before.unwrap_or(item));
            self.value(path, before, item, below)
        };
        interleaved(live, target, &pairs, left, merge)
    }

    /// The items of the target; those that live has too keep what a server added to them.
    fn replaced<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v [Value],
        target: &'v [Value],
        spot: Spot<'_>,
    ) -> Vec<Value> {
        let pairs = (live.len() == target.len()).then(|| partners(target, live));
        let mut used = vec![false; live.len()];
        let below = if self.known.built_in { spot.whole() } else { spot };
        let item = |(place, item): (usize, &'v Value)| {
            let free = |place: &usize| used.get(*place) == Some(&false);
            let covers = |place: &usize| live.get(*place).is_some_and(|live| covers(live, item));
            let before = match &pairs {
                Some(pairs) => pairs.get(place).copied().flatten(),
                None => (0..live.len()).filter(free).find(covers),
            };
            if let Some(used) = before.and_then(|place| used.get_mut(place)) {
                *used = true;
            }
            let before = before.and_then(|place| live.get(place));
            self.value(path, before, item, below)
        };
        target.iter().enumerate().map(item).collect()
    }
}

/// Sets are of scalars.
fn is_scalar(item: &Value) -> bool {
    !item.is_object() && !item.is_array()
}

/// Whether every item can be told by its keys.
fn has_keys(list: &[Value], names: &[String]) -> bool {
    list.iter().all(|item| {
        let mut keys = names.iter().filter_map(|name| item.get(name)).peekable();
        keys.peek().is_some() && keys.all(is_scalar)
    })
}

/// For each item of the target its place in live. A key field that people left out is as the server fills it in.
fn paired(live: &[Value], target: &[Value], names: &[String]) -> Vec<Option<usize>> {
    let key = |item: &Value| ListKey::of_item(item, names.iter().map(String::as_str));
    let keys: Vec<_> = live.iter().map(key).collect();
    let mut places = BTreeMap::<_, Vec<_>>::new();
    for (place, key) in keys.iter().enumerate().rev() {
        places.entry(key).or_default().push(place);
    }
    let mut used = vec![false; live.len()];
    let pair = |item: &Value| {
        let exact =
            places.get_mut(&key(item)).and_then(Vec::pop).filter(|place| used.get(*place) == Some(&false));
        let place = exact.or_else(|| {
            let complete = names.iter().all(|name| item.get(name).is_some());
            let fits = |(key, used): (&ListKey, &bool)| !used && !complete && key.fits(item);
            keys.iter().zip(&used).position(fits)
        });
        if let Some(used) = place.and_then(|place| used.get_mut(place)) {
            *used = true;
        }
        place
    };
    target.iter().map(pair).collect()
}

/// What is wanted, and what others put there.
fn set(live: &[Value], target: &[Value], spot: Spot<'_>) -> Vec<Value> {
    let mut places = BTreeMap::<_, Vec<_>>::new();
    for (place, item) in live.iter().enumerate().rev() {
        places.entry(Literal::from(item.clone())).or_default().push(place);
    }
    let pair = |item: &Value| places.get_mut(&Literal::from(item.clone())).and_then(Vec::pop);
    let pairs: Vec<_> = target.iter().map(pair).collect();
    let stays = |item: &Value| spot.ours.item(item).is_none() || spot.others.item(item).is_some();
    let left = |item: &Value| stays(item).then(|| item.clone());
    interleaved(live, target, &pairs, left, |item, before| before.unwrap_or(item).clone())
}

/// The items of the target in its order, those that only live has between them where they were. `pairs` tells for
/// each item of the target its place in live, `left` what stays of an item that has no pair.
fn interleaved<'v>(
    live: &'v [Value],
    target: &'v [Value],
    pairs: &[Option<usize>],
    left: impl Fn(&Value) -> Option<Value>,
    mut merge: impl FnMut(&'v Value, Option<&'v Value>) -> Value,
) -> Vec<Value> {
    let mut has_pair = vec![false; live.len()];
    for place in pairs.iter().flatten() {
        has_pair.get_mut(*place).into_iter().for_each(|has| *has = true);
    }
    let mut wanted = target.iter().zip(pairs);
    let mut merged = Vec::with_capacity(live.len());
    for (item, has_pair) in live.iter().zip(has_pair) {
        if !has_pair {
            merged.extend(left(item));
            continue;
        }
        // This place belongs to the next item that both have; new ones stand before it, as in the target.
        for (item, pair) in wanted.by_ref() {
            merged.push(merge(item, pair.and_then(|place| live.get(place))));
            if pair.is_some() {
                break;
            }
        }
    }
    merged.extend(wanted.map(|(item, pair)| merge(item, pair.and_then(|place| live.get(place)))));
    merged
}
