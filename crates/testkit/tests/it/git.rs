//! Clone and push over http and ssh with the real git.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use towpath_testkit::GitServer;

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn clone_change_push(server: &GitServer) -> Result<()> {
    let url = server.create("team/app")?;
    let first = server.commit("team/app", "main", &[("deploy/a.yaml", "a: 1\n")], "first")?;
    let work = tempfile::tempdir()?;
    run(server.git(work.path()).args(["clone", "--quiet", &url, "clone"]))?;
    let clone = work.path().join("clone");
    assert_eq!(std::fs::read_to_string(clone.join("deploy/a.yaml"))?, "a: 1\n");
    assert_eq!(run(server.git(&clone).args(["rev-parse", "HEAD"]))?, first);

    std::fs::write(clone.join("b"), "b".repeat(200_000))?;
    run(server.git(&clone).args(["add", "--all"]))?;
    run(server.git(&clone).args(["commit", "--quiet", "-m", "second"]))?;
    run(server.git(&clone).args(["push", "--quiet", "origin", "HEAD:main", "HEAD:refs/tags/v1"]))?;
    let pushed = run(server.git(&clone).args(["rev-parse", "HEAD"]))?;
    assert_eq!(run(server.git(&server.path("team/app")).args(["rev-parse", "main"]))?, pushed);

    let third = server.commit("team/app", "main", &[("deploy/a.yaml", "a: 2\n")], "third")?;
    run(server.git(&clone).args(["pull", "--quiet", "origin", "main"]))?;
    assert_eq!(run(server.git(&clone).args(["rev-parse", "HEAD"]))?, third);
    let other = server.commit("team/app", "other", &[("c", "c")], "another branch")?;
    let listed = run(server.git(&clone).args(["ls-remote", "origin", "other"]))?;
    assert!(listed.starts_with(&other), "{listed}");
    Ok(())
}

// The test's runtime is blocked while git runs: the server must not live in it.
#[tokio::test]
async fn over_http() -> Result<()> {
    let start = Instant::now();
    let server = GitServer::start_http()?;
    println!("git over http started in {:?}", start.elapsed());
    clone_change_push(&server)
}

#[tokio::test]
async fn over_ssh() -> Result<()> {
    let start = Instant::now();
    let server = GitServer::start_ssh().await?;
    println!("git over ssh started in {:?}", start.elapsed());
    assert!(server.ssh_key_path().context("there is a key")?.is_file());
    clone_change_push(&server)
}

#[test]
fn over_http_with_a_password() -> Result<()> {
    let server = GitServer::start_http_for("jane", "secret")?;
    let url = server.create("private")?;
    server.commit("private", "main", &[("a", "a")], "first")?;
    let here = std::env::temp_dir();
    assert!(run(server.git(&here).args(["ls-remote", &url])).is_err());
    let known = url.replace("http://", "http://jane:secret@");
    assert!(run(server.git(&here).args(["ls-remote", &known]))?.contains("refs/heads/main"));
    Ok(())
}
