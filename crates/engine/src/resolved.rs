//! A unit's manifests, placed, labelled and digested. What comparing needs of them is kept as long as revision and spec
//! stay the same, so that looking at an unchanged unit costs next to nothing. The manifests themselves are large, and the
//! source has them: they are placed again when they are wanted.

use std::borrow::Cow;

use towpath_object::{Digest, Key, Kinds, digest};
use towpath_plan::sync::Wanted;
use towpath_plan::{Origin, Target, fold_string_data, rank};

use crate::compare::is_exact;
use crate::settings::Settings;
use crate::source::Rendered;
use crate::unit::Unit;

/// Manifests of one revision for one generation of a unit.
#[derive(Debug)]
pub(crate) struct Manifests {
    /// All of them, hooks included, as a sync takes them.
    pub(crate) wanted: Vec<Wanted>,
    /// Those that stay on the cluster and whose kind is known.
    pub(crate) targets: Vec<Target>,
    /// What is kept of them.
    pub(crate) resolved: Resolved,
}

/// What comparing needs of them.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) revision: String,
    pub(crate) generation: u64,
    /// All of them, hooks included.
    pub(crate) keys: Box<[Key]>,
    /// Those that stay on the cluster and whose kind is known.
    pub(crate) targets: Box<[Goal]>,
    /// Kinds that the server does not serve (yet): `Basket in example.com/v1`.
    pub(crate) unknown: Vec<String>,
    /// An object that is not ours to touch, in a sentence.
    pub(crate) outside: Option<String>,
}

/// What comparing needs of a target.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) key: Key,
    pub(crate) digest: Digest,
    /// The server's own judgement is asked for, by the unit or by the object's annotations.
    pub(crate) exact: bool,
}

/// Places and marks what was rendered. `covers` says whether an object is in a namespace in which we work.
pub(crate) fn resolve(
    unit: &Unit,
    rendered: &Rendered,
    kinds: &Kinds,
    settings: &Settings,
    covers: impl Fn(&Key) -> bool,
) -> Manifests {
    let mut all = Cow::Borrowed(kinds);
    for wanted in rendered.objects.iter().filter(|wanted| wanted.object.kind() == "CustomResourceDefinition")
    {
        all.to_mut().add_definition(wanted.object.value());
    }
    let (mut wanted, mut targets, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    let mut outside = None;
    for one in rendered.objects.iter() {
        let mut one = one.clone();
        let gvk = one.object.gvk();
        one.object = fold_string_data(one.object);
        let resource = all.get(&gvk).cloned();
        match resource.as_ref().map(|resource| resource.namespaced) {
            Some(false) => one.object.set_namespace(""),
            Some(true) if one.object.namespace().is_empty() => {
                one.object.set_namespace(&unit.destination.namespace);
            }
            _ => {}
        }
        settings.mark(&mut one, unit);
        match resource {
            Some(resource) => {
                let key = one.object.key();
                if !covers(&key) {
                    let place = one.origin.as_ref().map(|origin| format!("{origin}: ")).unwrap_or_default();
                    outside.get_or_insert(format!("{place}{key} is outside the namespaces that are managed"));
                }
                let is_plain = towpath_plan::sync::role(&one.object, unit.policy.rules)
                    == towpath_plan::sync::Role::Plain;
                if is_plain && one.prefix.is_none() {
                    let origin =
                        one.origin.clone().unwrap_or_else(|| Origin { file: "rendered".into(), line: 1 });
                    let (stage, _) = rank(&gvk.group, &gvk.kind);
                    let digest = digest(one.object.value());
                    targets.push(Target { object: one.object.clone(), resource, origin, stage, digest });
                }
            }
            None => unknown.push(format!("{} in {}", gvk.kind, gvk.api_version())),
        }
        wanted.push(one);
    }
    unknown.sort();
    unknown.dedup();
    let goal =
        |target: &Target| Goal { key: target.key(), digest: target.digest, exact: is_exact(unit, target) };
    let resolved = Resolved {
        revision: rendered.revision.clone(),
        generation: unit.generation,
        keys: wanted.iter().map(|one: &Wanted| one.object.key()).collect(),
        targets: targets.iter().map(goal).collect(),
        unknown,
        outside,
    };
    Manifests { wanted, targets, resolved }
}
