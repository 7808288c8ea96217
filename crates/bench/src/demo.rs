//! `cargo xtask demo`: the main job, before your eyes. A real control plane, an example application deployed, seen,
//! drifted, healed and removed, by the commands a person would type.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use tokio::process::Command;
use towpath_testkit::ControlPlane;

pub async fn run() -> Result<()> {
    let towpath = PathBuf::from(std::env::var_os("TOWPATH_BIN").context("start it with `cargo xtask demo`")?);
    let example = "examples/shop";

    say("A real control plane: etcd, kube-apiserver, controllers, scheduler and two simulated nodes.");
    let start = Instant::now();
    let plane = ControlPlane::builder().nodes(2).start().await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    say(&format!("It is up after {:.1} s at {}.", start.elapsed().as_secs_f64(), plane.url()));
    let towpath = async |arguments: &[&str]| show(&towpath, &kubeconfig, arguments).await;

    say("Deploy the example application and wait until it is ready.");
    towpath(&["deploy", "-f", example, "--app", "shop", "-n", "shop", "--prune", "--wait", "--yes"]).await?;
    say("What it has now, with what the controllers made of it:");
    towpath(&["inspect", "shop", "-n", "shop"]).await?;

    say("Somebody scales a Deployment by hand and deletes a ConfigMap.");
    let web = "/apis/apps/v1/namespaces/shop/deployments/web";
    api.patch(web, &json!({"spec": {"replicas": 5}})).await?;
    api.delete("/api/v1/namespaces/shop/configmaps/web-settings").await?;
    say("The drift, field by field:");
    towpath(&["diff", "-f", example, "--app", "shop", "-n", "shop"]).await?;
    say("Healed:");
    towpath(&["deploy", "-f", example, "--app", "shop", "-n", "shop", "--prune", "--wait", "--yes"]).await?;
    let replicas = api.get(web).await?;
    ensure!(replicas["spec"]["replicas"] == 2, "the drift was not healed");
    say("Once more, with nothing to do:");
    towpath(&["deploy", "-f", example, "--app", "shop", "-n", "shop", "--prune", "--yes"]).await?;

    say("And all of it removed, its namespace last.");
    towpath(&["delete", "shop", "-n", "shop", "--yes"]).await?;
    ensure!(api.find("/api/v1/namespaces/shop").await?.is_none(), "the namespace is still there");
    say("Done. The control plane is stopped with this program.");
    Ok(())
}

fn say(text: &str) {
    println!("\n# {text}");
}

async fn show(towpath: &Path, kubeconfig: &Path, arguments: &[&str]) -> Result<()> {
    println!("$ towpath {}", arguments.join(" "));
    let start = Instant::now();
    let mut command = Command::new(towpath);
    command.args(arguments).env("KUBECONFIG", kubeconfig).stdin(Stdio::null());
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let status = command.status().await?;
    ensure!(status.success(), "it ended with {status}");
    println!("({:.2} s)", start.elapsed().as_secs_f64());
    Ok(())
}
