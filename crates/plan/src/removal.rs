//! What becomes of an object that an app has and no longer wants.

use towpath_object::Object;

use crate::app::{APP_LABEL, APP_NAMESPACE_LABEL, PRUNE_ANNOTATION};
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
/// over, or that was there before us, is ever deleted.
pub fn fate(app: &App, live: Option<&Object>, applied: &Applied, removal: Removal) -> Fate {
    let Some(live) = live else { return Fate::Forget };
    if !is_ours(app, live, applied) {
        return Fate::Forget;
    }
    if live.annotation(PRUNE_ANNOTATION) == Some("disabled") {
        // An app that is removed altogether has no inventory left to keep it in.
        return if removal == Removal::Everything {
            Fate::Forget
        } else {
            Fate::Keep("towpath.dev/prune is disabled on it")
        };
    }
    let holds_inventory =
        live.kind() == "Namespace" && live.gvk().group.is_empty() && live.name() == app.namespace;
    match removal {
        Removal::Off => Fate::Keep("pruning is off; --prune deletes it"),
        Removal::Prune if holds_inventory => Fate::Keep("the app's inventory lives in it"),
        Removal::Prune | Removal::Everything => Fate::Delete,
    }
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
        let fate = |object: &Object, applied: Applied, removal| fate(&app(), Some(object), &applied, removal);
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
        assert!(matches!(
            fate(&app(), Some(&namespace), &Applied::Unrecorded, Removal::Prune),
            Fate::Keep(_)
        ));
        assert_eq!(fate(&app(), Some(&namespace), &Applied::Unrecorded, Removal::Everything), Fate::Delete);
    }

    #[test]
    fn an_annotation_protects() {
        let ours = json!({"towpath.dev/app": "shop", "towpath.dev/app-namespace": "web"});
        let object = live("ConfigMap", "a", &ours, &json!({"towpath.dev/prune": "disabled"}));
        assert!(matches!(fate(&app(), Some(&object), &Applied::Unrecorded, Removal::Prune), Fate::Keep(_)));
    }
}
