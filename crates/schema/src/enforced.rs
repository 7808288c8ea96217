//! Which fields of built-in types the server really requires.
//!
//! In a document made from Go, `required` only says that the field has no `omitempty`. Whether its absence is
//! refused is decided by validation code that is in no schema: a ResourceClaim without `spec` is accepted, a
//! Deployment without `spec.selector` is not. So this is a list of those that a real server (1.36) was seen to
//! refuse wherever the type is used; what is not in it is left to the server.

/// Types without the prefix `io.k8s.api.`, sorted, and their fields.
const REQUIRED: &[(&str, &[&str])] = &[
    ("apps.v1.DaemonSetSpec", &["selector", "template"]),
    ("apps.v1.DeploymentSpec", &["selector", "template"]),
    ("apps.v1.ReplicaSetSpec", &["selector"]),
    ("apps.v1.StatefulSetSpec", &["selector", "template"]),
    ("autoscaling.v2.CrossVersionObjectReference", &["kind", "name"]),
    ("autoscaling.v2.HPAScalingPolicy", &["periodSeconds", "type", "value"]),
    ("autoscaling.v2.HorizontalPodAutoscalerSpec", &["maxReplicas", "scaleTargetRef"]),
    ("autoscaling.v2.MetricIdentifier", &["name"]),
    ("autoscaling.v2.MetricSpec", &["type"]),
    ("autoscaling.v2.MetricTarget", &["type"]),
    ("autoscaling.v2.ResourceMetricSource", &["name", "target"]),
    ("batch.v1.CronJobSpec", &["jobTemplate", "schedule"]),
    ("batch.v1.JobSpec", &["template"]),
    ("batch.v1.PodFailurePolicyRule", &["action"]),
    ("core.v1.ConfigMapKeySelector", &["key"]),
    ("core.v1.Container", &["name"]),
    ("core.v1.ContainerPort", &["containerPort"]),
    ("core.v1.EnvVar", &["name"]),
    ("core.v1.HTTPGetAction", &["port"]),
    ("core.v1.HostPathVolumeSource", &["path"]),
    ("core.v1.KeyToPath", &["key", "path"]),
    ("core.v1.LimitRangeItem", &["type"]),
    ("core.v1.NFSVolumeSource", &["path", "server"]),
    ("core.v1.NodeSelector", &["nodeSelectorTerms"]),
    ("core.v1.NodeSelectorRequirement", &["key", "operator"]),
    ("core.v1.ObjectFieldSelector", &["fieldPath"]),
    ("core.v1.PersistentVolumeClaimVolumeSource", &["claimName"]),
    ("core.v1.PodAffinityTerm", &["topologyKey"]),
    ("core.v1.PodSpec", &["containers"]),
    ("core.v1.PreferredSchedulingTerm", &["weight"]),
    ("core.v1.ResourceFieldSelector", &["resource"]),
    ("core.v1.SecretKeySelector", &["key"]),
    ("core.v1.ServicePort", &["port"]),
    ("core.v1.TCPSocketAction", &["port"]),
    ("core.v1.TopologySpreadConstraint", &["maxSkew", "topologyKey", "whenUnsatisfiable"]),
    ("core.v1.Volume", &["name"]),
    ("core.v1.VolumeDevice", &["devicePath", "name"]),
    ("core.v1.VolumeMount", &["mountPath", "name"]),
    ("core.v1.WeightedPodAffinityTerm", &["weight"]),
    ("networking.v1.HTTPIngressPath", &["pathType"]),
    ("networking.v1.HTTPIngressRuleValue", &["paths"]),
    ("networking.v1.IPBlock", &["cidr"]),
    ("networking.v1.IngressServiceBackend", &["name"]),
    ("rbac.v1.ClusterRoleBinding", &["roleRef"]),
    ("rbac.v1.PolicyRule", &["verbs"]),
    ("rbac.v1.RoleBinding", &["roleRef"]),
    ("rbac.v1.RoleRef", &["kind", "name"]),
    ("rbac.v1.Subject", &["kind", "name"]),
    ("storage.v1.StorageClass", &["provisioner"]),
];

/// Types of other packages.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames",
        &["kind", "plural"],
    ),
    (
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec",
        &["group", "names", "scope", "versions"],
    ),
    ("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion", &["name"]),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", &["key", "operator"]),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", &["apiVersion", "kind", "name", "uid"]),
];

/// Whether the server refuses an object of the type with this full name if it lacks the field.
pub(crate) fn requires(name: &str, field: &str) -> bool {
    let (table, name) = match name.strip_prefix("io.k8s.api.") {
        Some(short) => (REQUIRED, short),
        None => (ELSEWHERE, name),
    };
    let found = table.iter().find(|(known, _)| *known == name);
    found.is_some_and(|(_, fields)| fields.contains(&field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_server_was_seen_to_refuse() {
        assert!(requires("io.k8s.api.apps.v1.DeploymentSpec", "selector"));
        assert!(!requires("io.k8s.api.resource.v1.ResourceClaim", "spec"));
        assert!(!requires("apps.v1.DeploymentSpec", "selector"));
        assert!(REQUIRED.is_sorted() && ELSEWHERE.is_sorted());
    }
}
