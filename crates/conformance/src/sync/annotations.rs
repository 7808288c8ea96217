//! Hooks, policies and waves read from annotations.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::json;
use towpath_object::Object;
use towpath_plan::sync::{Role, Rules, delete_policies, role, wave};

use super::{Fact, fact};

const ARGO: &str = "argocd.argoproj.io/hook";
const HELM: &str = "helm.sh/hook";
const POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
const HELM_POLICY: &str = "helm.sh/hook-delete-policy";

/// Annotation, value, what becomes of it.
const HOOKS: &[(&[(&str, &str)], &str)] = &[
    (&[], "plain"),
    (&[(ARGO, "PreSync")], "PreSync"),
    (&[(ARGO, "Sync")], "Sync"),
    (&[(ARGO, "PostSync")], "PostSync"),
    (&[(ARGO, "SyncFail")], "SyncFail"),
    (&[(ARGO, "Skip")], "skipped"),
    (&[(ARGO, "Garbage")], "ignored"),
    (&[(ARGO, "PreSync,PostSync")], "PreSync PostSync"),
    (&[(ARGO, "Sync,Sync")], "Sync"),
    (&[(ARGO, "PreSync,PreSync")], "PreSync"),
    (&[(ARGO, "Skip,PreSync,PostSync")], "PreSync PostSync"),
    (&[(ARGO, "Sync,Garbage")], "Sync"),
    (&[(HELM, "pre-install")], "PreSync"),
    (&[(HELM, "pre-upgrade")], "PreSync"),
    (&[(HELM, "post-upgrade")], "PostSync"),
    (&[(HELM, "post-install")], "PostSync"),
    (&[(HELM, "pre-install,pre-upgrade")], "PreSync"),
    (&[(HELM, "crd-install")], "plain"),
    (&[(HELM, "pre-rollback")], "ignored"),
    (&[(HELM, "post-rollback")], "ignored"),
    (&[(HELM, "test-success")], "ignored"),
    (&[(HELM, "test-failure")], "ignored"),
    (&[(HELM, "anything")], "ignored"),
    (&[(HELM, "garbage")], "ignored"),
    (&[(ARGO, "Sync"), (HELM, "pre-install")], "Sync"),
    (&[(ARGO, "garbage")], "ignored"),
];

const POLICIES: &[(&[(&str, &str)], &str)] = &[
    (&[], "BeforeHookCreation"),
    (&[(POLICY, "garbage")], "BeforeHookCreation"),
    (&[(POLICY, "BeforeHookCreation")], "BeforeHookCreation"),
    (&[(POLICY, "HookSucceeded")], "HookSucceeded"),
    (&[(POLICY, "HookFailed")], "HookFailed"),
    (&[(HELM_POLICY, "before-hook-creation")], "BeforeHookCreation"),
    (&[(HELM_POLICY, "hook-succeeded")], "HookSucceeded"),
    (&[(HELM_POLICY, "hook-failed")], "HookFailed"),
];

const WAVES: &[(&[(&str, &str)], i64)] = &[
    (&[], 0),
    (&[("argocd.argoproj.io/sync-wave", "1")], 1),
    (&[("argocd.argoproj.io/sync-wave", "-1")], -1),
    (&[("helm.sh/hook-weight", "1")], 1),
    (&[("argocd.argoproj.io/sync-wave", "1"), ("helm.sh/hook-weight", "2")], 1),
    (&[("argocd.argoproj.io/sync-wave", "x"), ("helm.sh/hook-weight", "2")], 2),
    (&[("helm.sh/hook-weight", "x")], 0),
];

pub fn facts() -> Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for (given, expected) in HOOKS {
        let ours = match role(&pod(given)?, Rules::Argo) {
            Role::Plain => "plain".into(),
            Role::Skipped => "skipped".into(),
            Role::Ignored => "ignored".into(),
            Role::Hook(hook) => hook.phases.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        };
        facts.push(fact(&format!("hook {given:?}"), expected, ours));
    }
    for (given, expected) in POLICIES {
        let policies = delete_policies(&pod(given)?, Rules::Argo);
        let ours: Vec<String> = policies.iter().map(|policy| format!("{policy:?}")).collect();
        facts.push(fact(&format!("policy {given:?}"), expected, ours.join(" ")));
    }
    for (given, expected) in WAVES {
        let ours = wave(&pod(given)?, Rules::Argo);
        facts.push(fact(&format!("wave {given:?}"), &expected.to_string(), ours.to_string()));
    }
    Ok(facts)
}

fn pod(annotations: &[(&str, &str)]) -> Result<Object> {
    let annotations: BTreeMap<&str, &str> = annotations.iter().copied().collect();
    let metadata = json!({"name": "my-pod", "annotations": annotations});
    Ok(Object::new(json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata}))?)
}
