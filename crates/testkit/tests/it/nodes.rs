//! Nodes on which pods become ready, and Jobs done.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};
use towpath_testkit::{ControlPlane, eventually};

fn template() -> Value {
    json!({
        "metadata": { "labels": { "app": "a" } },
        "spec": {
            "restartPolicy": "Always",
            "initContainers": [{ "name": "first", "image": "example.org/first:1" }],
            "containers": [{ "name": "a", "image": "example.org/a:1" }],
        },
    })
}

#[tokio::test]
async fn a_deployment_becomes_ready_and_a_job_done() -> Result<()> {
    let start = Instant::now();
    let plane = ControlPlane::builder().nodes(2).start().await?;
    println!("with nodes started in {:?}", start.elapsed());
    let api = plane.api();
    let namespace = plane.namespace("pods").await?;

    let deployments = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
    let deployment = json!({
        "metadata": { "name": "a" },
        "spec": { "replicas": 3, "selector": { "matchLabels": { "app": "a" } }, "template": template() },
    });
    api.post(&deployments, &deployment).await?;
    let jobs = format!("/apis/batch/v1/namespaces/{namespace}/jobs");
    let mut job = json!({ "metadata": { "name": "j" }, "spec": { "template": template() } });
    job["spec"]["template"]["spec"]["restartPolicy"] = "Never".into();
    api.post(&jobs, &job).await?;

    eventually("three pods are ready", Duration::from_secs(30), async || {
        let found = api.get(&format!("{deployments}/a")).await?;
        Ok((found["status"]["readyReplicas"] == 3).then_some(()))
    })
    .await?;
    println!("three pods ready after {:?}", start.elapsed());
    eventually("the job is complete", Duration::from_secs(30), async || {
        Ok((api.get(&format!("{jobs}/j")).await?["status"]["succeeded"] == 1).then_some(()))
    })
    .await?;

    api.delete(&format!("{deployments}/a")).await?;
    eventually("its pods are gone", Duration::from_secs(30), async || {
        let pods = api.list(&format!("/api/v1/namespaces/{namespace}/pods?labelSelector=app%3Da")).await?;
        let left = pods.iter().filter(|pod| pod["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet");
        Ok((left.count() == 0).then_some(()))
    })
    .await
}

#[tokio::test]
async fn nodes_without_controllers_are_refused() {
    let error =
        ControlPlane::builder().controllers(false).nodes(1).start().await.expect_err("it makes no sense");
    assert!(error.to_string().contains("need the controllers"));
}
