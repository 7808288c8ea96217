//! What part an object plays in a sync: a plain object, a hook of some phases, or none.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use towpath_object::Object;

use super::annotation::{
    HELM_HOOK, HELM_HOOK_DELETE_POLICY, HELM_HOOK_WEIGHT, HOOK, HOOK_DELETE_POLICY, WAVE, items,
};
use super::{Phase, Rules};

/// Keeps a hook on the cluster until its result is known; taken off when it is.
pub const HOOK_FINALIZER: &str = "towpath.dev/hook-finalizer";
/// The finalizer that Argo CD leaves on hooks. It is taken off as well.
pub const ARGO_HOOK_FINALIZER: &str = "argocd.argoproj.io/hook-finalizer";

/// The part an object plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is applied in the phase Sync, and pruned when it is no longer wanted.
    Plain,
    /// It is compared and never touched (`Skip`).
    Skipped,
    /// It says that it is a hook, of no phase that we know: neither applied nor compared nor pruned.
    Ignored,
    /// It is created anew in each of its phases.
    Hook(Hook),
}

/// A hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The phases in which it runs; never empty.
    pub phases: BTreeSet<Phase>,
    /// When it is deleted.
    pub delete: BTreeSet<DeletePolicy>,
}

/// An occasion on which a hook is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DeletePolicy {
    /// Before it is created again.
    BeforeHookCreation,
    /// When the sync has succeeded.
    HookSucceeded,
    /// When the sync has failed.
    HookFailed,
}

/// Reads the part from the annotations. Under `kstatus` only our own names count: Flux has no hooks.
pub fn role(object: &Object, rules: Rules) -> Role {
    let helm = if rules.read_foreign_names() { object.annotation(HELM_HOOK) } else { None };
    let written = HOOK.text(object, rules);
    let words = items(written);
    let mut phases: BTreeSet<Phase> = words.iter().filter_map(|word| phase(word)).collect();
    let skip = words.contains(&"Skip");
    if written.is_some() && skip && phases.is_empty() {
        return Role::Skipped;
    }
    let is_hook = written.is_some() || helm.is_some_and(|value| value != "crd-install");
    if !is_hook {
        return Role::Plain;
    }
    if phases.is_empty() {
        phases = items(helm).into_iter().filter_map(helm_phase).collect();
    }
    if phases.is_empty() {
        return Role::Ignored;
    }
    Role::Hook(Hook { phases, delete: delete_policies(object, rules) })
}

/// When the hook is deleted: every policy that is named, by default before it is created again.
pub fn delete_policies(object: &Object, rules: Rules) -> BTreeSet<DeletePolicy> {
    let mut policies: BTreeSet<DeletePolicy> = HOOK_DELETE_POLICY
        .items(object, rules)
        .into_iter()
        .filter_map(|word| match word {
            "BeforeHookCreation" => Some(DeletePolicy::BeforeHookCreation),
            "HookSucceeded" => Some(DeletePolicy::HookSucceeded),
            "HookFailed" => Some(DeletePolicy::HookFailed),
            _ => None,
        })
        .collect();
    if rules.read_foreign_names() {
        let helm = items(object.annotation(HELM_HOOK_DELETE_POLICY));
        policies.extend(helm.into_iter().filter_map(|word| match word {
            "before-hook-creation" => Some(DeletePolicy::BeforeHookCreation),
            "hook-succeeded" => Some(DeletePolicy::HookSucceeded),
            "hook-failed" => Some(DeletePolicy::HookFailed),
            _ => None,
        }));
    }
    if policies.is_empty() {
        policies.insert(DeletePolicy::BeforeHookCreation);
    }
    policies
}

/// The wave: the annotation's integer, else Helm's weight, else 0. What is not an integer counts as absent.
pub fn wave(object: &Object, rules: Rules) -> i64 {
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
    let foreign = |name| if rules.read_foreign_names() { object.annotation(name) } else { None };
    number(object.annotation(WAVE.ours))
        .or_else(|| number(foreign(WAVE.argo)))
        .or_else(|| number(foreign(HELM_HOOK_WEIGHT)))
        .unwrap_or(0)
}

fn phase(word: &str) -> Option<Phase> {
    Some(match word {
        "PreSync" => Phase::PreSync,
        "Sync" => Phase::Sync,
        "PostSync" => Phase::PostSync,
        "SyncFail" => Phase::SyncFail,
        "PreDelete" => Phase::PreDelete,
        "PostDelete" => Phase::PostDelete,
        _ => return None,
    })
}

/// Helm's rollback and test hooks have no counterpart.
fn helm_phase(word: &str) -> Option<Phase> {
    Some(match word {
        "pre-install" | "pre-upgrade" => Phase::PreSync,
        "post-install" | "post-upgrade" => Phase::PostSync,
        "pre-delete" => Phase::PreDelete,
        "post-delete" => Phase::PostDelete,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::annotated;
    use super::*;

    #[test]
    fn our_names_win() {
        let object = annotated(&[(HOOK.ours, "PostSync"), (HOOK.argo, "PreSync"), (HELM_HOOK, "pre-delete")]);
        let Role::Hook(hook) = role(&object, Rules::Argo) else { panic!("a hook") };
        assert_eq!(hook.phases, BTreeSet::from([Phase::PostSync]));
        let object = annotated(&[(WAVE.ours, "x"), (WAVE.argo, "3"), (HELM_HOOK_WEIGHT, "4")]);
        assert_eq!((wave(&object, Rules::Argo), wave(&object, Rules::Kstatus)), (3, 0));
    }

    #[test]
    fn under_kstatus_foreign_hooks_are_plain_objects() {
        let object = annotated(&[(HOOK.argo, "PreSync"), (HELM_HOOK, "pre-install")]);
        assert_eq!(role(&object, Rules::Kstatus), Role::Plain);
    }

    #[test]
    fn skip_beside_a_phase_is_a_hook_of_that_phase() {
        let object = annotated(&[(HOOK.argo, "Skip,PreSync")]);
        assert!(matches!(role(&object, Rules::Argo), Role::Hook(hook) if hook.phases.len() == 1));
        assert_eq!(role(&annotated(&[(HOOK.argo, "")]), Rules::Argo), Role::Ignored);
    }
}
