//! The index beside a list that is searched from end to end: whatever happens, both say the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use towpath_object::Key;

use super::*;
use crate::cache::observe::OwnerText;
use crate::cache::row::Row;

const KINDS: [(&str, &str); 4] =
    [("", "Pod"), ("apps", "StatefulSet"), ("", "PersistentVolumeClaim"), ("pkg", "Provider")];
const NAMESPACES: [&str; 3] = ["", "a", "b"];
const NAMES: [&str; 5] = ["web", "data-web-0", "x-data-web-0", "data-web-b-1", "web-b"];

#[derive(Clone, Debug)]
enum Step {
    See {
        kind: usize,
        namespace: usize,
        name: usize,
        uid: u8,
        version: u8,
        owner: Option<u8>,
        unit: Option<u8>,
    },
    Delete {
        kind: usize,
        namespace: usize,
        name: usize,
    },
    /// A list of the kind that sees only what has one of these names.
    List {
        kind: usize,
        namespace: usize,
        names: Vec<usize>,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let place = || (0..KINDS.len(), 0..NAMESPACES.len(), 0..NAMES.len());
    let rest = (0..6u8, 1..5u8, proptest::option::of(0..6u8), proptest::option::of(0..3u8));
    prop_oneof![
        6 => (place(), rest).prop_map(|((kind, namespace, name), (uid, version, owner, unit))| {
            Step::See { kind, namespace, name, uid, version, owner, unit }
        }),
        2 => place().prop_map(|(kind, namespace, name)| Step::Delete { kind, namespace, name }),
        1 => (0..KINDS.len(), 0..NAMESPACES.len(), proptest::collection::vec(0..NAMES.len(), 0..3))
            .prop_map(|(kind, namespace, names)| Step::List { kind, namespace, names }),
    ]
}

/// What the index should know, as plainly as can be.
#[derive(Default)]
struct Model(BTreeMap<Key, Observed>);

impl Model {
    fn owns(&self, parent: &Key, child: &Key) -> bool {
        let (Some(above), Some(below)) = (self.0.get(parent), self.0.get(child)) else { return false };
        let near = parent.namespace.is_empty() || parent.namespace == child.namespace;
        let named = below.owners.contains(&OwnerText::Uid(above.uid.clone()));
        let number = |template: &String| {
            let rest = child.name.strip_prefix(&format!("{template}-{}-", parent.name))?;
            (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
        };
        let claimed = child.kind == "PersistentVolumeClaim"
            && parent.namespace == child.namespace
            && above.templates.iter().any(|template| number(template).is_some());
        parent != child && ((near && named) || claimed)
    }

    /// The first by key of each uid.
    fn related(&self, fits: impl Fn(&Key) -> bool) -> Vec<Key> {
        let mut met = BTreeSet::new();
        self.0
            .iter()
            .filter(|(key, _)| fits(key))
            .filter(|(_, seen)| met.insert(&seen.uid))
            .map(|(key, _)| key.clone())
            .collect()
    }
}

fn keys(rows: Vec<Row>) -> Vec<Key> {
    rows.into_iter().map(|row| row.key).collect()
}

fn take(index: &mut Index, model: &mut Model, step: Step) {
    match step {
        Step::See { kind, namespace, name, uid, version, owner, unit } => {
            let (group, of_kind) = KINDS[kind];
            let templates = if of_kind == "StatefulSet" { vec!["data".to_string()] } else { Vec::new() };
            let seen = Observed {
                namespace: NAMESPACES[namespace].into(),
                name: NAMES[name].into(),
                uid: format!("u{uid}"),
                version: version.to_string(),
                owners: owner.map(|owner| OwnerText::Uid(format!("u{owner}"))).into_iter().collect(),
                unit: unit.map(|unit| format!("unit-{unit}")),
                templates,
                ..Observed::default()
            };
            let key = Key::new(group, of_kind, NAMESPACES[namespace], NAMES[name]);
            let round = index.round;
            index.upsert(&GroupKind::new(group, of_kind), seen.clone(), round);
            let kept =
                model.0.get(&key).is_some_and(|old| old.uid == seen.uid && old.version >= seen.version);
            if !kept {
                model.0.insert(key, seen);
            }
        }
        Step::Delete { kind, namespace, name } => {
            let (group, of_kind) = KINDS[kind];
            let key = Key::new(group, of_kind, NAMESPACES[namespace], NAMES[name]);
            if let Some(slot) = index.doomed(&GroupKind::new(group, of_kind), &key.namespace, &key.name, "") {
                index.remove(slot);
            }
            model.0.remove(&key);
        }
        Step::List { kind, namespace, names } => {
            let (group, of_kind) = KINDS[kind];
            let kind = GroupKind::new(group, of_kind);
            let round = index.begin();
            let listed = |key: &Key| {
                key.kind == of_kind
                    && (NAMESPACES[namespace].is_empty() || key.namespace == NAMESPACES[namespace])
            };
            let still = |key: &Key| !listed(key) || names.iter().any(|name| NAMES[*name] == key.name);
            model.0.retain(|key, _| still(key));
            // All else is confirmed, so that everything is of the newest round.
            let rest: Vec<_> =
                model.0.iter().map(|(key, seen)| (GroupKind::from(key), seen.clone())).collect();
            for (kind, seen) in rest {
                index.upsert(&kind, seen, round);
            }
            for slot in index.finish(&kind, NAMESPACES[namespace], round) {
                index.remove(slot);
            }
        }
    }
}

proptest! {
    #[test]
    fn index_and_model_say_the_same(steps in proptest::collection::vec(step(), 1..60)) {
        let (mut index, mut model) = (Index::default(), Model::default());
        for step in steps {
            take(&mut index, &mut model, step);
        }
        prop_assert_eq!(index.len(), model.0.len());
        for (key, seen) in &model.0 {
            let row = index.get(key).expect("the model has it");
            prop_assert_eq!((&row.uid, &row.version), (&seen.uid, &seen.version));
            prop_assert_eq!(keys(index.children(key)), model.related(|other| model.owns(key, other)));
            prop_assert_eq!(keys(index.parents(key)), model.related(|other| model.owns(other, key)));
        }
        for (group, kind) in KINDS {
            let expected = model.0.keys().filter(|key| key.kind == kind).cloned().collect::<Vec<_>>();
            prop_assert_eq!(keys(index.of_kind(group, kind)), expected);
        }
        for namespace in NAMESPACES {
            let expected = model.0.keys().filter(|key| key.namespace == namespace).cloned().collect::<Vec<_>>();
            prop_assert_eq!(keys(index.in_namespace(namespace)), expected);
        }
        for unit in ["unit-0", "unit-1", "unit-2"] {
            let carries = |seen: &Observed| seen.unit.as_deref() == Some(unit);
            let expected = model.0.iter().filter(|(_, seen)| carries(seen)).map(|(key, _)| key.clone()).collect::<Vec<_>>();
            prop_assert_eq!(keys(index.unit(unit)), expected);
        }
        let roots: Vec<Key> = model.0.keys().cloned().collect();
        let tree = index.tree(&roots);
        let met: BTreeSet<&str> = tree.iter().map(|node| node.row.uid.as_str()).collect();
        prop_assert_eq!(met.len(), tree.len(), "every object once");
    }
}
