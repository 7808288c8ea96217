//! A hundred thousand rows: every answer is exact, small, and found without looking at the rest.

use towpath_object::Key;

use super::*;
use crate::cache::observe::OwnerText;

const UNITS: usize = 1_000;
const PODS_PER_SET: usize = 98;

fn uid(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

/// A thousand units of one managed Deployment, a ReplicaSet and 98 Pods each.
fn cluster() -> Index {
    let mut index = Index::default();
    let mut number = 0;
    let mut see = |index: &mut Index, kind: (&str, &str), seen: Observed, owner: Option<usize>| {
        number += 1;
        let owners = owner.map(|owner| OwnerText::Uid(uid(owner))).into_iter().collect();
        let seen = Observed { uid: uid(number), version: number.to_string(), owners, ..seen };
        index.upsert(&GroupKind::new(kind.0, kind.1), seen, 0);
        number
    };
    for unit in 0..UNITS {
        let named =
            |name: String| Observed { namespace: format!("ns-{}", unit % 50), name, ..Observed::default() };
        let managed = Observed { unit: Some(format!("unit-{unit}")), ..named(format!("app-{unit}")) };
        let deployment = see(&mut index, ("apps", "Deployment"), managed, None);
        let set =
            see(&mut index, ("apps", "ReplicaSet"), named(format!("app-{unit}-6d4f")), Some(deployment));
        for pod in 0..PODS_PER_SET {
            see(&mut index, ("", "Pod"), named(format!("app-{unit}-6d4f-{pod}")), Some(set));
        }
    }
    index
}

#[test]
fn answers_are_exact_among_a_hundred_thousand() {
    let mut index = cluster();
    assert_eq!(index.len(), 100_000);
    assert_eq!(index.unit("unit-7").len(), 1);
    assert_eq!(index.of_kind("apps", "ReplicaSet").len(), UNITS);
    assert_eq!(index.in_namespace("ns-3").len(), 2_000);
    let set = Key::new("apps", "ReplicaSet", "ns-7", "app-7-6d4f");
    assert_eq!(index.children(&set).len(), PODS_PER_SET);
    let root = Key::new("apps", "Deployment", "ns-7", "app-7");
    assert_eq!(index.tree([&root]).len(), 100);

    // The tables that answer hold nothing but the answer.
    let name = index.names.find("unit-7").unwrap();
    assert_eq!(index.by_unit[&name].len(), 1);
    let uid = index.entry(index.slot_of(&set).unwrap()).unwrap().uid.clone();
    assert_eq!(index.by_owner[&uid].len(), PODS_PER_SET);

    // A list of one kind that sees nothing takes that kind and no other.
    let round = index.begin();
    let gone = index.finish(&GroupKind::new("", "Pod"), "", round);
    assert_eq!(gone.len(), UNITS * PODS_PER_SET);
    for slot in gone {
        index.remove(slot);
    }
    assert_eq!((index.len(), index.by_uid.len(), index.free.len()), (2 * UNITS, 2 * UNITS, 98_000));
    assert!(index.by_owner.len() <= UNITS, "nothing is left of what has gone");
}

/// What a row of an object that nobody manages takes beside its name and its uid (which is inside the entry).
#[test]
fn a_row_takes_less_than_three_hundred_bytes() {
    let entry = size_of::<Option<Entry>>();
    let owner = size_of::<entry::Owner>();
    let hash_tables = 2 * 4 * 2; // two tables of numbers, at worst half full, with a byte each beside
    let sets = 3 * 4 * 2; // kind, namespace and owner; a B-tree's leaves are at least half full
    // Where it owns something, which at most every second object does: an owner has at least one owned.
    let own_children = size_of::<(Uid, BTreeSet<Slot>)>() + 32;
    let row = entry + owner + hash_tables + sets + own_children;
    assert!(row <= 300, "{entry} + {owner} + {hash_tables} + {sets} + {own_children} = {row}");
}
