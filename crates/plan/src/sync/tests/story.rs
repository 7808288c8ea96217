//! Words for telling stories: objects that read as sentences.

use serde_json::json;

use super::super::fixture::{object, wanted};
use super::super::{Request, Wanted};

pub fn config(name: &str, wave: i64) -> Wanted {
    plain("v1", "ConfigMap", name, wave)
}

pub fn deployment(name: &str, wave: i64) -> Wanted {
    plain("apps/v1", "Deployment", name, wave)
}

pub fn plain(api_version: &str, kind: &str, name: &str, wave: i64) -> Wanted {
    wanted(
        api_version,
        kind,
        "",
        name,
        json!({"annotations": {"argocd.argoproj.io/sync-wave": wave.to_string()}}),
    )
}

pub fn hook(name: &str, phase: &str, policy: &str) -> Wanted {
    let annotations =
        json!({"argocd.argoproj.io/hook": phase, "argocd.argoproj.io/hook-delete-policy": policy});
    wanted("batch/v1", "Job", "", name, json!({"annotations": annotations}))
}

/// The definition of baskets.
pub fn definition() -> Wanted {
    let value =
        object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "baskets.example.com", json!({}));
    let mut value = value.into_value();
    value["spec"] = json!({"group": "example.com", "scope": "Namespaced", "names": {"kind": "Basket", "plural": "baskets"},
        "versions": [{"name": "v1", "served": true}]});
    Wanted::new(value, None).unwrap()
}

/// The object as it would be live.
pub fn live(wanted: &Wanted) -> towpath_object::Object {
    let mut object = wanted.object.clone();
    object.set_namespace("web");
    object
}

pub fn same(_: &mut Request<'static>) {}

pub fn pruning(request: &mut Request<'static>) {
    request.options.prune = true;
}
