//! Lists: merged by key, as sets, or replaced as a whole.

use serde_json::Value;

use super::facts::Shape;
use super::same;
use super::walk::{Spot, Walk, covers, given_up};
use crate::diff::partner;
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
            Shape::SetList => set(live, target, spot),
            _ => self.replaced(path, live, target, spot),
        }
    }

    /// The items of the target in its order, those that only live has between them where they were.
    fn keyed<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v [Value],
        target: &'v [Value],
        names: &[String],
        spot: Spot<'_>,
    ) -> Vec<Value> {
        let pairs = paired(live, target, names);
        let mut wanted = target.iter().zip(&pairs);
        let mut merged = Vec::with_capacity(live.len());
        let mut emit = |merged: &mut Vec<Value>, (item, pair): (&'v Value, &Option<usize>)| {
            let before = pair.and_then(|place| live.get(place));
            let below = spot.item(before.unwrap_or(item));
            merged.push(self.value(path, before, item, below));
        };
        for (place, item) in live.iter().enumerate() {
            if !pairs.contains(&Some(place)) {
                let left = match spot.ours.item(item) {
                    Some(_) => given_up(item, spot.others.item(item)),
                    None => Some(item.clone()),
                };
                merged.extend(left);
                continue;
            }
            // This place belongs to the next item that both have; new ones stand before it, as in the target.
            for next in wanted.by_ref() {
                let found = next.1.is_some();
                emit(&mut merged, next);
                if found {
                    break;
                }
            }
        }
        wanted.for_each(|next| emit(&mut merged, next));
        merged
    }

    /// The items of the target; those that live has too keep what a server added to them.
    fn replaced<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v [Value],
        target: &'v [Value],
        spot: Spot<'_>,
    ) -> Vec<Value> {
        let mut used = vec![false; live.len()];
        let below = if self.known.built_in { spot.whole() } else { spot };
        let item = |(place, item): (usize, &'v Value)| {
            let free = |place: &usize| used.get(*place) == Some(&false);
            let before = if live.len() == target.len() {
                partner(target, place, live)
            } else {
                let covers = |place: &usize| live.get(*place).is_some_and(|live| covers(live, item));
                (0..live.len()).filter(free).find(covers)
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

/// Whether every item can be told by its keys.
fn has_keys(list: &[Value], names: &[String]) -> bool {
    list.iter().all(|item| {
        let mut keys = names.iter().filter_map(|name| item.get(name)).peekable();
        keys.peek().is_some() && keys.all(|key| !key.is_object() && !key.is_array())
    })
}

/// For each item of the target its place in live. A key field that people left out is as the server fills it in.
fn paired(live: &[Value], target: &[Value], names: &[String]) -> Vec<Option<usize>> {
    let key = |item: &Value| ListKey::of_item(item, names.iter().map(String::as_str));
    let keys: Vec<_> = live.iter().map(key).collect();
    let mut used = vec![false; live.len()];
    let pair = |item: &Value| {
        let mut free = |fits: &dyn Fn(&ListKey) -> bool| {
            let place = keys.iter().zip(&used).position(|(key, used)| !used && fits(key))?;
            if let Some(used) = used.get_mut(place) {
                *used = true;
            }
            Some(place)
        };
        let exact = key(item);
        free(&|key| *key == exact).or_else(|| free(&|key| key.fits(item)))
    };
    target.iter().map(pair).collect()
}

/// What is wanted, and what others put there.
fn set(live: &[Value], target: &[Value], spot: Spot<'_>) -> Vec<Value> {
    let has = |list: &[Value], item: &Value| list.iter().any(|other| same(other, item));
    let stays = |item: &&Value| {
        has(target, item) || spot.ours.item(item).is_none() || spot.others.item(item).is_some()
    };
    let mut merged: Vec<Value> = live.iter().filter(stays).cloned().collect();
    for item in target {
        if !has(&merged, item) {
            merged.push(item.clone());
        }
    }
    merged
}
