//! How an object is written, by the options of the unit, the target and the live object.

use serde_json::json;

use super::super::fixture::{object, request, wanted};
use super::super::{How, Method, Recreate, Rules, SyncOptions, schedule};

fn how(kind: &str, unit: &[&str], target: &str, live: Option<&str>) -> How {
    let metadata = |options: &str| json!({"annotations": {"argocd.argoproj.io/sync-options": options}});
    let api_version = if kind == "CustomResourceDefinition" { "apiextensions.k8s.io/v1" } else { "v1" };
    let namespace = if kind == "Pod" { "web" } else { "" };
    let found = live.map(|options| object(api_version, kind, namespace, "a", metadata(options)));
    let exists = found.is_some();
    let mut request = request(
        vec![wanted(api_version, kind, namespace, "a", metadata(target))],
        found.into_iter().collect(),
    );
    request.options = SyncOptions::read(unit).0;
    let made = schedule(request).unwrap();
    How::new(&made.tasks[0], &made.options, exists, Rules::Argo)
}

#[test]
fn replace_wins_over_server_side_apply() {
    let method = |unit: &[&str], target, live| how("Pod", unit, target, live).method;
    assert_eq!(method(&[], "", None), Method::ServerSide);
    assert_eq!(method(&[], "ServerSideApply=false", None), Method::ClientSide);
    assert_eq!(method(&["ServerSideApply=false"], "ServerSideApply=true", None), Method::ServerSide);
    assert_eq!(method(&["Replace=true"], "ServerSideApply=true", Some("")), Method::Replace);
    assert_eq!(method(&[], "Replace=true", Some("")), Method::Replace);
    assert_eq!(method(&[], "", Some("Replace=true")), Method::Replace);
    assert_eq!(method(&["Replace=true"], "", None), Method::Create);
}

#[test]
fn definitions_and_namespaces_are_never_deleted_to_be_changed() {
    let recreate = |kind, unit: &[&str], target, live| how(kind, unit, target, live).recreate;
    assert_eq!(recreate("Pod", &["Replace=true"], "", Some("")), Recreate::Never);
    assert_eq!(recreate("Pod", &["Replace=true", "Force=true"], "", Some("")), Recreate::Always);
    assert_eq!(recreate("Pod", &[], "Force=true", Some("")), Recreate::IfRefused);
    assert_eq!(recreate("Pod", &[], "", Some("Force=true")), Recreate::IfRefused);
    for kind in ["Namespace", "CustomResourceDefinition"] {
        assert_eq!(recreate(kind, &["Replace=true", "Force=true"], "", Some("")), Recreate::Never);
    }
}

#[test]
fn validation_and_migration_can_be_turned_off() {
    assert!(how("Pod", &[], "", None).validate && how("Pod", &[], "", None).migrate);
    assert!(!how("Pod", &["Validate=false"], "", None).validate);
    assert!(!how("Pod", &[], "Validate=false", None).validate);
    assert!(!how("Pod", &["ClientSideApplyMigration=false"], "", None).migrate);
}
