//! In which order kinds are applied: a table. They are deleted in the reverse order.
//!
//! Stages are barriers: everything of a stage has been accepted before the next begins. Within a stage objects go
//! out together, started by rank, so that a slow server sees definitions before what refers to them.

use serde::Serialize;

/// A barrier in the order of application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// What other objects are made of or live in: CRDs, namespaces, classes.
    Definitions,
    /// What workloads refer to when they are admitted: quotas, accounts, rights, configuration, services, volumes.
    Settings,
    /// Workloads, custom resources and everything that has no place of its own.
    Workloads,
    /// What judges all later requests: admission webhooks and policies, after what answers for them.
    Admission,
}

impl Stage {
    /// All stages in the order of application.
    pub const ALL: [Self; 4] = [Self::Definitions, Self::Settings, Self::Workloads, Self::Admission];
}

/// Kinds with a place of their own, in the order of application.
const TABLE: &[(Stage, &str, &str)] = &[
    (Stage::Definitions, "apiextensions.k8s.io", "CustomResourceDefinition"),
    (Stage::Definitions, "", "Namespace"),
    (Stage::Definitions, "node.k8s.io", "RuntimeClass"),
    (Stage::Definitions, "scheduling.k8s.io", "PriorityClass"),
    (Stage::Definitions, "storage.k8s.io", "StorageClass"),
    (Stage::Definitions, "snapshot.storage.k8s.io", "VolumeSnapshotClass"),
    (Stage::Definitions, "networking.k8s.io", "IngressClass"),
    (Stage::Definitions, "gateway.networking.k8s.io", "GatewayClass"),
    (Stage::Definitions, "cluster.x-k8s.io", "ClusterClass"),
    (Stage::Settings, "", "ResourceQuota"),
    (Stage::Settings, "", "LimitRange"),
    (Stage::Settings, "", "ServiceAccount"),
    (Stage::Settings, "rbac.authorization.k8s.io", "Role"),
    (Stage::Settings, "rbac.authorization.k8s.io", "ClusterRole"),
    (Stage::Settings, "rbac.authorization.k8s.io", "RoleBinding"),
    (Stage::Settings, "rbac.authorization.k8s.io", "ClusterRoleBinding"),
    (Stage::Settings, "networking.k8s.io", "NetworkPolicy"),
    (Stage::Settings, "", "ConfigMap"),
    (Stage::Settings, "", "Secret"),
    (Stage::Settings, "", "PersistentVolume"),
    (Stage::Settings, "", "PersistentVolumeClaim"),
    (Stage::Settings, "", "Service"),
    (Stage::Workloads, "apps", "DaemonSet"),
    (Stage::Workloads, "", "Pod"),
    (Stage::Workloads, "", "ReplicationController"),
    (Stage::Workloads, "apps", "ReplicaSet"),
    (Stage::Workloads, "apps", "Deployment"),
    (Stage::Workloads, "apps", "StatefulSet"),
    (Stage::Workloads, "batch", "Job"),
    (Stage::Workloads, "batch", "CronJob"),
    (Stage::Workloads, "policy", "PodDisruptionBudget"),
    (Stage::Workloads, "autoscaling", "HorizontalPodAutoscaler"),
    (Stage::Workloads, "networking.k8s.io", "Ingress"),
    (Stage::Workloads, "apiregistration.k8s.io", "APIService"),
    (Stage::Admission, "admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    (Stage::Admission, "admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    (Stage::Admission, "admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    (Stage::Admission, "admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    (Stage::Admission, "admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    (Stage::Admission, "admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
];

/// The stage of a kind and its place within all kinds. Kinds that the table does not name are workloads, after
/// those it names.
pub fn rank(group: &str, kind: &str) -> (Stage, usize) {
    match TABLE.iter().position(|(_, known_group, known_kind)| *known_group == group && *known_kind == kind) {
        Some(position) => (TABLE.get(position).map_or(Stage::Workloads, |(stage, ..)| *stage), position),
        None => (Stage::Workloads, TABLE.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_its_stages() {
        assert!(TABLE.is_sorted_by_key(|(stage, ..)| *stage));
    }

    #[test]
    fn a_kind_of_another_group_has_no_place_of_its_own() {
        assert_eq!(rank("serving.knative.dev", "Service").0, Stage::Workloads);
        assert_eq!(rank("", "Service").0, Stage::Settings);
        assert_eq!(rank("shop.example.com", "Basket"), (Stage::Workloads, TABLE.len()));
    }
}
