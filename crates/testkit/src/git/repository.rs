//! Repositories on disk.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// A git command that depends on nothing outside this folder.
pub(super) fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "Test").env(format!("GIT_{role}_EMAIL"), "test@example.org");
    }
    git
}

/// Creates a bare repository that can be pushed to.
pub(super) fn create(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("create {}", path.display()))?;
    run(git(path).args(["init", "--quiet", "--bare", "--initial-branch=main"]))?;
    run(git(path).args(["config", "http.receivepack", "true"]))?;
    Ok(())
}

/// Adds a commit to a branch, which is made when it is new.
pub(super) fn commit(path: &Path, branch: &str, files: &[(&str, &str)], message: &str) -> Result<String> {
    let work = tempfile::tempdir().context("make a work tree")?;
    let work = work.path();
    let branch_ref = format!("refs/heads/{branch}");
    run(git(work).args(["clone", "--quiet", "--no-checkout"]).arg(path).arg("."))?;
    let exists = run(git(path).args(["rev-parse", "--verify", "--quiet", &branch_ref])).is_ok();
    if exists {
        run(git(work).args(["checkout", "--quiet", "-B", branch, &format!("origin/{branch}")]))?;
    } else {
        run(git(work).args(["checkout", "--quiet", "--orphan", branch]))?;
    }
    for (name, content) in files {
        let file = work.join(name);
        let folder = file.parent().context("a file has a folder")?;
        std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        std::fs::write(&file, content).with_context(|| format!("write {}", file.display()))?;
    }
    run(git(work).args(["add", "--all"]))?;
    run(git(work).args(["commit", "--quiet", "--allow-empty", "-m", message]))?;
    run(git(work).args(["push", "--quiet", "origin", &format!("HEAD:{branch_ref}")]))?;
    run(git(work).args(["rev-parse", "HEAD"]))
}

/// Runs a command to its end; gives what it printed, without the last line feed.
pub(super) fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
