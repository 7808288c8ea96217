//! A unit's manifests, ready for comparing: placed, labelled, digested. Kept as long as revision and spec stay the same,
//! so that looking at an unchanged unit costs next to nothing.

use std::sync::Arc;

use towpath_object::{Key, Kinds, digest};
use towpath_plan::sync::Wanted;
use towpath_plan::{Origin, Target, fold_string_data, rank};

use crate::settings::Settings;
use crate::source::Rendered;
use crate::unit::Unit;

/// Manifests of one revision for one generation of a unit.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) revision: String,
    pub(crate) generation: u64,
    /// All of them, hooks included, as a sync takes them.
    pub(crate) wanted: Arc<[Wanted]>,
    /// Those that stay on the cluster and whose kind is known.
    pub(crate) targets: Arc<[Target]>,
    /// Kinds that the server does not serve (yet): `Basket in example.com/v1`.
    pub(crate) unknown: Vec<String>,
    /// An object that is not ours to touch, in a sentence.
    pub(crate) outside: Option<String>,
}

/// Places and marks what was rendered. `covers` says whether an object is in a namespace in which we work.
pub(crate) fn resolve(
    unit: &Unit,
    rendered: &Rendered,
    kinds: &Kinds,
    settings: &Settings,
    covers: impl Fn(&Key) -> bool,
) -> Resolved {
    let mut all = kinds.clone();
    for wanted in rendered.objects.iter().filter(|wanted| wanted.object.kind() == "CustomResourceDefinition")
    {
        all.add_definition(wanted.object.value());
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
    Resolved {
        revision: rendered.revision.clone(),
        generation: unit.generation,
        wanted: wanted.into(),
        targets: targets.into(),
        unknown,
        outside,
    }
}
