//! The objects on which gitops-engine tests its built-in rules.

use std::path::Path;

use anyhow::Result;
use towpath_health::argo;

use super::{Cases, compared, object};

/// Each file below `pkg/health/testdata`, unless it names another folder, and the status that upstream's own
/// test expects of it; empty where there is no health.
const EXPECTED: &[(&str, &str)] = &[
    ("../../utils/kube/testdata/nginx.yaml", "Healthy"),
    ("apiservice-v1-false.yaml", "Progressing"),
    ("apiservice-v1-true.yaml", "Healthy"),
    ("apiservice-v1beta1-false.yaml", "Progressing"),
    ("apiservice-v1beta1-true.yaml", "Healthy"),
    ("application-degraded.yaml", ""),
    ("application-healthy.yaml", ""),
    ("daemonset-ondelete.yaml", "Healthy"),
    ("deployment-degraded.yaml", "Degraded"),
    ("deployment-progressing.yaml", "Progressing"),
    ("deployment-suspended.yaml", "Suspended"),
    ("hpa-v1-degraded.yaml", "Degraded"),
    ("hpa-v1-healthy-toofew.yaml", "Healthy"),
    ("hpa-v1-healthy.yaml", "Healthy"),
    ("hpa-v1-progressing-with-no-annotations.yaml", "Progressing"),
    ("hpa-v1-progressing.yaml", "Progressing"),
    ("hpa-v2-degraded.yaml", "Degraded"),
    ("hpa-v2-healthy.yaml", "Healthy"),
    ("hpa-v2-progressing.yaml", "Progressing"),
    ("hpa-v2beta1-healthy-disabled.yaml", "Healthy"),
    ("hpa-v2beta1-healthy.yaml", "Healthy"),
    ("hpa-v2beta2-healthy.yaml", "Healthy"),
    ("ingress-nonemptylist.yaml", "Healthy"),
    ("ingress-unassigned.yaml", "Progressing"),
    ("ingress.yaml", "Healthy"),
    ("job-failed.yaml", "Degraded"),
    ("job-running.yaml", "Progressing"),
    ("job-succeeded.yaml", "Healthy"),
    ("job-suspended.yaml", "Suspended"),
    ("knative-service.yaml", ""),
    ("pod-crashloop.yaml", "Degraded"),
    ("pod-deletion.yaml", "Progressing"),
    ("pod-error.yaml", "Degraded"),
    ("pod-failed.yaml", "Degraded"),
    ("pod-imagepullbackoff.yaml", "Degraded"),
    ("pod-pending.yaml", "Progressing"),
    ("pod-running-not-ready.yaml", "Progressing"),
    ("pod-running-restart-always.yaml", "Healthy"),
    ("pod-running-restart-never.yaml", "Progressing"),
    ("pod-running-restart-onfailure.yaml", "Progressing"),
    ("pod-succeeded.yaml", "Healthy"),
    ("pvc-bound.yaml", "Healthy"),
    ("pvc-pending.yaml", "Progressing"),
    ("statefulset-ondelete.yaml", "Healthy"),
    ("statefulset.yaml", "Healthy"),
    ("svc-clusterip.yaml", "Healthy"),
    ("svc-loadbalancer-nonemptylist.yaml", "Healthy"),
    ("svc-loadbalancer-unassigned.yaml", "Progressing"),
    ("svc-loadbalancer.yaml", "Healthy"),
];

pub fn cases(module: &Path) -> Result<Cases> {
    let folder = module.join("pkg/health/testdata");
    let judge = |(file, expected): &(&str, &str)| {
        let health = argo::assess(&object(&folder.join(file))?);
        let ours = health.map_or("", |health| health.status.word());
        Ok(((*file).to_owned(), compared(expected, ours)))
    };
    Ok(Cases { group: "built-in", judged: EXPECTED.iter().map(judge).collect::<Result<_>>()? })
}
