//! The index by itself.

use towpath_object::Key;

use super::*;
use crate::cache::events::What;
use crate::cache::observe::{KeptText, OwnerText};
use crate::cache::row::Row;

const POD: (&str, &str) = ("", "Pod");
const SET: (&str, &str) = ("apps", "ReplicaSet");
const DEPLOYMENT: (&str, &str) = ("apps", "Deployment");

/// An index with short words for what tests do.
#[derive(Default)]
struct Bed(Index);

fn object(namespace: &str, name: &str, uid: &str) -> Observed {
    Observed {
        namespace: namespace.into(),
        name: name.into(),
        uid: uid.into(),
        version: "1".into(),
        ..Observed::default()
    }
}

fn owned(namespace: &str, name: &str, uid: &str, owner: &str) -> Observed {
    Observed { owners: vec![OwnerText::Uid(owner.into())], ..object(namespace, name, uid) }
}

fn key((group, kind): (&str, &str), namespace: &str, name: &str) -> Key {
    Key::new(group, kind, namespace, name)
}

fn names(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.key.name.as_str()).collect()
}

impl Bed {
    fn see(&mut self, (group, kind): (&str, &str), seen: Observed) -> Effect {
        self.0.upsert(&GroupKind::new(group, kind), seen, 0)
    }

    fn tree(&self, root: &Key) -> Vec<(usize, String)> {
        self.0.tree([root]).into_iter().map(|node| (node.depth, node.row.key.name)).collect()
    }
}

#[test]
fn what_is_known_is_no_change_and_what_is_older_is_not_taken() {
    let mut bed = Bed::default();
    let at = |version: &str| Observed { version: version.into(), ..object("web", "a", "u1") };
    let Effect::Added(slot) = bed.see(POD, at("9")) else { panic!("it is new") };
    assert_eq!(bed.see(POD, at("9")), Effect::None);
    assert_eq!(bed.see(POD, at("8")), Effect::None);
    assert_eq!(bed.see(POD, at("10")), Effect::Updated(slot, None));
    let round = bed.0.begin();
    let restored = bed.0.upsert(&GroupKind::new("", "Pod"), at("7"), round);
    assert_eq!(restored, Effect::Updated(slot, None), "a new list is believed");
    let later = Observed { uid: "u2".into(), ..at("3") };
    assert_eq!(bed.see(POD, later), Effect::Updated(slot, None), "another object has its own versions");
    let row = bed.0.get(&key(POD, "web", "a")).unwrap();
    assert_eq!((row.uid.as_str(), row.version.as_str()), ("u2", "3"));
    assert!(bed.0.by_uid("u1").is_none() && bed.0.by_uid("u2").is_some());
}

#[test]
fn every_table_forgets_what_is_removed() {
    let mut bed = Bed::default();
    let seen = Observed { unit: Some("shop".into()), ..owned("web", "data-web-0", "u", "o") };
    bed.see(("", "PersistentVolumeClaim"), seen.clone());
    bed.see(
        ("", "Endpoints"),
        Observed {
            owners: vec![OwnerText::Named(GroupKind::new("", "Service"), "s".into())],
            ..object("web", "s", "e")
        },
    );
    let index = &mut bed.0;
    assert!(
        index.doomed(&GroupKind::new("", "PersistentVolumeClaim"), "web", "data-web-0", "another").is_none()
    );
    for slot in [Slot::new(0), Slot::new(1)] {
        index.remove(slot);
        index.remove(slot);
    }
    assert_eq!(index.len(), 0);
    assert!(index.by_uid.is_empty() && index.by_kind.is_empty() && index.by_namespace.is_empty());
    assert!(index.by_unit.is_empty() && index.by_owner.is_empty());
    assert!(index.by_owner_name.is_empty() && index.by_claim.is_empty());
    bed.see(POD, seen);
    assert_eq!((bed.0.slots.len(), bed.0.len()), (2, 1), "places are used again");
}

#[test]
fn a_list_removes_what_it_does_not_see_and_nothing_else() {
    let mut bed = Bed::default();
    for (namespace, name) in [("web", "a"), ("web", "b"), ("shop", "c")] {
        bed.see(POD, object(namespace, name, name));
    }
    bed.see(SET, object("web", "a", "r"));
    let pods = GroupKind::new("", "Pod");
    let round = bed.0.begin();
    assert_eq!(bed.0.upsert(&pods, object("web", "a", "a"), round), Effect::None, "the same, and marked");
    let gone: Vec<_> =
        bed.0.finish(&pods, "web", round).into_iter().filter_map(|slot| bed.0.row(slot)).collect();
    assert_eq!(names(&gone), ["b"]);
    let all = bed.0.finish(&pods, "", round);
    assert_eq!(all.len(), 2);
    for slot in all {
        bed.0.remove(slot);
    }
    assert_eq!(names(&bed.0.of_kind("", "Pod")), ["a"]);
    assert_eq!(names(&bed.0.of_kind("apps", "ReplicaSet")), ["a"]);
}

#[test]
fn a_unit_is_found_by_its_label_and_told_of_what_hangs_below() {
    let mut bed = Bed::default();
    let managed = |unit: &str, version: &str| Observed {
        unit: Some(unit.into()),
        version: version.into(),
        kept: Some(KeptText {
            json: br#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"}}"#.to_vec().into(),
            owned: Some("digest".into()),
            managers: vec!["towpath".into()],
        }),
        ..object("web", "d", "d")
    };
    bed.see(DEPLOYMENT, managed("shop", "1"));
    bed.see(SET, owned("web", "r", "r", "d"));
    let effect = bed.see(POD, owned("web", "p", "p", "r"));
    let change = bed.0.describe(effect).unwrap();
    assert_eq!((change.what, change.unit), (What::Added, None));
    assert_eq!(change.units, ["shop".into()]);

    let rows = bed.0.unit("shop");
    assert_eq!(names(&rows), ["d"]);
    let kept = rows[0].managed.as_ref().unwrap();
    assert_eq!((kept.object().name(), kept.owned.as_deref()), ("d", Some("digest")));
    assert_eq!(kept.managers, ["towpath".into()]);

    let effect = bed.see(DEPLOYMENT, managed("other", "2"));
    let change = bed.0.describe(effect).unwrap();
    assert_eq!(change.units.len(), 2, "who had it and who has it: {change:?}");
    assert!(bed.0.unit("shop").is_empty());
}

#[test]
fn namespaces_and_kinds_answer_in_the_order_of_keys() {
    let mut bed = Bed::default();
    for name in ["c", "a", "b"] {
        bed.see(POD, object("web", name, name));
    }
    bed.see(("", "Namespace"), object("", "web", "n"));
    assert_eq!(names(&bed.0.in_namespace("web")), ["a", "b", "c"]);
    assert_eq!(names(&bed.0.in_namespace("")), ["web"]);
    assert!(bed.0.in_namespace("nowhere").is_empty());
}

#[test]
fn inferred_owners_and_owned() {
    let mut bed = Bed::default();
    let named = |kind: GroupKind, name: &str, seen| Observed {
        owners: vec![OwnerText::Named(kind, name.into())],
        ..seen
    };
    bed.see(("", "Service"), object("web", "api", "s"));
    bed.see(("", "Endpoints"), named(GroupKind::new("", "Service"), "api", object("web", "api", "e")));
    bed.see(("", "Endpoints"), named(GroupKind::new("", "Service"), "api", object("shop", "api", "e2")));
    let service = key(("", "Service"), "web", "api");
    assert_eq!(bed.tree(&service), [(0, "api".into()), (1, "api".into())]);
    let parents = bed.0.parents(&key(("", "Endpoints"), "web", "api"));
    assert_eq!(parents[0].key, service);
    assert!(bed.0.parents(&key(("", "Endpoints"), "shop", "api")).is_empty());
}

#[test]
fn a_stateful_set_owns_its_claims_and_no_others() {
    let mut bed = Bed::default();
    let set =
        Observed { templates: vec!["emqx-data".into(), "log".into()], ..object("web", "sw-broker", "s") };
    bed.see(("apps", "StatefulSet"), set);
    let names = [
        "emqx-data-sw-broker-0",
        "emqx-data-sw-broker-internal-0",
        "x-emqx-data-sw-broker-0",
        "emqx-data-sw-broker-12",
        "log-sw-broker-3",
        "emqx-data-sw-broker-",
        "emqx-data-sw-broker-0x",
        "sw-broker-0",
    ];
    for name in names {
        bed.see(("", "PersistentVolumeClaim"), object("web", name, name));
    }
    bed.see(("", "PersistentVolumeClaim"), object("shop", "emqx-data-sw-broker-1", "elsewhere"));
    let children = bed.0.children(&key(("apps", "StatefulSet"), "web", "sw-broker"));
    assert_eq!(
        super::tests::names(&children),
        ["emqx-data-sw-broker-0", "emqx-data-sw-broker-12", "log-sw-broker-3"]
    );
    let owners = |name: &str| bed.0.parents(&key(("", "PersistentVolumeClaim"), "web", name)).len();
    assert_eq!(names.map(owners), [1, 0, 0, 1, 1, 0, 0, 0]);
}

#[test]
fn cluster_scoped_owners_reach_into_namespaces_and_namespaced_ones_stay() {
    let mut bed = Bed::default();
    bed.see(("pkg", "Provider"), object("", "p", "p"));
    bed.see(("pkg", "Revision"), owned("", "r", "r", "p"));
    bed.see(DEPLOYMENT, owned("system", "d", "d", "r"));
    bed.see(POD, owned("elsewhere", "x", "x", "d"));
    let tree = bed.tree(&key(("pkg", "Provider"), "", "p"));
    assert_eq!(tree, [(0, "p".into()), (1, "r".into()), (2, "d".into())]);
    assert!(bed.0.parents(&key(POD, "elsewhere", "x")).is_empty());
}

#[test]
fn of_two_objects_with_one_uid_the_smallest_key_is_shown() {
    for order in [["extensions", "networking"], ["networking", "extensions"]] {
        let mut bed = Bed::default();
        bed.see(("", "Service"), object("web", "s", "s"));
        for group in order {
            bed.see((group, "Ingress"), owned("web", "i", "i", "s"));
        }
        let children = bed.0.children(&key(("", "Service"), "web", "s"));
        assert_eq!(children.len(), 1);
        assert_eq!(children[0].key.group, "extensions");
        assert_eq!(bed.0.by_uid("i").unwrap().key.group, "extensions");
        assert_eq!(bed.tree(&key(("", "Service"), "web", "s")).len(), 2);
    }
}

#[test]
fn cycles_end_and_everything_is_met_once() {
    let mut bed = Bed::default();
    bed.see(POD, owned("web", "self", "self", "self"));
    assert_eq!(bed.tree(&key(POD, "web", "self")), [(0, "self".into())]);
    for (name, owner) in [("a", "c"), ("b", "a"), ("c", "b")] {
        let effect = bed.see(POD, owned("web", name, name, owner));
        assert!(bed.0.describe(effect).is_some(), "the walk upwards ends as well");
    }
    assert_eq!(bed.tree(&key(POD, "web", "b")), [(0, "b".into()), (1, "c".into()), (2, "a".into())]);
}

#[test]
fn a_very_deep_chain_is_walked() {
    let mut bed = Bed::default();
    for depth in 0..20_000u32 {
        bed.see(
            POD,
            owned("web", &format!("p{depth}"), &format!("u{depth}"), &format!("u{}", depth.wrapping_sub(1))),
        );
    }
    assert_eq!(bed.tree(&key(POD, "web", "p0")).len(), 20_000);
}
