//! `bench engine`: 200 units of four objects each on one control plane, beside raw server-side apply of the same objects
//! (the limit, the best of 1 to 64 connections). The engine runs in a process of its own so that its memory and CPU
//! time are its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::process::Command;
use towpath_testkit::ControlPlane;

use crate::deploy::{best_raw, round3};

/// Units of the main part, and of the part that measures memory.
pub const UNITS: usize = 200;
pub const MANY: usize = 2500;

pub async fn run() -> Result<()> {
    eprintln!("starting a control plane (with controllers: Deployments have to become ready)");
    let plane = ControlPlane::builder().start().await?;
    let (connections, raw) = best_raw(&plane.api(), &[1, 2, 4, 8, 16, 32, 64], UNITS).await?;
    let raw_rate = units_rate(UNITS, raw.as_secs_f64());
    eprintln!("raw: {raw_rate:.0} objects/s with {connections} connections");
    let figures = child(&plane.kubeconfig_path()).await?;
    let number = |name: &str| figures.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let engine_rate = units_rate(UNITS, number("create_s"));
    let mut line = json!({
        "bench": "engine",
        "units": UNITS,
        "raw_connections": connections,
        "raw_per_s": raw_rate.round(),
        "engine_per_s": engine_rate.round(),
        "engine_to_raw": round3(engine_rate / raw_rate),
    });
    if let (Some(line), Some(figures)) = (line.as_object_mut(), figures.as_object()) {
        line.extend(figures.clone());
    }
    println!("{line}");
    Ok(())
}

fn units_rate(units: usize, seconds: f64) -> f64 {
    f64::from(u32::try_from(units * 4).unwrap_or(u32::MAX)) / seconds
}

/// Runs the engine's part in a process of its own and reads its figures.
async fn child(kubeconfig: &Path) -> Result<Value> {
    let program: PathBuf = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.arg("engine-part").arg(kubeconfig).stdout(Stdio::piped()).kill_on_drop(true);
    let output = command.spawn()?.wait_with_output().await?;
    ensure!(output.status.success(), "the engine's part ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_default()).context("read the engine's figures")
}
