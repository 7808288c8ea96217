//! `bench deploy`: 800 objects by raw server-side apply (the limit), by `kubectl apply --server-side` and by
//! `towpath deploy`. Each round has a control plane of its own, because a server slows down as it fills; it is warmed by
//! one raw pass, and the six rounds have the three in each of their six orders. Medians of the rounds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;
use tokio::process::Command;
use towpath_testkit::{Api, ControlPlane};

use crate::child::{Cost, measure};
use crate::figures::{median, rate_of, ratio, round3};
use crate::raw::{best, prepare, raw};

const UNITS: usize = 200;
const OBJECTS: usize = UNITS * 4;
/// One round for each order of the three: whoever comes later finds a fuller, slower server.
const ORDERS: [[Tool; 3]; 6] = {
    use Tool::{Kubectl, Raw, Towpath};
    [
        [Raw, Towpath, Kubectl],
        [Towpath, Kubectl, Raw],
        [Kubectl, Raw, Towpath],
        [Raw, Kubectl, Towpath],
        [Towpath, Raw, Kubectl],
        [Kubectl, Towpath, Raw],
    ]
};
/// The raw rate is the best of these numbers of connections.
const CONNECTIONS: [usize; 5] = [4, 8, 16, 32, 64];

#[derive(Clone, Copy)]
enum Tool {
    Raw,
    Towpath,
    Kubectl,
}

pub async fn run() -> Result<()> {
    let towpath =
        PathBuf::from(std::env::var_os("TOWPATH_BIN").context("start it with `cargo xtask bench deploy`")?);
    let kubectl = towpath_toolbox::ensure("kubectl")?;
    eprintln!("control planes of etcd and kube-apiserver; no controllers, so that nobody else writes");
    let plane = ControlPlane::builder().controllers(false).start().await?;
    let connections = best(&plane.api(), &CONNECTIONS, UNITS).await?;
    drop(plane);
    let (mut limit, mut ours, mut again, mut peer, mut peer_again) = (vec![], vec![], vec![], vec![], vec![]);
    let rate = |time: Duration| rate_of(OBJECTS, time);
    for (round, order) in ORDERS.iter().enumerate() {
        let plane = ControlPlane::builder().controllers(false).start().await?;
        let bench = Bench {
            api: plane.api(),
            kubeconfig: plane.kubeconfig_path(),
            folder: tempfile::tempdir()?,
            towpath: towpath.clone(),
            kubectl: kubectl.clone(),
        };
        raw(&bench.api, "warm", UNITS, connections).await?;
        for tool in order {
            match tool {
                Tool::Raw => limit.push(raw(&bench.api, "raw", UNITS, connections).await?),
                Tool::Towpath => {
                    let (first, second) = bench.towpath("towpath").await?;
                    ours.push(first);
                    again.push(second);
                }
                Tool::Kubectl => {
                    let (first, second) = bench.kubectl("kubectl").await?;
                    peer.push(first);
                    peer_again.push(second);
                }
            }
        }
        if let (Some(raw), Some(ours), Some(again), Some(peer)) =
            (limit.last(), ours.last(), again.last(), peer.last())
        {
            eprintln!(
                "round {}: raw {:>4.0}/s, towpath {:>4.0}/s ({:.1} MiB, {:.2} s CPU; unchanged {:.3} s), kubectl {:>4.0}/s",
                round + 1,
                rate(*raw),
                rate(ours.wall),
                ours.rss_mib,
                ours.cpu.as_secs_f64(),
                again.wall.as_secs_f64(),
                rate(peer.wall),
            );
        }
    }
    let wall = |costs: &[Cost]| median(costs.iter().map(|cost| cost.wall).collect());
    let memory = |costs: &[Cost]| costs.iter().map(|cost| cost.rss_mib).fold(0.0, f64::max);
    // Round by round, so that the spread is seen.
    let pairs = |theirs: &[Duration]| -> Vec<f64> {
        theirs.iter().zip(&ours).map(|(theirs, ours)| ratio(*theirs, ours.wall)).collect()
    };
    let peers: Vec<Duration> = peer.iter().map(|cost| cost.wall).collect();
    let (to_raw, to_kubectl) = (pairs(&limit), pairs(&peers));
    let (raw, towpath, kubectl) = (median(limit), wall(&ours), wall(&peer));
    let line = json!({
        "bench": "deploy",
        "objects": OBJECTS,
        "raw_connections": connections,
        "raw_per_s": rate(raw).round(),
        "towpath_per_s": rate(towpath).round(),
        "kubectl_per_s": rate(kubectl).round(),
        "towpath_to_raw": ratio(raw, towpath),
        "towpath_to_kubectl": ratio(kubectl, towpath),
        "rounds_to_raw": to_raw,
        "rounds_to_kubectl": to_kubectl,
        "towpath_rss_mib": memory(&ours).round(),
        "kubectl_rss_mib": memory(&peer).round(),
        "towpath_unchanged_s": round3(wall(&again).as_secs_f64()),
        "kubectl_unchanged_s": round3(wall(&peer_again).as_secs_f64()),
        "unchanged_towpath_to_kubectl": ratio(wall(&peer_again), wall(&again)),
    });
    println!("{line}");
    Ok(())
}

struct Bench {
    api: Api,
    kubeconfig: PathBuf,
    folder: tempfile::TempDir,
    towpath: PathBuf,
    kubectl: PathBuf,
}

impl Bench {
    /// The whole program, from start to end; then once more with nothing to do.
    async fn towpath(&self, namespace: &str) -> Result<(Cost, Cost)> {
        let file = self.write(namespace).await?;
        let command = || {
            let mut command = Command::new(&self.towpath);
            command.args(["deploy", "--app", "bench", "-n", namespace, "--yes", "-f"]).arg(&file);
            command.arg("--kubeconfig").arg(&self.kubeconfig);
            command
        };
        Ok((measure(&mut command()).await?, measure(&mut command()).await?))
    }

    async fn kubectl(&self, namespace: &str) -> Result<(Cost, Cost)> {
        let file = self.write(namespace).await?;
        let command = || {
            let mut command = Command::new(&self.kubectl);
            command.args(["apply", "--server-side", "-f"]).arg(&file);
            command.arg("--kubeconfig").arg(&self.kubeconfig).arg("--cache-dir").arg(self.folder.path());
            command
        };
        Ok((measure(&mut command()).await?, measure(&mut command()).await?))
    }

    async fn write(&self, namespace: &str) -> Result<PathBuf> {
        let objects = prepare(&self.api, namespace, UNITS).await?;
        let file: &Path = &self.folder.path().join(format!("{namespace}.yaml"));
        let text: String = objects.iter().map(|placed| format!("---\n{:#}\n", placed.object)).collect();
        std::fs::write(file, text)?;
        Ok(file.to_path_buf())
    }
}
