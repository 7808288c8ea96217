//! Child processes that end when we do.
//!
//! In: a command. Out: a running [`Process`], whose output goes to a log file. It ends on drop, and also when
//! the test process panics, is killed or forgets it: a small shell (`guard.sh`) beside each child waits for the
//! end of a pipe that only the test process holds, and the kernel closes that pipe in every case.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

#[cfg(unix)]
use std::os::unix::process::CommandExt as _;

/// The watcher's script, passed to `sh -c`.
const GUARD: &str = include_str!("guard.sh");

/// How many of the log's last bytes an error shows.
const TAIL: usize = 4000;

/// A running child process. Dropping it ends its whole process group and waits until the child has gone; its own
/// children may need a moment more.
#[derive(Debug)]
pub struct Process {
    name: String,
    log: PathBuf,
    guard: Child,
}

impl Process {
    /// Starts a command with its output in `log`. It gets TERM and, after `grace` (whole seconds), KILL at the
    /// end; with no grace it is killed at once, which is right for whatever has nothing to lose.
    pub fn start(command: &Command, log: &Path, grace: Duration) -> Result<Self> {
        let name = command.get_program().to_string_lossy();
        let name =
            Path::new(name.as_ref()).file_name().map_or(name.to_string(), |n| n.to_string_lossy().into());
        // What is started again goes on in its log.
        let output = File::options().create(true).append(true).open(log);
        let output = output.with_context(|| format!("open the log {}", log.display()))?;
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "guard"]).arg(grace.as_secs().to_string());
        guard.arg(command.get_program()).args(command.get_args());
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => guard.env(key, value),
                None => guard.env_remove(key),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            guard.current_dir(folder);
        }
        // A group of its own: Ctrl-C at the terminal must not end the watcher before it has done its work.
        #[cfg(unix)]
        guard.process_group(0);
        guard.stdin(Stdio::piped()).stdout(output.try_clone().context("share the log")?).stderr(output);
        let guard = guard.spawn().with_context(|| format!("start {name}"))?;
        Ok(Self { name, log: log.to_path_buf(), guard })
    }

    /// Fails, with the end of the log, when the process has ended by itself.
    pub fn check(&mut self) -> Result<()> {
        if self.guard.try_wait().context("ask for the process' state")?.is_some() {
            bail!("{} ended; its log ends with:\n{}", self.name, self.log_tail());
        }
        Ok(())
    }

    /// Where its output goes.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// The last lines of its output.
    pub fn log_tail(&self) -> String {
        let bytes = std::fs::read(&self.log).unwrap_or_default();
        let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or_default();
        String::from_utf8_lossy(tail).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        // The watcher has awaited the child when it kills its own group, itself included.
        let _ = self.guard.wait();
    }
}
