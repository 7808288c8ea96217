//! Schemas from a real server.

mod agreement;
mod cache;
mod cost;
mod known;
mod mutate;

use std::time::Duration;

use anyhow::Result;
use serde_json::Value;
use towpath_cluster::{Cluster, Options};
use towpath_object::Gvk;
use towpath_testkit::{ControlPlane, eventually, shared};

fn documents(text: &str) -> Vec<Value> {
    let documents = towpath_yaml::documents(text.as_bytes(), &towpath_yaml::Limits::default()).unwrap();
    documents.into_iter().map(|document| document.value).collect()
}

fn manifests() -> Vec<Value> {
    documents(include_str!("manifests.yaml"))
}

fn definition() -> Value {
    documents(include_str!("basket.yaml")).remove(0)
}

/// The groups and versions of all manifests.
fn wanted() -> Vec<(String, String)> {
    let gvk =
        |value: &Value| Gvk::new(value["apiVersion"].as_str().unwrap(), value["kind"].as_str().unwrap());
    manifests().iter().map(gvk).map(|gvk| (gvk.group, gvk.version)).collect()
}

/// The shared control plane, once it describes the custom resource.
async fn prepare() -> Result<(&'static ControlPlane, Cluster)> {
    let plane = shared().await?;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/baskets.shop.example.com";
    plane.api().apply(path, &definition(), "test").await?;
    let options = Options { kubeconfig: Some(plane.kubeconfig_path()), ..Options::default() };
    let cluster = Cluster::connect(&options).await?;
    eventually("the custom resource is described", Duration::from_secs(20), async || {
        let schemas = cluster.schemas(wanted(), None).await?;
        Ok(schemas.knows(&Gvk::new("shop.example.com/v1", "Basket")).then_some(()))
    })
    .await?;
    Ok((plane, cluster))
}
