//! `bench engine`: 200 units of four objects each, beside raw server-side apply of the same objects (the limit, with the
//! best of 1 to 64 connections). Each round has a control plane of its own, because a server slows down as it fills, and
//! the two take turns at being first. The engine runs in a process of its own so that its memory and CPU time are its own.

mod meter;
pub mod part;
pub mod world;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::process::Command;
use towpath_testkit::{Api, ControlPlane};

use crate::figures::{median, rate_of, ratio};
use crate::raw::{best, raw};

/// Units of the main part, and of the part that measures memory.
pub const UNITS: usize = 200;
pub const MANY: usize = 2500;
const CONNECTIONS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
const ROUNDS: usize = 4;

pub async fn run() -> Result<()> {
    eprintln!("control planes with controllers: Deployments have to become ready");
    let plane = ControlPlane::builder().start().await?;
    let connections = best(&plane.api(), &CONNECTIONS, UNITS).await?;
    drop(plane);
    let (mut limit, mut ours) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let plane = ControlPlane::builder().start().await?;
        let api = plane.api();
        raw(&api, "warm", UNITS, connections).await?;
        settled(&api, "warm").await?;
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                limit.push(raw(&api, "raw", UNITS, connections).await?);
                settled(&api, "raw").await?;
            } else {
                let figures = child("create", &plane.kubeconfig_path()).await?;
                let seconds = figures.get("create_s").and_then(Value::as_f64).context("no time")?;
                ours.push(Duration::from_secs_f64(seconds));
            }
        }
        if let (Some(raw), Some(ours)) = (limit.last(), ours.last()) {
            let (theirs, rate) = (rate_of(UNITS * 4, *raw), rate_of(UNITS * 4, *ours));
            eprintln!("round {}: raw {theirs:>4.0}/s, engine {rate:>4.0}/s, ready included", round + 1);
        }
    }
    let plane = ControlPlane::builder().start().await?;
    let figures = child("life", &plane.kubeconfig_path()).await?;
    let rounds: Vec<f64> = limit.iter().zip(&ours).map(|(raw, ours)| ratio(*raw, *ours)).collect();
    let (raw, ours) = (median(limit), median(ours));
    let mut line = json!({
        "bench": "engine",
        "units": UNITS,
        "raw_connections": connections,
        "raw_per_s": rate_of(UNITS * 4, raw).round(),
        "engine_per_s": rate_of(UNITS * 4, ours).round(),
        "engine_to_raw": ratio(raw, ours),
        "rounds_to_raw": rounds,
    });
    if let (Some(line), Value::Object(figures)) = (line.as_object_mut(), figures) {
        line.extend(figures);
    }
    println!("{line}");
    Ok(())
}

/// Waits until the controllers have dealt with all Deployments of a namespace: their work must not fall into the next turn.
async fn settled(api: &Api, namespace: &str) -> Result<()> {
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
    for _ in 0..600 {
        let list = api.get(&path).await?;
        let items = list.get("items").and_then(Value::as_array).context("a list has items")?;
        let open = items.iter().filter(|item| item.pointer("/status/observedGeneration").is_none()).count();
        if open == 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    anyhow::bail!("the Deployments of {namespace} do not settle")
}

/// Runs a part of the engine's in a process of its own and reads its figures.
async fn child(part: &str, kubeconfig: &Path) -> Result<Value> {
    let program: PathBuf = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.args(["engine-part", part]).arg(kubeconfig).stdout(Stdio::piped()).kill_on_drop(true);
    let output = command.spawn()?.wait_with_output().await?;
    ensure!(output.status.success(), "the engine's part ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default()).context("read the engine's figures")
}
