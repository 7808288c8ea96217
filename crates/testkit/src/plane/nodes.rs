//! Nodes that run pods by saying so: the Node objects are ours, the pods' life is kwok's by our stages.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::Api;

/// What kwok does with pods on our nodes: ready at once, done at once when a Job owns it, gone when deleted.
/// <https://kwok.sigs.k8s.io/docs/user/stages-configuration/>
pub(super) const STAGES: &str = include_str!("stages.yaml");

/// Creates `node-1`, `node-2`, … as a kubelet would report them when all is well.
pub(super) async fn create(api: &Api, count: usize) -> Result<()> {
    for number in 1..=count {
        let name = format!("node-{number}");
        let labels = json!({ "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" });
        let node = json!({ "metadata": { "name": name, "labels": labels } });
        api.post("/api/v1/nodes", &node).await?;
        api.patch(&format!("/api/v1/nodes/{name}/status"), &json!({ "status": status(&name) })).await?;
    }
    Ok(())
}

fn status(name: &str) -> Value {
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let condition = |kind: &str, status: &str, reason: &str| json!({ "type": kind, "status": status, "reason": reason, "lastHeartbeatTime": now, "lastTransitionTime": now });
    let room = json!({ "cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "5000" });
    json!({
        "conditions": [
            condition("Ready", "True", "KubeletReady"),
            condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
            condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
            condition("PIDPressure", "False", "KubeletHasSufficientPID"),
        ],
        "addresses": [{ "type": "InternalIP", "address": "10.1.0.1" }, { "type": "Hostname", "address": name }],
        "capacity": room,
        "allocatable": room,
    })
}
