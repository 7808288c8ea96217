//! Pairing the items of two lists.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::path::{Element, ListKey};

/// The fields by which Kubernetes' lists of mappings are keyed, most telling first. The first of these that
/// all items have, with values that differ among the items of each list, identifies them. Where an item may
/// have several (a mount has a name too, but two mounts may share it), the key that the server uses is first.
const KEYS: &[&[&str]] = &[
    &["mountPath"],                        // volume mounts
    &["devicePath"],                       // volume devices
    &["containerPort", "protocol"],        // container ports, as the server shows them
    &["containerPort"],                    // container ports, as people write them
    &["topologyKey", "whenUnsatisfiable"], // topology spread constraints
    &["topologyKey"],                      // affinity terms
    &["uid"],                              // owner references
    &["port", "protocol"],                 // service ports, as the server shows them
    &["name"],                             // containers, variables, volumes, versions, webhooks
    &["kind", "name", "namespace"],        // subjects of a role binding
    &["port"],                             // service ports, as people write them
    &["ip"],                               // host aliases, addresses
    &["key"],                              // tolerations, expressions, projected entries
    &["type"],                             // conditions
    &["host"],                             // ingress rules
    &["path"],                             // ingress paths, projected files
];

/// Two lists, item by item.
pub(super) struct Aligned<'a> {
    /// The items that belong together, in the order of the first list; then those that only the second has.
    pub(super) pairs: Vec<(Element, Option<&'a Value>, Option<&'a Value>)>,
    /// Whether the items that both lists have stand in another order.
    pub(super) reordered: bool,
}

/// Pairs the items by key where they have one, otherwise by place.
pub(super) fn align<'a>(before: &'a [Value], after: &'a [Value]) -> Aligned<'a> {
    let keyed = KEYS.iter().find_map(|names| Some((keys(before, names)?, keys(after, names)?)));
    match keyed {
        Some((old, new)) if !(old.is_empty() && new.is_empty()) => by_key(before, after, &old, &new),
        _ => by_place(before, after),
    }
}

/// The key of each item; `None` where one lacks a field, has no scalar there, or shares its key with another.
fn keys(list: &[Value], names: &[&str]) -> Option<BTreeMap<ListKey, usize>> {
    let mut keys = BTreeMap::new();
    for (place, item) in list.iter().enumerate() {
        let scalar = |name: &&str| item.get(name).is_some_and(is_scalar);
        if !names.iter().all(scalar) {
            return None;
        }
        let key = ListKey::of_item(item, names.iter().copied());
        if keys.insert(key, place).is_some() {
            return None;
        }
    }
    Some(keys)
}

/// For each item of `here` the place of the one in `there` that belongs to it.
pub(crate) fn partners(here: &[Value], there: &[Value]) -> Vec<Option<usize>> {
    match KEYS.iter().find_map(|names| Some((keys(here, names)?, keys(there, names)?))) {
        Some((old, new)) if !(old.is_empty() && new.is_empty()) => {
            let mut partners = vec![None; here.len()];
            for (key, place) in &old {
                if let Some(partner) = partners.get_mut(*place) {
                    *partner = new.get(key).copied();
                }
            }
            partners
        }
        _ => (0..here.len()).map(|place| (place < there.len()).then_some(place)).collect(),
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

fn by_key<'a>(
    before: &'a [Value],
    after: &'a [Value],
    old: &BTreeMap<ListKey, usize>,
    new: &BTreeMap<ListKey, usize>,
) -> Aligned<'a> {
    let mut pairs = Vec::with_capacity(before.len());
    let (mut furthest, mut reordered) = (None, false);
    for (key, place) in in_order(old) {
        let partner = new.get(key);
        if partner.is_some() {
            reordered |= partner < furthest;
            furthest = furthest.max(partner);
        }
        let pair = (before.get(place), partner.and_then(|place| after.get(*place)));
        pairs.push((Element::Key(key.clone()), pair.0, pair.1));
    }
    for (key, place) in in_order(new) {
        if !old.contains_key(key) {
            pairs.push((Element::Key(key.clone()), None, after.get(place)));
        }
    }
    Aligned { pairs, reordered }
}

fn in_order(keys: &BTreeMap<ListKey, usize>) -> Vec<(&ListKey, usize)> {
    let mut keys: Vec<_> = keys.iter().map(|(key, place)| (key, *place)).collect();
    keys.sort_unstable_by_key(|(_, place)| *place);
    keys
}

fn by_place<'a>(before: &'a [Value], after: &'a [Value]) -> Aligned<'a> {
    let pairs = (0..before.len().max(after.len()))
        .map(|place| (Element::Index(place), before.get(place), after.get(place)))
        .collect();
    Aligned { pairs, reordered: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn elements(before: &Value, after: &Value) -> Vec<String> {
        let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
        let text = |element: Element| crate::Path::root().child(element).to_string();
        let pairs = align(before, after).pairs;
        pairs.into_iter().map(|(element, ..)| text(element)).collect()
    }

    #[test]
    fn the_key_that_the_server_would_use() {
        let cases = [
            (
                json!([{"name": "data", "mountPath": "/a"}, {"name": "data", "mountPath": "/b"}]),
                ["[mountPath=\"/a\"]", "[mountPath=\"/b\"]"],
            ),
            (
                json!([{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "UDP"}]),
                ["[containerPort=80,protocol=\"TCP\"]", "[containerPort=80,protocol=\"UDP\"]"],
            ),
            (
                json!([{"containerPort": 80, "name": "a"}, {"containerPort": 81, "protocol": "UDP"}]),
                ["[containerPort=80]", "[containerPort=81]"],
            ),
            (
                json!([{"name": "http", "port": 80}, {"name": "https", "port": 443}]),
                ["[name=\"http\"]", "[name=\"https\"]"],
            ),
            (json!([{"type": "Ready"}, {"type": "Stalled"}]), ["[type=\"Ready\"]", "[type=\"Stalled\"]"]),
            // Two tolerations of one key have nothing that identifies them.
            (json!([{"key": "a", "effect": "x"}, {"key": "a", "effect": "y"}]), ["[0]", "[1]"]),
            (json!([{"name": "a"}, "text"]), ["[0]", "[1]"]),
            (json!([{"name": null}, {"name": {}}]), ["[0]", "[1]"]),
        ];
        for (list, expected) in cases {
            assert_eq!(elements(&list, &json!([])), expected, "{list}");
            assert_eq!(elements(&json!([]), &list), expected, "{list}");
        }
    }

    #[test]
    fn both_lists_have_to_have_the_key() {
        let (named, unnamed) = (json!([{"name": "a", "ip": "1"}]), json!([{"ip": "1"}]));
        assert_eq!(elements(&named, &unnamed), ["[ip=\"1\"]"]);
        assert_eq!(elements(&named, &json!([{}])), ["[0]"]);
    }
}
