//! Running cargo and other programs in the workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where compiled code goes: what the environment says, else the cache, so that a fresh checkout is warm.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty()) {
        Some(folder) => root().join(folder),
        None => towpath_toolbox::cache_dir().join("target"),
    }
}

/// `cargo ARGS…` in the workspace.
pub fn cargo<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(args).current_dir(root()).env("CARGO_TARGET_DIR", target_dir());
    command
}

/// Runs a command whose output belongs to the person; fails when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("start {}", line(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command and gives what it printed.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("start {}", line(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", line(command), String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} printed no text", line(command)))
}

/// The command as a person would type it, for messages.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(program.into_owned()).chain(args).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_as_typed() {
        let error = run(Command::new("/bin/sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert_eq!(error, "sh -c exit 3 failed (exit status: 3)");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("layers.toml").is_file());
    }
}
