//! Cutting the part out of an object that a field set owns.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Entry, FieldSet};
use crate::literal::compare;
use crate::path::{Element, ListKey};

/// The part of `value` that `set` owns, in a form that depends on nothing else: fields of others are absent,
/// and list items stand in the order of the set, whatever order the list has. An item that is identified by
/// key fields carries them, also where they are not owned. A path that the object lacks is simply absent, so
/// two cuts with one set are equal exactly when the owned part is.
///
/// ```
/// use serde_json::json;
/// use towpath_merge::{FieldSet, extract};
///
/// let set = FieldSet::parse(&json!({"f:metadata": {"f:labels": {"f:app": {}}}, "f:data": {}}))?;
/// let live = json!({"metadata": {"name": "x", "labels": {"app": "web", "team": "a"}}, "data": {"k": "v"}});
/// assert_eq!(extract(&set, &live), json!({"metadata": {"labels": {"app": "web"}}, "data": {"k": "v"}}));
/// # Ok::<(), towpath_merge::FieldsError>(())
/// ```
pub fn extract(set: &FieldSet, value: &Value) -> Value {
    within(set, value).filter(|part| !is_empty(part)).unwrap_or_else(|| Value::Object(Map::new()))
}

/// The owned part of the value that `entry` leads to.
fn cut(entry: &Entry, value: &Value) -> Option<Value> {
    if entry.below.is_empty() {
        return Some(value.clone());
    }
    match within(&entry.below, value) {
        Some(part) => (entry.owned || !is_empty(&part)).then_some(part),
        // A scalar where a mapping or list was: its owner has to see that.
        None => entry.owned.then(|| value.clone()),
    }
}

/// What is owned inside a mapping or list; `None` for a scalar.
fn within(set: &FieldSet, value: &Value) -> Option<Value> {
    match value {
        Value::Object(map) => Some(Value::Object(fields(set, map))),
        Value::Array(list) => Some(Value::Array(items(set, list))),
        _ => None,
    }
}

fn is_empty(part: &Value) -> bool {
    match part {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn fields(set: &FieldSet, map: &Map<String, Value>) -> Map<String, Value> {
    let owned = set.entries.iter().filter_map(|entry| match &entry.element {
        Element::Field(name) => Some((name.to_string(), cut(entry, map.get(&**name)?)?)),
        _ => None,
    });
    owned.collect()
}

fn items(set: &FieldSet, list: &[Value]) -> Vec<Value> {
    let mut index = Index::over(set, list);
    let mut parts = Vec::new();
    for entry in &set.entries {
        match &entry.element {
            Element::Field(_) => {}
            Element::Key(key) => {
                for item in index.with_key(key) {
                    parts.extend(cut(entry, item).map(|part| identified(part, key)));
                }
            }
            Element::Value(literal) => {
                // A member of a set is its own identity, so it is never cut.
                parts.extend(index.equal_to(literal.value()).cloned());
            }
            Element::Index(place) => parts.extend(list.get(*place).and_then(|item| cut(entry, item))),
        }
    }
    parts
}

/// The part of a list item with its key fields, without which nobody could tell whose part it is.
fn identified(mut part: Value, key: &ListKey) -> Value {
    if let Value::Object(map) = &mut part {
        for (name, value) in key.fields() {
            map.insert(name.into(), value.clone());
        }
    }
    part
}

/// Finds items of a list without going through it for each: lists and sets may both be long.
struct Index<'a> {
    list: &'a [Value],
    by_key: BTreeMap<ListKey, Vec<&'a Value>>,
    sorted: Option<Vec<&'a Value>>,
}

impl<'a> Index<'a> {
    /// The key fields of a list are all that its keys in the set mention. The server leaves out of a key what
    /// the item lacks, so an item is known by exactly those of them that it has.
    fn over(set: &FieldSet, list: &'a [Value]) -> Self {
        let keys = set.entries.iter().filter_map(|entry| match &entry.element {
            Element::Key(key) => Some(key),
            _ => None,
        });
        let names: BTreeSet<&str> = keys.flat_map(ListKey::names).collect();
        let mut by_key = BTreeMap::<_, Vec<_>>::new();
        if !names.is_empty() {
            for item in list {
                let key = ListKey::of_item(item, names.iter().copied());
                by_key.entry(key).or_default().push(item);
            }
        }
        Self { list, by_key, sorted: None }
    }

    /// The items with that key, in their order; more than one where the list has duplicates.
    fn with_key(&self, key: &ListKey) -> &[&'a Value] {
        self.by_key.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// An item that equals `value`.
    fn equal_to(&mut self, value: &Value) -> Option<&'a Value> {
        let sorted = self.sorted.get_or_insert_with(|| {
            let mut sorted: Vec<_> = self.list.iter().collect();
            sorted.sort_by(|left, right| compare(left, right));
            sorted
        });
        let place = sorted.binary_search_by(|item| compare(item, value)).ok()?;
        sorted.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cut_out(fields: &Value, value: &Value) -> Value {
        extract(&FieldSet::parse(fields).unwrap(), value)
    }

    #[test]
    fn items_are_found_by_key_and_come_in_the_order_of_the_set() {
        let set = json!({"f:ports": {
            "k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:name": {}},
            "k:{\"port\":80,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}},
            "k:{\"port\":99,\"protocol\":\"TCP\"}": {".": {}}}});
        let live = json!({"ports": [
            {"port": 80, "protocol": "UDP", "name": "theirs"},
            {"port": 443, "protocol": "TCP"},
            {"port": 80, "protocol": "TCP", "name": "ours", "nodePort": 3}]});
        let part = json!({"ports": [
            {"port": 80, "protocol": "TCP", "name": "ours"},
            {"port": 80, "protocol": "UDP"}]});
        assert_eq!(cut_out(&set, &live), part);
    }

    #[test]
    fn members_of_sets_and_places() {
        let set =
            json!({"f:finalizers": {"v:\"b\"": {}, "v:\"gone\"": {}}, "f:args": {"i:1": {}, "i:7": {}}});
        let live = json!({"finalizers": ["a", "b"], "args": ["x", "y", "z"]});
        assert_eq!(cut_out(&set, &live), json!({"finalizers": ["b"], "args": ["y"]}));
    }

    #[test]
    fn a_leaf_is_owned_whole_and_a_dot_owns_that_it_exists() {
        let live = json!({"atomic": {"x": [1]}, "map": {"theirs": 1}, "gone": {}});
        let set = json!({"f:atomic": {}, "f:map": {".": {}, "f:ours": {}}, "f:gone": {"f:ours": {}}});
        assert_eq!(cut_out(&set, &live), json!({"atomic": {"x": [1]}, "map": {}}));
    }

    #[test]
    fn another_type_is_seen_by_its_owner() {
        let set = json!({"f:a": {".": {}, "f:x": {}}, "f:b": {"f:x": {}}, "f:c": {"k:{\"n\":1}": {}}});
        let live = json!({"a": null, "b": "text", "c": {"n": 1}});
        assert_eq!(cut_out(&set, &live), json!({"a": null}));
        assert_eq!(cut_out(&set, &json!("text")), json!({}));
    }

    #[test]
    fn a_key_leaves_out_what_the_item_lacks() {
        let set = json!({"f:refs": {
            "k:{\"name\":\"a\"}": {"f:v": {}}, "k:{\"name\":\"a\",\"section\":\"s\"}": {"f:w": {}}}});
        let live =
            json!({"refs": [{"name": "a", "section": "s", "v": 1, "w": 2}, {"name": "a", "v": 3, "w": 4}]});
        let part = json!({"refs": [{"name": "a", "v": 3}, {"name": "a", "section": "s", "w": 2}]});
        assert_eq!(cut_out(&set, &live), part);
    }

    #[test]
    fn duplicates_of_a_key_are_all_cut() {
        let set = json!({"f:env": {"k:{\"name\":\"A\"}": {".": {}, "f:value": {}}}});
        let live = json!({"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]});
        assert_eq!(cut_out(&set, &live), live);
    }

    #[test]
    fn long_lists_take_no_time_squared() {
        let count = 20_000;
        let items: Vec<_> = (0..count).map(|i| json!({"name": format!("n{i}"), "value": i})).collect();
        let keys = (0..count).map(|i| (format!("k:{{\"name\":\"n{i}\"}}"), json!({"f:value": {}})));
        let set = json!({"f:list": Value::Object(keys.collect())});
        let part = cut_out(&set, &json!({ "list": items }));
        assert_eq!(part["list"].as_array().unwrap().len(), count);
    }
}
