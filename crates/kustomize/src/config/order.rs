//! The order of kinds that upstream calls legacy.

use std::cmp::Ordering;

use super::Config;
use crate::id::Gvk;

/// Kinds that come first, in this order.
pub const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// Kinds that come last, in this order.
pub const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// The rank of a kind: below zero for the first ones, above for the last ones.
pub fn legacy_rank<S: AsRef<str>>(kind: &str, first: &[S], last: &[S]) -> isize {
    // Later entries win, as in a map that is filled in order.
    if let Some(at) = last.iter().rposition(|one| one.as_ref() == kind) {
        return 1 + at.cast_signed();
    }
    match first.iter().rposition(|one| one.as_ref() == kind) {
        Some(at) => at.cast_signed() - first.len().cast_signed(),
        None => 0,
    }
}

fn compare(one: Gvk<'_>, other: Gvk<'_>) -> Ordering {
    let rank = |gvk: Gvk<'_>| legacy_rank(gvk.kind, &FIRST, &LAST);
    rank(one).cmp(&rank(other)).then_with(|| sort_text(one).cmp(&sort_text(other)))
}

/// The text by which types of one rank are sorted.
pub fn sort_text(gvk: Gvk<'_>) -> String {
    let or = |text, none| if str::is_empty(text) { none } else { text };
    format!("{}_{}_{}", or(gvk.group, "~G"), or(gvk.version, "~V"), or(gvk.kind, "~K"))
}

impl Config {
    /// Brings all tables into order.
    pub(super) fn sort(&mut self) {
        for specs in self.tables() {
            specs.sort_by(|one, other| compare(one.gvk(), other.gvk()));
        }
        self.name_reference.sort_by(|one, other| compare(one.gvk(), other.gvk()));
    }
}
