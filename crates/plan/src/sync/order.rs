//! The order of tasks: phase, wave, kind, name; then what others depend on is moved before them.

use std::collections::BTreeMap;

use serde_json::Value;
use towpath_object::Object;

use super::{Rules, Task};
use crate::rank;

/// Kinds in the order in which Argo CD applies them within a wave, by name whatever their group. Every other kind
/// comes after all of these.
const ARGO_KINDS: &[&str] = &[
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
];

/// The place of a kind within a wave under Argo CD's rules.
pub fn argo_rank(kind: &str) -> usize {
    ARGO_KINDS.iter().position(|known| *known == kind).unwrap_or(ARGO_KINDS.len())
}

/// Sorts tasks, and moves namespaces and definitions before the first task that needs them.
pub fn sort(tasks: &mut Vec<Task>, rules: Rules) {
    arrange(tasks, rules);
    bubble(tasks, namespace_of, |object| {
        Some(object.namespace().to_string()).filter(|name| !name.is_empty())
    });
    bubble(tasks, defined_by, |object| {
        let gvk = object.gvk();
        Some(format!("{}/{}", gvk.group, gvk.kind))
    });
    if rules.have_stages() {
        // A moved task has adopted a wave; within that wave its stage decides.
        arrange(tasks, rules);
    }
}

fn arrange(tasks: &mut [Task], rules: Rules) {
    tasks.sort_by_cached_key(|task| {
        let key = &task.id.key;
        let place = match rules {
            Rules::Argo => argo_rank(&key.kind),
            Rules::Kstatus | Rules::Towpath => {
                let place = rank(&key.group, &key.kind).1;
                // Deletions run backwards.
                if task.is_prune() { usize::MAX - place } else { place }
            }
        };
        (task.slot(), place, key.name.clone(), key.clone())
    });
}

/// Moves every task that something depends on directly before the first task that does. It adopts that task's phase
/// and wave: a namespace of wave 5 is of no use to a hook of the phase PreSync.
fn bubble(
    tasks: &mut Vec<Task>,
    provides: impl Fn(&Object) -> Option<String>,
    needs: impl Fn(&Object) -> Option<String>,
) {
    let mut first_need: BTreeMap<String, usize> = BTreeMap::new();
    for index in 0..tasks.len() {
        let Some(target) = tasks.get(index).and_then(|task| task.target.as_ref()) else { continue };
        let Some(name) = provides(target) else {
            if let Some(name) = needs(target) {
                first_need.entry(name).or_insert(index);
            }
            continue;
        };
        let Some(place) = first_need.get(&name).copied() else { continue };
        let Some(slot) = tasks.get(place).map(Task::slot) else { continue };
        let mut task = tasks.remove(index);
        task.id.phase = slot.phase;
        task.wave = slot.wave;
        tasks.insert(place, task);
        for known in first_need.values_mut().filter(|known| **known >= place) {
            *known += 1;
        }
    }
}

fn namespace_of(object: &Object) -> Option<String> {
    (object.kind() == "Namespace" && object.gvk().group.is_empty()).then(|| object.name().to_string())
}

fn defined_by(object: &Object) -> Option<String> {
    if object.kind() != "CustomResourceDefinition" || object.gvk().group != "apiextensions.k8s.io" {
        return None;
    }
    let text = |pointer| object.value().pointer(pointer).and_then(Value::as_str);
    Some(format!("{}/{}", text("/spec/group")?, text("/spec/names/kind")?))
}
