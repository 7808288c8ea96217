//! What becomes of an object that an app has and no longer wants.

use towpath_object::Object;

use crate::app::{APP_LABEL, APP_NAMESPACE_LABEL, PRUNE_ANNOTATION};
use crate::sync::{Consent, ObjectOptions, Role, Rules, role};
use crate::{App, Applied};

/// How far removal may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Nothing is deleted.
    Off,
    /// What is no longer wanted is deleted.
    Prune,
    /// The whole app is deleted.
    Everything,
}

/// Whether somebody has said yes to the deletion of objects that ask for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approval {
    /// Nobody has.
    #[default]
    Missing,
    /// Somebody has.
    Given,
}

/// The end of an object that is no longer wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is deleted.
    Delete,
    /// It stays, and stays ours, for the reason given.
    Keep(&'static str),
    /// It is not ours any more, or not there: it is only forgotten.
    Forget,
}

/// Decides it from the live object and from what is known of our last apply. Nothing that another app has taken
/// over, or that was there before us, is ever deleted. What protects an object counts under everybody's names, by
/// whatever rules it was applied.
pub fn fate(
    app: &App,
    live: Option<&Object>,
    applied: &Applied,
    removal: Removal,
    approval: Approval,
) -> Fate {
    let Some(live) = live else { return Fate::Forget };
    if !is_ours(app, live, applied) {
        return Fate::Forget;
    }
    let options = ObjectOptions::read(live, Rules::Towpath);
    if removal == Removal::Everything {
        return removed(live, &options, approval);
    }
    if let Some(why) = protection(live, &options) {
        return Fate::Keep(why);
    }
    let holds_inventory =
        live.kind() == "Namespace" && live.gvk().group.is_empty() && live.name() == app.namespace;
    match removal {
        Removal::Off => Fate::Keep("pruning is off; --prune deletes it"),
        _ if holds_inventory => Fate::Keep("the app's inventory lives in it"),
        _ if options.prune == Some(Consent::Confirm) && approval == Approval::Missing => {
            Fate::Keep("Prune is confirm on it; --approve-deletions deletes it")
        }
        _ => Fate::Delete,
    }
}

/// What becomes of an object when the app goes. What is protected outlives it: there is no inventory left to keep it in.
fn removed(live: &Object, options: &ObjectOptions, approval: Approval) -> Fate {
    let disabled = live.annotation(PRUNE_ANNOTATION) == Some("disabled");
    match options.delete {
        _ if disabled || options.keep => Fate::Forget,
        Some(Consent::No) => Fate::Forget,
        Some(Consent::Confirm) if approval == Approval::Missing => {
            Fate::Keep("Delete is confirm on it; --approve-deletions deletes it")
        }
        _ => Fate::Delete,
    }
}

/// What keeps an object that is no longer wanted from being pruned.
fn protection(live: &Object, options: &ObjectOptions) -> Option<&'static str> {
    if live.annotation(PRUNE_ANNOTATION) == Some("disabled") {
        return Some("towpath.dev/prune is disabled on it");
    }
    if options.prune == Some(Consent::No) {
        return Some("Prune is false on it");
    }
    if options.keep {
        return Some("helm.sh/resource-policy is keep on it");
    }
    (role(live, Rules::Towpath) == Role::Skipped).then_some("its hook is Skip")
}

/// Our labels make it ours. Without any label of ours it is still ours if we have applied it once: then somebody
/// took the labels away. If we never got to apply it, it was there before us.
fn is_ours(app: &App, live: &Object, applied: &Applied) -> bool {
    match (live.label(APP_LABEL), live.label(APP_NAMESPACE_LABEL)) {
        (None, _) => *applied != Applied::NotYet,
        (Some(name), namespace) => name == app.name.as_str() && namespace == Some(app.namespace.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AppName;
    use serde_json::{Value, json};

    fn app() -> App {
        App { name: AppName::new("shop").unwrap(), namespace: "web".into() }
    }

    fn live(kind: &str, name: &str, labels: &Value, annotations: &Value) -> Object {
        let metadata = json!({"name": name, "labels": labels, "annotations": annotations});
        Object::new(json!({"apiVersion": "v1", "kind": kind, "metadata": metadata})).unwrap()
    }

    #[test]
    fn only_what_is_ours_is_deleted() {
        let ours = json!({"towpath.dev/app": "shop", "towpath.dev/app-namespace": "web"});
        let theirs = json!({"towpath.dev/app": "other", "towpath.dev/app-namespace": "web"});
        let fate = |object: &Object, applied: Applied, removal| {
            fate(&app(), Some(object), &applied, removal, Approval::Missing)
        };
        let object = live("ConfigMap", "a", &ours, &json!({}));
        assert_eq!(fate(&object, Applied::NotYet, Removal::Prune), Fate::Delete);
        assert!(matches!(fate(&object, Applied::NotYet, Removal::Off), Fate::Keep(_)));
        let taken = live("ConfigMap", "a", &theirs, &json!({}));
        assert_eq!(fate(&taken, Applied::Unrecorded, Removal::Everything), Fate::Forget);
        let bare = live("ConfigMap", "a", &json!({}), &json!({}));
        assert_eq!(fate(&bare, Applied::NotYet, Removal::Prune), Fate::Forget);
        assert_eq!(fate(&bare, Applied::Unrecorded, Removal::Prune), Fate::Delete);
    }

    #[test]
    fn the_namespace_of_the_inventory_goes_only_with_the_app() {
        let ours = json!({"towpath.dev/app": "shop", "towpath.dev/app-namespace": "web"});
        let namespace = live("Namespace", "web", &ours, &json!({}));
        let fate = |removal| fate(&app(), Some(&namespace), &Applied::Unrecorded, removal, Approval::Missing);
        assert!(matches!(fate(Removal::Prune), Fate::Keep(_)));
        assert_eq!(fate(Removal::Everything), Fate::Delete);
    }

    #[test]
    fn an_annotation_protects() {
        let ours = json!({"towpath.dev/app": "shop", "towpath.dev/app-namespace": "web"});
        let fates = |annotations: Value, removal, approval| {
            let object = live("ConfigMap", "a", &ours, &annotations);
            fate(&app(), Some(&object), &Applied::Unrecorded, removal, approval)
        };
        let (missing, given) = (Approval::Missing, Approval::Given);
        for protected in [
            json!({"towpath.dev/prune": "disabled"}),
            json!({"towpath.dev/sync-options": "Prune=false"}),
            json!({"argocd.argoproj.io/sync-options": "Prune=false"}),
            json!({"helm.sh/resource-policy": "keep"}),
            json!({"argocd.argoproj.io/hook": "Skip"}),
        ] {
            assert!(matches!(fates(protected, Removal::Prune, given), Fate::Keep(_)));
        }
        for outliving in [
            json!({"towpath.dev/prune": "disabled"}),
            json!({"argocd.argoproj.io/sync-options": "Delete=false"}),
            json!({"helm.sh/resource-policy": "keep"}),
        ] {
            assert_eq!(fates(outliving, Removal::Everything, given), Fate::Forget);
        }
        for (asks, removal) in [("Prune=confirm", Removal::Prune), ("Delete=confirm", Removal::Everything)] {
            let asks = json!({"argocd.argoproj.io/sync-options": asks});
            assert!(matches!(fates(asks.clone(), removal, missing), Fate::Keep(_)));
            assert_eq!(fates(asks, removal, given), Fate::Delete);
        }
    }
}
