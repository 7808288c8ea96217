//! Laws of field sets, extraction and differences, over generated values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use towpath_merge::{Element, FieldSet, Kind, ListKey, Path, diff, extract};

/// Few names and few values, so that sets and objects meet.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "name", "port", "x.y/z"]).prop_map(String::from),
        1 => ".{0,3}",
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..3).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.0, 1e30]).prop_map(Value::from),
        prop::sample::select(vec!["a", "b", ""]).prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 48, 5, |inner| {
        let named = (prop::sample::select(vec!["a", "b", "c"]), mapping(inner.clone())).prop_map(
            |(name, mut map)| {
                map.insert("name".into(), name.into());
                Value::Object(map)
            },
        );
        prop_oneof![
            2 => mapping(inner.clone()).prop_map(Value::Object),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::Array),
            1 => prop::collection::vec(named, 0..4).prop_map(Value::Array),
        ]
    })
}

fn mapping(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((name(), inner), 0..5).prop_map(|entries| entries.into_iter().collect())
}

/// A step that names no place in a list, because a cut changes those.
fn element() -> impl Strategy<Value = Element> {
    prop_oneof![
        4 => name().prop_map(|name| Element::field(&name)),
        2 => scalar().prop_map(|value| Element::Value(value.into())),
        2 => item_key(),
    ]
}

fn item_key() -> impl Strategy<Value = Element> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    let port = prop::option::weighted(0.3, scalar());
    (name, port).prop_map(|(name, port)| {
        let port = port.map(|port| ("port", port));
        Element::Key(ListKey::new([("name", name.into())].into_iter().chain(port)))
    })
}

fn any_element() -> impl Strategy<Value = Element> {
    let keys = (scalar(), value()).prop_map(|(port, name)| [("port", port), ("name", name)]);
    prop_oneof![
        6 => element(),
        1 => keys.prop_map(|keys| Element::Key(ListKey::new(keys))),
        1 => value().prop_map(|value| Element::Value(value.into())),
        1 => (0usize..3).prop_map(Element::Index),
    ]
}

fn set_of(element: impl Strategy<Value = Element>) -> impl Strategy<Value = FieldSet> {
    let path = prop::collection::vec(element, 1..5).prop_map(Path::from_iter);
    prop::collection::vec(path, 0..8).prop_map(FieldSet::from_iter)
}

fn set() -> impl Strategy<Value = FieldSet> {
    set_of(any_element())
}

/// The paths of a value itself, so that a set and a value have something in common.
fn some_paths(value: &Value, above: &Path, pick: &mut impl FnMut() -> bool, set: &mut FieldSet) {
    let mut step = |element: Element, below: &Value| {
        let path = above.child(element);
        if pick() {
            set.insert(&path);
        }
        some_paths(below, &path, pick, set);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(name, below)| step(Element::field(name), below)),
        Value::Array(items) => items.iter().for_each(|item| match item.get("name") {
            Some(name) => step(Element::Key(ListKey::new([("name", name.clone())])), item),
            None => step(Element::Value(item.clone().into()), item),
        }),
        _ => {}
    }
}

/// A value and a set that owns some of it, and some that it lacks.
fn value_and_set() -> impl Strategy<Value = (Value, FieldSet)> {
    (value(), any::<u64>(), set_of(element())).prop_map(|(value, mut bits, extra)| {
        let mut set = extra;
        let mut pick = || {
            bits = bits.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            bits & 4 == 0
        };
        some_paths(&value, &Path::root(), &mut pick, &mut set);
        (value, set)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(set in set()) {
        prop_assert_eq!(FieldSet::parse(&set.to_json()), Ok(set));
    }

    #[test]
    fn a_set_is_the_sum_of_its_paths(set in set()) {
        let paths = set.paths();
        prop_assert!(paths.is_sorted());
        prop_assert!(paths.iter().all(|path| set.contains(path) && set.covers(path)));
        prop_assert!(set.leaves().iter().all(|path| paths.contains(path)));
        prop_assert_eq!(paths.into_iter().collect::<FieldSet>(), set);
    }

    #[test]
    fn the_algebra_is_that_of_sets_of_paths(a in set(), b in set()) {
        let (union, both, rest) = (a.union(&b), a.intersection(&b), a.difference(&b));
        for path in union.paths() {
            let (here, there) = (a.contains(&path), b.contains(&path));
            prop_assert!(here || there);
            prop_assert_eq!(both.contains(&path), here && there);
            prop_assert_eq!(rest.contains(&path), here && !there);
        }
        prop_assert_eq!(&union, &b.union(&a));
        prop_assert_eq!(&both, &b.intersection(&a));
        prop_assert_eq!(rest.union(&both), a.clone());
        prop_assert!(rest.intersection(&b).is_empty());
        prop_assert_eq!(rest.union(&b), union.clone());
        prop_assert!(a.difference(&union).is_empty());
        prop_assert_eq!(a.union(&FieldSet::default()), a);
    }

    #[test]
    fn the_algebra_is_associative(a in set(), b in set(), c in set()) {
        prop_assert_eq!(a.union(&b).union(&c), a.union(&b.union(&c)));
        prop_assert_eq!(a.intersection(&b).intersection(&c), a.intersection(&b.intersection(&c)));
        prop_assert_eq!(
            a.difference(&b.union(&c)),
            a.difference(&b).intersection(&a.difference(&c))
        );
    }

    #[test]
    fn cutting_twice_is_cutting_once((value, set) in value_and_set()) {
        let part = extract(&set, &value);
        prop_assert_eq!(extract(&set, &part), part);
    }

    #[test]
    fn fields_of_others_do_not_count((value, set) in value_and_set(), other in scalar()) {
        let part = extract(&set, &value);
        if let Value::Object(mut map) = value {
            map.insert("somebody else's".into(), other);
            prop_assert_eq!(extract(&set, &Value::Object(map)), part);
        }
    }

    #[test]
    fn the_order_of_named_items_does_not_count(
        names in Just(vec!["a", "b", "c"]).prop_shuffle(),
        values in prop::collection::vec(scalar(), 3),
        items in prop::collection::vec(item_key(), 0..3),
        within in set_of(element()),
    ) {
        let under_items = items.iter().flat_map(|key| {
            let above = Path::from_iter([Element::field("a"), key.clone()]);
            let below = within.paths();
            below.into_iter().map(move |path| {
                above.elements().iter().chain(path.elements()).cloned().collect::<Path>()
            })
        });
        let set: FieldSet = under_items.collect();
        let item = |name: &&str| json!({"name": name, "a": values[usize::from(name.as_bytes()[0] - b'a')]});
        let list = |names: &[&str]| json!({"a": names.iter().map(item).collect::<Vec<_>>()});
        prop_assert_eq!(extract(&set, &list(&names)), extract(&set, &list(&["a", "b", "c"])));
    }

    #[test]
    fn a_change_of_an_owned_leaf_is_seen((value, set) in value_and_set()) {
        for leaf in set.leaves() {
            // A member of a set that changes is another member.
            let whole = leaf.elements().iter().all(|element| matches!(element, Element::Field(_)));
            if let (true, Some(found)) = (whole, leaf.get(&value)) {
                let mut changed = value.clone();
                let mut spot = &mut changed;
                for element in leaf.elements() {
                    let Element::Field(name) = element else { unreachable!() };
                    spot = spot.get_mut(&**name).unwrap();
                }
                *spot = json!({"was": found});
                prop_assert_ne!(extract(&set, &changed), extract(&set, &value));
            }
        }
    }

    #[test]
    fn equal_values_have_no_differences_and_others_have(a in value(), b in value()) {
        prop_assert_eq!(diff(&a, &a), vec![]);
        prop_assert_eq!(diff(&a, &b).is_empty(), a == b);
    }

    #[test]
    fn a_change_tells_what_is_at_its_path(a in value(), b in value()) {
        for change in diff(&a, &b) {
            prop_assert_eq!(change.path.get(&a), change.before.as_ref());
            prop_assert_eq!(change.path.get(&b), change.after.as_ref());
            let sides = (change.before.is_some(), change.after.is_some());
            let expected = match change.kind {
                Kind::Added => (false, true),
                Kind::Removed => (true, false),
                Kind::Changed | Kind::Reordered => (true, true),
            };
            prop_assert_eq!(sides, expected);
        }
    }

    #[test]
    fn the_way_back_is_as_long(a in value(), b in value()) {
        let paths = |changes: Vec<towpath_merge::Change>| {
            let mut paths: Vec<_> = changes.into_iter().map(|change| change.path).collect();
            paths.sort();
            paths
        };
        prop_assert_eq!(paths(diff(&a, &b)), paths(diff(&b, &a)));
    }

    #[test]
    fn any_key_is_read_or_refused(key in ".{0,12}", prefix in "[fkvi]:", value in value()) {
        let _ = FieldSet::parse(&json!({ key.clone(): value.clone() }));
        let _ = FieldSet::parse(&json!({ format!("{prefix}{key}"): value.clone() }));
        let _ = towpath_merge::managers(&value);
        let _ = towpath_merge::managers(&json!({"metadata": {"managedFields": [value]}}));
    }
}
