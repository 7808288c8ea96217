//! What is left of two objects, and what is applied, when the ignored fields are left alone.

use serde_json::Value;

use super::place::remove_all;
use super::{IgnoreError, Place, Rules, Step};
use crate::diff::partners;
use crate::fields::FieldSet;
use crate::path::{Element, Path};
use crate::{Operation, managers};

/// What a place of the metadata holds that the server alone writes, and what says which object it is.
const NOT_OURS: &[&str] = &[
    "/apiVersion",
    "/kind",
    "/status",
    "/metadata/name",
    "/metadata/namespace",
    "/metadata/managedFields",
    "/metadata/resourceVersion",
    "/metadata/uid",
    "/metadata/generation",
    "/metadata/creationTimestamp",
    "/metadata/deletionTimestamp",
    "/metadata/deletionGracePeriodSeconds",
    "/metadata/selfLink",
];

/// An ignored field.
#[derive(Debug)]
pub(crate) struct Ignored {
    /// Where it is in the target, or would be.
    pub(crate) target: Option<Place>,
    /// Where it is live.
    pub(crate) live: Option<Place>,
    /// What says so.
    pub(crate) by: String,
}

/// The target with every ignored field as it is live, so that applying it changes none of them. A field that
/// the target lacks is taken over only where `manager` has applied it before: otherwise it would become ours.
/// Which object it is and what only the server writes stay as the target has them.
pub fn apply_view(target: &Value, live: &Value, rules: &Rules, manager: &str) -> Result<Value, IgnoreError> {
    let ignored = ignored_places(target, live, rules)?;
    let mut view = target.clone();
    if ignored.is_empty() {
        return Ok(view);
    }
    let ours = ours(live, manager);
    let mut unwanted = Vec::new();
    for field in ignored {
        let Some(place) = field.target else { continue };
        let live_value = field.live.as_ref().and_then(|place| Some((place, place.get(live)?)));
        match (place.get(target).is_some(), live_value) {
            (true, Some((_, value))) => place.set(&mut view, value.clone()),
            (true, None) => unwanted.push(place),
            (false, Some((at, value))) if owns(&ours, at, live) => place.set(&mut view, value.clone()),
            (false, _) => {}
        }
    }
    remove_all(&mut view, unwanted);
    for pointer in NOT_OURS {
        keep(&mut view, target, pointer);
    }
    Ok(view)
}

/// The live object and what it would become, both without the ignored fields: what a server's answer is
/// compared by.
pub fn compare_view(live: &Value, after: &Value, rules: &Rules) -> Result<(Value, Value), IgnoreError> {
    let (mut old, mut new) = (live.clone(), after.clone());
    let (mut from_old, mut from_new) = (Vec::new(), Vec::new());
    for field in ignored_places(after, live, rules)? {
        from_old.extend(field.live);
        from_new.extend(field.target);
    }
    remove_all(&mut old, from_old);
    remove_all(&mut new, from_new);
    Ok((old, new))
}

/// All ignored fields of a target and its live object. The status is none of the target's, so not of these.
pub(crate) fn ignored_places(
    target: &Value,
    live: &Value,
    rules: &Rules,
) -> Result<Vec<Ignored>, IgnoreError> {
    let mut found = Vec::new();
    let mut add = |target: Option<Place>, live: Option<Place>, by: &str| {
        let status = |place: &Place| place.steps().first() == Some(&Step::Name("status".into()));
        if !target.iter().chain(&live).any(status) {
            found.push(Ignored { target, live, by: by.into() });
        }
    };
    for rule in rules.about(target) {
        for (label, place) in &rule.pointers {
            let (there, here) = (place.settled(live), place.settled(target));
            add(translate(&there, live, target), Some(there), label);
            add(Some(here.clone()), translate(&here, target, live), label);
        }
        for jq in &rule.jq {
            for there in jq.places(live)? {
                add(translate(&there, live, target), Some(there), &jq.label);
            }
            for here in jq.places(target)? {
                let there = translate(&here, target, live);
                add(Some(here), there, &jq.label);
            }
        }
        if !rule.managers.is_empty() {
            for (manager, path) in trusted(live, &rule.managers) {
                let (Some(here), Some(there)) = (locate(&path, target), locate(&path, live)) else {
                    continue;
                };
                if here.get(target) != there.get(live) {
                    add(Some(here), Some(there), &format!("manager {manager}"));
                }
            }
        }
    }
    Ok(found)
}

/// The fields that these managers own. Where managed fields cannot be read, nobody is trusted.
fn trusted(live: &Value, names: &[String]) -> Vec<(String, Path)> {
    let entries = managers(live).unwrap_or_default();
    let entries = entries.into_iter().filter(|entry| names.contains(&entry.manager));
    let paths = entries.flat_map(|entry| {
        let manager = entry.manager;
        entry.fields.leaves().into_iter().map(move |path| (manager.clone(), path))
    });
    paths.collect()
}

/// What `manager` has applied.
fn ours(live: &Value, manager: &str) -> FieldSet {
    let entries = managers(live).unwrap_or_default();
    let entries =
        entries.into_iter().filter(|entry| entry.manager == manager && entry.operation == Operation::Apply);
    entries.fold(FieldSet::default(), |all, entry| all.union(&entry.fields))
}

/// Whether the set has something at that place, above or below it.
fn owns(set: &FieldSet, place: &Place, value: &Value) -> bool {
    let (mut set, mut here) = (set, value);
    for step in place.steps() {
        let (entry, next) = match step {
            Step::Name(name) | Step::Either(name) => (set.field(name), here.get(name)),
            Step::At(index) => {
                let item = here.get(*index);
                (item.and_then(|item| set.item(item)), item)
            }
        };
        let (Some((owned, below)), Some(next)) = (entry, next) else { return false };
        if owned && below.is_empty() {
            return true;
        }
        (set, here) = (below, next);
    }
    true
}

/// The same place in another object: items of lists by what identifies them. Nothing where its item's list has
/// no such item, unless it is the item itself, which could be added.
fn translate(place: &Place, from: &Value, to: &Value) -> Option<Place> {
    let (mut from, mut to) = (Some(from), Some(to));
    let mut steps = Vec::new();
    let last = place.steps().len();
    for (number, step) in place.steps().iter().enumerate() {
        match step {
            Step::Name(name) | Step::Either(name) => {
                from = from.and_then(|value| value.get(name));
                to = to.and_then(|value| value.get(name));
                steps.push(Step::Name(name.clone()));
            }
            Step::At(index) => {
                let here = from.and_then(Value::as_array)?;
                let there = to.and_then(Value::as_array)?;
                let other = partners(here, there).get(*index).copied().flatten();
                if other.is_none() && number + 1 < last {
                    return None;
                }
                from = here.get(*index);
                to = other.and_then(|other| there.get(other));
                steps.push(Step::At(other.unwrap_or(usize::MAX)));
            }
        }
    }
    Some(steps.into_iter().collect())
}

/// Where a field that a manager owns is in an object.
fn locate(path: &Path, value: &Value) -> Option<Place> {
    let mut here = value;
    let mut steps = Vec::new();
    for element in path.elements() {
        let (step, next) = match element {
            Element::Field(name) => (Step::Name(name.to_string()), here.get(&**name)?),
            element => {
                let index = element.position(here.as_array()?)?;
                (Step::At(index), here.get(index)?)
            }
        };
        steps.push(step);
        here = next;
    }
    Some(steps.into_iter().collect())
}

/// Puts back what the original has there, or takes away what it has not.
fn keep(view: &mut Value, original: &Value, pointer: &str) {
    if view.pointer(pointer) == original.pointer(pointer) {
        return;
    }
    if let Some(place) = super::pointer::parse(pointer) {
        match original.pointer(pointer) {
            Some(value) => place.set(view, value.clone()),
            None => place.remove(view),
        }
    }
}
