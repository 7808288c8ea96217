//! Wanted objects beside the live ones that they are.
//!
//! A kind that could not be discovered may be namespaced or not. Both places are then looked at, so that an object
//! is never taken for a superfluous one only because discovery failed.

use std::collections::{BTreeMap, BTreeSet};

use towpath_object::{Gvk, Key, Object};

use super::Wanted;

/// A wanted object and the live one, either of which may be missing.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What is wanted, with its namespace settled.
    pub wanted: Option<Wanted>,
    /// What is live.
    pub live: Option<Object>,
}

/// Live objects by key, each under one key only.
#[derive(Clone, Debug, Default)]
pub struct Live {
    by_key: BTreeMap<Key, Object>,
}

impl Live {
    /// Takes the live objects. Some servers list one object under several groups (`extensions` and `apps`, say): of
    /// those with the same uid the wanted ones stay, or the first if none is wanted.
    pub fn new(live: Vec<Object>, wanted: &BTreeSet<Key>) -> Self {
        let by_key: BTreeMap<Key, Object> = live.into_iter().map(|object| (object.key(), object)).collect();
        let mut keys_of: BTreeMap<&str, Vec<&Key>> = BTreeMap::new();
        for (key, object) in by_key.iter().filter(|(_, object)| !object.uid().is_empty()) {
            keys_of.entry(object.uid()).or_default().push(key);
        }
        let mut superfluous: BTreeSet<Key> = BTreeSet::new();
        for keys in keys_of.values().filter(|keys| keys.len() > 1) {
            let unwanted: Vec<&Key> = keys.iter().copied().filter(|key| !wanted.contains(*key)).collect();
            let keep_one = usize::from(unwanted.len() == keys.len());
            superfluous.extend(unwanted.into_iter().skip(keep_one).cloned());
        }
        Self { by_key: by_key.into_iter().filter(|(key, _)| !superfluous.contains(key)).collect() }
    }

    /// The live object of a wanted one, which is then given its namespace.
    pub fn take(&mut self, wanted: &mut Wanted, namespaced: Option<bool>, default: &str) -> Option<Object> {
        let places = places(&wanted.object, namespaced, default);
        let found = places.iter().find_map(|key| self.by_key.remove_entry(key));
        let namespace = match (&found, places.first()) {
            (Some((key, _)), _) | (None, Some(key)) => key.namespace.clone(),
            (None, None) => String::new(),
        };
        wanted.object.set_namespace(&namespace);
        found.map(|(_, object)| object)
    }

    /// What is left: live and not wanted.
    pub fn rest(self) -> impl Iterator<Item = Object> {
        self.by_key.into_values()
    }
}

/// The keys under which a wanted object may be live, the likelier first.
pub fn places(object: &Object, namespaced: Option<bool>, default: &str) -> Vec<Key> {
    let key = object.key();
    let namespace = if key.namespace.is_empty() { default.to_string() } else { key.namespace.clone() };
    let inside = Key { namespace, ..key.clone() };
    let outside = Key { namespace: String::new(), ..key };
    match namespaced {
        Some(true) => vec![inside],
        Some(false) => vec![outside],
        None => vec![inside, outside],
    }
}

/// Pairs wanted objects with live ones. `scope` says whether a kind is namespaced, if that is known.
pub fn pair(
    wanted: Vec<Wanted>,
    live: Vec<Object>,
    default: &str,
    scope: impl Fn(&Gvk) -> Option<bool>,
) -> Vec<Pair> {
    let keys = wanted.iter().flat_map(|one| places(&one.object, scope(&one.object.gvk()), default)).collect();
    let mut live = Live::new(live, &keys);
    let mut pairs = Vec::with_capacity(wanted.len());
    for mut one in wanted {
        let namespaced = scope(&one.object.gvk());
        let found = live.take(&mut one, namespaced, default);
        pairs.push(Pair { wanted: Some(one), live: found });
    }
    pairs.extend(live.rest().map(|object| Pair { wanted: None, live: Some(object) }));
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{object, wanted};
    use super::*;
    use serde_json::json;

    #[test]
    fn an_undiscovered_cluster_scoped_kind_is_found_without_namespace() {
        let live = vec![object("v1", "Namespace", "", "mine", json!({}))];
        let pairs = pair(vec![wanted("v1", "Namespace", "", "mine", json!({}))], live, "web", |_| None);
        assert_eq!(pairs.len(), 1);
        assert!(pairs[0].live.is_some());
        assert_eq!(pairs[0].wanted.as_ref().unwrap().object.namespace(), "");
    }

    #[test]
    fn one_object_under_two_groups_is_one() {
        let uid = json!({"uid": "1"});
        let both = || {
            vec![
                object("extensions/v1beta1", "Deployment", "web", "a", uid.clone()),
                object("apps/v1", "Deployment", "web", "a", uid.clone()),
            ]
        };
        let pairs =
            pair(vec![wanted("apps/v1", "Deployment", "web", "a", json!({}))], both(), "web", |_| Some(true));
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].live.as_ref().unwrap().gvk().group, "apps");
        assert_eq!(pair(vec![], both(), "web", |_| Some(true)).len(), 1);
    }

    #[test]
    fn what_nobody_wants_is_left() {
        let live = vec![object("v1", "ConfigMap", "web", "old", json!({}))];
        let pairs = pair(vec![wanted("v1", "ConfigMap", "", "new", json!({}))], live, "web", |_| Some(true));
        assert_eq!(pairs[0].wanted.as_ref().unwrap().object.namespace(), "web");
        assert!(pairs[1].wanted.is_none() && pairs[1].live.is_some());
    }
}
