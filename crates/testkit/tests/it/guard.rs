//! No process and no file outlives the test process, however it ends.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use towpath_testkit::{ControlPlane, Process, eventually};

const HELPER: &str = "TOWPATH_TESTKIT_GUARD_HELPER";

/// The command lines of running processes that mention this.
fn running(mention: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mention)).collect()
}

/// Not a test of its own: the process that the next test kills.
#[tokio::test]
#[ignore = "started by a_killed_test_process_takes_everything_along"]
async fn helper_that_is_killed() -> Result<()> {
    if std::env::var_os(HELPER).is_none() {
        return Ok(());
    }
    let plane = ControlPlane::builder().start().await?;
    println!("folder={}", plane.folder().display());
    std::future::pending().await
}

#[tokio::test]
async fn a_killed_test_process_takes_everything_along() -> Result<()> {
    let mut helper = Command::new(std::env::current_exe()?);
    helper.args(["--exact", "guard::helper_that_is_killed", "--ignored", "--nocapture"]);
    let mut helper = helper.env(HELPER, "1").stdout(Stdio::piped()).spawn()?;
    let output = BufReader::new(helper.stdout.take().context("its output is piped")?);
    let folder = output
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.split_once("folder=")?.1.to_owned()))
        .context("the helper never told its folder")?;
    let names = running(&folder);
    for program in ["etcd", "kube-apiserver", "kube-controller-manager"] {
        assert!(names.iter().any(|line| line.contains(program)), "{program} runs: {names:?}");
    }
    helper.kill()?;
    helper.wait()?;
    let start = Instant::now();
    eventually("nothing is left", Duration::from_secs(10), async || {
        Ok((running(&folder).is_empty() && !Path::new(&folder).exists()).then_some(()))
    })
    .await?;
    println!("all gone {:?} after the kill", start.elapsed());
    Ok(())
}

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[tokio::test]
async fn a_child_that_does_not_listen_is_killed_with_its_children() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let script = "trap '' TERM; sleep 98765 & sleep 98764 & echo up; wait; sleep 98763";
    let process = Process::start(&sh(script), &folder.path().join("log"), Duration::from_secs(1))?;
    eventually("it is up", Duration::from_secs(5), async || {
        Ok((process.log_tail().contains("up")).then_some(()))
    })
    .await?;
    assert!(!running("sleep 9876").is_empty());
    let start = Instant::now();
    drop(process);
    assert!(start.elapsed() >= Duration::from_secs(1), "it had its grace");
    eventually("its children are gone", Duration::from_secs(2), async || {
        Ok(running("sleep 9876").is_empty().then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_child_that_listens_ends_by_itself() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let script = "trap 'echo farewell; exit' TERM; echo up; while :; do sleep 0.05; done";
    let process = Process::start(&sh(script), &log, Duration::from_secs(20))?;
    eventually("it is up", Duration::from_secs(5), async || {
        Ok((process.log_tail().contains("up")).then_some(()))
    })
    .await?;
    let start = Instant::now();
    drop(process);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(std::fs::read_to_string(&log)?.contains("farewell"));
    Ok(())
}

#[tokio::test]
async fn a_child_that_ends_early_shows_its_log() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let mut process = Process::start(&sh("echo no such flag; exit 3"), &log, Duration::ZERO)?;
    let error = eventually("it ended", Duration::from_secs(5), async || Ok(process.check().err())).await?;
    let text = error.to_string();
    assert!(text.contains("no such flag") && text.contains("status 3"), "{text}");
    Ok(())
}
