//! Which rules in the schemas of built-in types the server really enforces.
//!
//! In a document made from Go, `required` only says that the field has no `omitempty`, and `enum` lists the
//! values of a Go type. Whether an absent field or another value is refused is decided by validation code that
//! is in no schema: a ResourceClaim without `spec` is accepted, a Deployment without `spec.selector` is not, and
//! a field whose feature is switched off is dropped unseen. So these are lists of what a real server (1.36) was
//! seen to refuse wherever the type is used; what is not in them is left to the server.

/// Fields that must be there: types without the prefix `io.k8s.api.`, sorted, and their fields.
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

/// The same for types of other packages.
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
];

/// Fields with nothing but the listed values: types without the prefix `io.k8s.api.`, sorted, and their fields.
const LIMITED: &[(&str, &[&str])] = &[
    ("admissionregistration.v1.MutatingWebhook", &["failurePolicy", "matchPolicy", "sideEffects"]),
    ("admissionregistration.v1.RuleWithOperations", &["operations", "scope"]),
    ("admissionregistration.v1.ValidatingWebhook", &["failurePolicy", "matchPolicy", "sideEffects"]),
    ("apps.v1.DaemonSetUpdateStrategy", &["type"]),
    ("apps.v1.DeploymentStrategy", &["type"]),
    ("apps.v1.StatefulSetSpec", &["podManagementPolicy"]),
    ("apps.v1.StatefulSetUpdateStrategy", &["type"]),
    ("batch.v1.CronJobSpec", &["concurrencyPolicy"]),
    ("batch.v1.JobSpec", &["completionMode"]),
    ("batch.v1.PodFailurePolicyOnExitCodesRequirement", &["operator"]),
    ("batch.v1.PodFailurePolicyRule", &["action"]),
    ("core.v1.Container", &["imagePullPolicy", "terminationMessagePolicy"]),
    ("core.v1.ContainerPort", &["protocol"]),
    ("core.v1.HTTPGetAction", &["scheme"]),
    ("core.v1.HostPathVolumeSource", &["type"]),
    ("core.v1.NodeSelectorRequirement", &["operator"]),
    ("core.v1.PersistentVolumeClaimSpec", &["accessModes", "volumeMode"]),
    ("core.v1.PersistentVolumeSpec", &["accessModes", "persistentVolumeReclaimPolicy", "volumeMode"]),
    ("core.v1.PodSecurityContext", &["fsGroupChangePolicy"]),
    ("core.v1.PodSpec", &["dnsPolicy", "preemptionPolicy", "restartPolicy"]),
    ("core.v1.ResourceQuotaSpec", &["scopes"]),
    ("core.v1.ScopedResourceSelectorRequirement", &["operator", "scopeName"]),
    ("core.v1.SeccompProfile", &["type"]),
    ("core.v1.ServicePort", &["protocol"]),
    (
        "core.v1.ServiceSpec",
        &[
            "externalTrafficPolicy",
            "internalTrafficPolicy",
            "ipFamilies",
            "ipFamilyPolicy",
            "sessionAffinity",
            "type",
        ],
    ),
    ("core.v1.Toleration", &["effect", "operator"]),
    ("core.v1.TopologySpreadConstraint", &["whenUnsatisfiable"]),
    ("core.v1.VolumeMount", &["mountPropagation"]),
    ("discovery.v1.EndpointSlice", &["addressType"]),
    ("networking.v1.HTTPIngressPath", &["pathType"]),
    ("networking.v1.NetworkPolicyPort", &["protocol"]),
    ("networking.v1.NetworkPolicySpec", &["policyTypes"]),
    ("policy.v1.PodDisruptionBudgetSpec", &["unhealthyPodEvictionPolicy"]),
    ("scheduling.v1.PriorityClass", &["preemptionPolicy"]),
    ("storage.v1.StorageClass", &["reclaimPolicy", "volumeBindingMode"]),
];

/// Whether the server refuses an object of the type with this full name if it lacks the field.
pub(crate) fn requires(name: &str, field: &str) -> bool {
    match name.strip_prefix("io.k8s.api.") {
        Some(short) => lists(REQUIRED, short, field),
        None => lists(ELSEWHERE, name, field),
    }
}

/// Whether the server refuses another value than those that the schema lists.
pub(crate) fn limits(name: &str, field: &str) -> bool {
    name.strip_prefix("io.k8s.api.").is_some_and(|short| lists(LIMITED, short, field))
}

fn lists(table: &[(&str, &[&str])], name: &str, field: &str) -> bool {
    let found = table.binary_search_by_key(&name, |(known, _)| *known).ok().and_then(|at| table.get(at));
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
        assert!(limits("io.k8s.api.core.v1.ServiceSpec", "type"));
        assert!(!limits("io.k8s.api.core.v1.Lifecycle", "stopSignal"));
        assert!([REQUIRED, ELSEWHERE, LIMITED].iter().all(|table| table.is_sorted()));
    }
}
