//! How an object says which unit it belongs to: by a label, or by Argo CD's annotation, which names the object too.
//!
//! A label goes along when somebody copies an object, and controllers copy annotations to what they make. The annotation
//! counts only on the object that it names.
//! <https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/>

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use towpath_cluster::cache::UnitOf;
use towpath_object::{Key, Object};
use towpath_plan::sync::{Role, Rules, Wanted, role};

use crate::settings::Settings;
use crate::unit::Unit;

/// Argo CD's annotation: `unit:group/kind:namespace/name`.
pub(crate) const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";

/// How an object says which unit it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// By the instance label. The server finds a unit's objects by it, so that nothing else is watched.
    #[default]
    Label,
    /// By Argo CD's annotation. All objects of the kinds in use are watched.
    Annotation,
    /// By both; where they differ the annotation counts.
    Both,
}

impl Settings {
    /// Makes a wanted object say that it is the unit's. Its namespace has to be settled.
    pub(crate) fn mark(&self, wanted: &mut Wanted, unit: &Unit) {
        if self.tracking != Tracking::Annotation {
            wanted.object.add_labels(&BTreeMap::from([(self.instance_label.clone(), unit.id.0.clone())]));
        }
        if self.tracking != Tracking::Label {
            let id = tracking_id(wanted, unit);
            wanted.object = annotated(&wanted.object, &id);
        }
    }

    /// The unit that an object names.
    pub(crate) fn owner(&self, object: &Object) -> Option<String> {
        let tracked = || tracked(&object.key(), object.value());
        let labelled = || object.label(&self.instance_label).map(Into::into);
        match self.tracking {
            Tracking::Label => labelled(),
            Tracking::Annotation => tracked(),
            Tracking::Both => tracked().or_else(labelled),
        }
    }

    /// The label by which the server finds the objects of all units, where there is one.
    pub(crate) fn selector(&self) -> Option<&str> {
        (self.tracking == Tracking::Label).then_some(&*self.instance_label)
    }

    /// The labels that name a unit, for the cache.
    pub(crate) fn unit_labels(&self) -> Vec<String> {
        if self.tracking == Tracking::Annotation { Vec::new() } else { vec![self.instance_label.clone()] }
    }

    /// What names a unit besides labels, for the cache.
    pub(crate) fn unit_of(&self) -> Option<UnitOf> {
        (self.tracking != Tracking::Label).then(|| Arc::new(tracked) as UnitOf)
    }
}

/// As Argo CD writes it: what is in no namespace carries the unit's. What is given its name later has none here.
fn tracking_id(wanted: &Wanted, unit: &Unit) -> String {
    let Key { group, kind, namespace, name } = wanted.object.key();
    let namespace = if namespace.is_empty() { &unit.destination.namespace } else { &namespace };
    let name = if wanted.prefix.is_some() { "" } else { &name };
    format!("{}:{group}/{kind}:{namespace}/{name}", unit.id)
}

fn annotated(object: &Object, id: &str) -> Object {
    let mut value = object.value().clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = metadata.entry("annotations").or_insert(Value::Null);
        if !annotations.is_object() {
            *annotations = json!({});
        }
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(TRACKING_ID.into(), id.into());
        }
    }
    Object::new(value).expect("its identity did not change")
}

/// The unit that an object's annotation names, if the annotation is the object's own.
fn tracked(key: &Key, object: &Value) -> Option<String> {
    let id = object.get("metadata")?.get("annotations")?.get(TRACKING_ID)?.as_str()?;
    let mut parts = id.split(':');
    let (unit, kind, place, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    let ((group, kind), (namespace, name)) = (kind.split_once('/')?, place.split_once('/')?);
    // Only hooks are given names.
    let named = || match name {
        "" => Object::new(object.clone()).is_ok_and(|hook| matches!(role(&hook, Rules::Argo), Role::Hook(_))),
        name => name == key.name,
    };
    let own = group == key.group
        && kind == key.kind
        && (key.namespace.is_empty() || namespace == key.namespace)
        && named();
    (own && !unit.is_empty()).then(|| unit.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(kind: &str, namespace: &str, name: &str, id: &str, hook: bool) -> Option<String> {
        let mut annotations = json!({TRACKING_ID: id});
        if hook {
            annotations["argocd.argoproj.io/hook"] = json!("PreSync");
        }
        let metadata = json!({"name": name, "namespace": namespace, "annotations": annotations});
        let value = json!({"apiVersion": "apps/v1", "kind": kind, "metadata": metadata});
        tracked(&Key::new("apps", kind, namespace, name), &value)
    }

    #[test]
    fn an_annotation_counts_on_the_object_that_it_names() {
        let id = "shop:apps/Deployment:web/api";
        assert_eq!(find("Deployment", "web", "api", id, false).as_deref(), Some("shop"));
        assert_eq!(find("Deployment", "web", "other", id, false), None);
        assert_eq!(find("Deployment", "other", "api", id, false), None);
        assert_eq!(find("ReplicaSet", "web", "api", id, false), None);
        // What is in no namespace carries the unit's.
        assert_eq!(find("Deployment", "", "api", id, false).as_deref(), Some("shop"));
        let unnamed = "shop:apps/Deployment:web/";
        assert_eq!(find("Deployment", "web", "x-1", unnamed, true).as_deref(), Some("shop"));
        assert_eq!(find("Deployment", "web", "x-1", unnamed, false), None);
        for nonsense in
            ["", "shop", "shop:apps/Deployment", "shop:apps:web/api", ":apps/Deployment:web/api", "a:b:c:d"]
        {
            assert_eq!(find("Deployment", "web", "api", nonsense, false), None, "{nonsense}");
        }
    }
}
