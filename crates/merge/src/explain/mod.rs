//! Why a live object is not what its target says, field by field.
//!
//! In: target and live object, ignore rules, [`Options`]. Out: an [`Explanation`]: the changes that an apply
//! would make, and the differences that it would leave, each with its [`Reason`]. The object is modified exactly
//! when there is a change to show: the decision and what is displayed are one result. Of a Secret no value gets
//! in; what differs is seen to differ. [`explain`] predicts; [`explain_answer`] takes a server's word.
//!
//! ```
//! use serde_json::json;
//! use towpath_merge::explain::explain;
//! use towpath_merge::ignore::Rules;
//! use towpath_merge::predict::Options;
//!
//! let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2}});
//! let live = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 1, "paused": true}});
//! let found = explain(&target, Some(&live), &Rules::default(), &Options::of("towpath"))?;
//! assert!(found.is_modified());
//! assert_eq!(found.to_string(), "spec.replicas: 1 -> 2 (desired)\n");
//! assert_eq!(format!("{found:#}"), "spec.replicas: 1 -> 2 (desired)\nspec.paused: true (live only)\n");
//! # Ok::<(), towpath_merge::ignore::IgnoreError>(())
//! ```

mod owners;
mod show;

use serde_json::Value;
use towpath_object::{mask, mask_pair, strip};

use crate::diff::{Change, Kind, diff};
use crate::ignore::{IgnoreError, Place, Rules, Step, apply_view, compare_view, ignored_places};
use crate::managers;
use crate::path::{Element, Path};
use crate::predict::{LAST_APPLIED, Options, normal, predict, same};
use owners::Owners;

/// Why a field differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The target says so.
    Desired,
    /// We applied it before and the target has it no more.
    RemovedByUs,
    /// Nobody wrote it, so the server did.
    DefaultedByServer,
    /// This manager wrote it.
    OwnedBy(String),
    /// This rule leaves it alone.
    IgnoredBy(String),
    /// It is there, and nothing tells whose it is.
    LiveOnly,
}

/// One field that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Where.
    pub path: Path,
    /// What happens there, from live to what is wanted.
    pub kind: Kind,
    /// What is there live.
    pub before: Option<Value>,
    /// What is wanted there.
    pub after: Option<Value>,
    /// Why it differs.
    pub reason: Reason,
}

/// All differences of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// What makes the object modified.
    pub changes: Vec<Field>,
    /// What differs and is left as it is.
    pub notes: Vec<Field>,
}

impl Explanation {
    /// Whether the object is not as it should be: exactly when there is a change.
    pub fn is_modified(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// Names that people's tools write under. In strict mode what they added counts.
const PEOPLE: &[&str] = &[
    "dashboard",
    "kubernetes-dashboard",
    "Mozilla",
    "lens",
    "node-fetch",
    "k9s",
    "headlamp",
    "oc",
    "freelens",
];

/// Whether a manager is a tool that people write with by hand.
pub fn is_person(manager: &str) -> bool {
    manager.starts_with("kubectl") || PEOPLE.contains(&manager)
}

/// Compares a target with its live object; without one, all of it is new.
pub fn explain(
    target: &Value,
    live: Option<&Value>,
    rules: &Rules,
    options: &Options<'_>,
) -> Result<Explanation, IgnoreError> {
    let Some(live) = live else {
        return Ok(Explanation { changes: vec![created(target, options)], notes: Vec::new() });
    };
    let view = apply_view(target, live, rules, options.manager)?;
    let after = predict(&view, live, options);
    explained(target, &view, live, (live, after), rules, options)
}

/// The same where a server has said what the object would become: `after`. What the rules name does not count on
/// either side.
pub fn explain_answer(
    target: &Value,
    live: &Value,
    after: &Value,
    rules: &Rules,
    options: &Options<'_>,
) -> Result<Explanation, IgnoreError> {
    let view = apply_view(target, live, rules, options.manager)?;
    let (before, after) = compare_view(live, after, rules)?;
    explained(target, &view, live, (&before, normal(&after, options)), rules, options)
}

fn explained(
    target: &Value,
    view: &Value,
    live: &Value,
    (before, mut after): (&Value, Value),
    rules: &Rules,
    options: &Options<'_>,
) -> Result<Explanation, IgnoreError> {
    let mut before = normal(before, options);
    shown_pair(&mut before, &mut after);
    let mut found = Explanation::default();
    found.changes.extend(diff(&before, &after).into_iter().map(wanted));
    // What a rule names is told by that rule alone.
    let (rest, view) = compare_view(live, view, rules)?;
    found.notes = live_only(&view, &rest, live, &found.changes, options);
    if options.strict {
        let counts = |field: &mut Field| matches!(&field.reason, Reason::OwnedBy(name) if is_person(name));
        found.changes.extend(found.notes.extract_if(.., counts));
    }
    found.notes.extend(ignored(target, live, rules, options)?);
    Ok(found)
}

/// The whole of an object that is no longer wanted.
pub fn explain_removal(live: &Value) -> Explanation {
    let mut before = live.clone();
    strip(&mut before);
    forget_copy(&mut before);
    mask(&mut before);
    let (path, kind, reason) = (Path::root(), Kind::Removed, Reason::RemovedByUs);
    let gone = Field { path, kind, before: Some(before), after: None, reason };
    Explanation { changes: vec![gone], notes: Vec::new() }
}

fn created(target: &Value, options: &Options<'_>) -> Field {
    let mut after = normal(target, options);
    strip(&mut after);
    forget_copy(&mut after);
    mask(&mut after);
    Field { path: Path::root(), kind: Kind::Added, before: None, after: Some(after), reason: Reason::Desired }
}

fn wanted(change: Change) -> Field {
    let Change { path, kind, before, after } = change;
    let reason = if kind == Kind::Removed { Reason::RemovedByUs } else { Reason::Desired };
    Field { path, kind, before, after, reason }
}

/// Leaves what a person could have written, and hides what a Secret holds.
fn shown_pair(before: &mut Value, after: &mut Value) {
    for side in [&mut *before, &mut *after] {
        strip(side);
        forget_copy(side);
    }
    mask_pair(before, after);
}

/// The copy that `kubectl apply` keeps is no field of its own.
fn forget_copy(object: &mut Value) {
    if let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED);
    }
}

/// What only live has and an apply leaves, with whose it is.
fn live_only(
    view: &Value,
    rest: &Value,
    live: &Value,
    changes: &[Field],
    options: &Options<'_>,
) -> Vec<Field> {
    let (mut target, mut shown) = (normal(view, options), normal(rest, options));
    shown_pair(&mut target, &mut shown);
    let owners = Owners::new(managers(live).ok(), options.manager);
    let extra = diff(&target, &shown).into_iter().filter(|change| change.kind == Kind::Added);
    let extra = extra.filter(|extra| !is_identity(&extra.path));
    let mut notes = Vec::new();
    for change in extra {
        let gone = |field: &Field| field.before.is_some() && field.path == change.path;
        if changes.iter().any(gone) {
            continue;
        }
        let Some(value) = change.path.get(&shown).or(change.after.as_ref()) else { continue };
        notes.extend(owners.reasons(&change.path, value, live).into_iter().map(|(path, reason)| Field {
            before: path.get(&shown).cloned(),
            after: None,
            kind: Kind::Removed,
            path,
            reason,
        }));
    }
    notes
}

/// Which object it is need not be said by both.
fn is_identity(path: &Path) -> bool {
    matches!(path.to_string().as_str(), "." | "apiVersion" | "kind" | "metadata.name" | "metadata.namespace")
}

/// The ignored fields in which the two differ.
fn ignored(
    target: &Value,
    live: &Value,
    rules: &Rules,
    options: &Options<'_>,
) -> Result<Vec<Field>, IgnoreError> {
    let (mut wanted, mut before) = (normal(target, options), normal(live, options));
    shown_pair(&mut wanted, &mut before);
    let mut notes: Vec<Field> = Vec::new();
    for field in ignored_places(target, live, rules)? {
        let value =
            |place: &Option<Place>, value: &Value| place.as_ref().and_then(|at| at.get(value)).cloned();
        let (old, new) = (value(&field.live, &before), value(&field.target, &wanted));
        let kind = match (&old, &new) {
            (Some(old), Some(new)) if same(old, new) => continue,
            (None, None) => continue,
            (None, Some(_)) => Kind::Added,
            (Some(_), None) => Kind::Removed,
            (Some(_), Some(_)) => Kind::Changed,
        };
        let path = match (field.live, field.target) {
            (Some(place), _) if old.is_some() => named(&place, &before),
            (_, Some(place)) => named(&place, &wanted),
            _ => continue,
        };
        let reason = Reason::IgnoredBy(field.by);
        if !notes.iter().any(|note| note.path == path && note.reason == reason) {
            notes.push(Field { path, kind, before: old, after: new, reason });
        }
    }
    Ok(notes)
}

/// A place as people read it: items by name where they have one.
fn named(place: &Place, value: &Value) -> Path {
    let mut here = Some(value);
    let element = |step: &Step| {
        let (element, next) = match step {
            Step::Name(name) | Step::Either(name) => {
                (Element::field(name), here.and_then(|here| here.get(name)))
            }
            Step::At(index) => {
                let item = here.and_then(|here| here.get(*index));
                let name = item.and_then(|item| item.get("name")).cloned();
                let by_name = |name| Element::Key(crate::ListKey::new([("name", name)]));
                (name.map_or(Element::Index(*index), by_name), item)
            }
        };
        here = next;
        element
    };
    place.steps().iter().map(element).collect()
}
