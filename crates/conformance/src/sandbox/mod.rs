//! The sandbox beside a real kube-apiserver: the same requests to both, the answers compared step by step.
//!
//! In: sequences of requests as data ([`sequence`]). Out: for each step whether code and body are the same, what is a
//! server's own (uids, versions, times) made the same first. Both run without controllers.

mod cases;
mod facts;
mod mask;
mod run;
mod sequence;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;
use towpath_sandbox::{Options, Sandbox};
use towpath_testkit::{Api, ControlPlane, Credentials, eventually};

use crate::score::{Score, Verdict};

/// Where the sandbox keeps what it knows of Kubernetes' own kinds.
const FACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sandbox/data/kubernetes.json");

/// Writes down what the sandbox has to know of Kubernetes' own kinds.
pub fn write_facts(path: &Path) -> Result<()> {
    runtime()?.block_on(async {
        let plane = ControlPlane::builder().controllers(false).start().await?;
        facts::write(&facts::gather(&plane).await?, path)
    })
}

/// Runs all sequences.
pub fn run() -> Result<Score> {
    runtime()?.block_on(async {
        let plane = ControlPlane::builder().controllers(false).start().await?;
        let sandbox = Sandbox::start(Options { controllers: false, ..Options::default() }).await?;
        let (real, ours) = (plane.api(), Api::new(&sandbox.url(), "", Credentials::Anonymous)?);
        let mut score = Score::new("sandbox");
        let committed: serde_json::Value = serde_json::from_slice(&std::fs::read(FACTS)?)?;
        let fresh = facts::gather(&plane).await? == committed;
        let stale = "the committed facts are not those of this server: write them anew with `sandbox-facts`";
        score.add("facts", if fresh { Verdict::Agreed } else { Verdict::Missed(stale.into()) });
        define(&real).await?;
        define(&ours).await?;
        let mut classes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (number, sequence) in cases::all().iter().enumerate() {
            let found = run::compare(sequence, number, &real, &ours).await;
            let found = found.with_context(|| format!("{}: {}", sequence.class, sequence.name))?;
            for (place, verdict) in found.into_iter().enumerate() {
                let counts = classes.entry(sequence.class).or_default();
                counts.1 += 1;
                counts.0 += usize::from(!matches!(verdict, Verdict::Missed(_)));
                score.add(&format!("{}: {}: step {place}", sequence.class, sequence.name), verdict);
            }
        }
        for (class, (agreed, total)) in classes {
            println!("{class}: {agreed}/{total}");
        }
        Ok(score)
    })
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// Adds the custom kind that sequences use, and waits until it is served.
async fn define(api: &Api) -> Result<()> {
    api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &cases::definition()).await?;
    let path = "/apis/shop.example.com/v1/baskets";
    let served = eventually("the custom kind is served", std::time::Duration::from_secs(30), async || {
        Ok(api.get(path).await.ok())
    });
    served.await?;
    // Its schema for apply comes a moment later.
    let apply = "/apis/shop.example.com/v1/namespaces/default/baskets/first";
    let object =
        json!({"apiVersion": "shop.example.com/v1", "kind": "Basket", "metadata": {"name": "first"}});
    let applied =
        eventually("the custom kind can be applied", std::time::Duration::from_secs(30), async || {
            Ok(api.apply(apply, &object, "first").await.ok())
        });
    applied.await?;
    api.delete(apply).await?;
    Ok(())
}
