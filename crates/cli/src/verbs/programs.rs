//! Runs the programs of a kustomization's functions, as far as they are allowed.
//!
//! In: a call of a program. Out: what it printed, or why it was not run, failed, took too long or printed too
//! much. A program on the list of allowed ones gets an empty environment and, where the system has `unshare` and
//! lets users make namespaces, neither network nor other processes. With `--enable-exec` any program runs as
//! kustomize runs it: with our environment, unbounded.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use towpath_kustomize::{Call, Functions};

/// How long an allowed program may take.
const TIME: Duration = Duration::from_secs(60);
/// How often is looked whether a program that prints no more has ended.
const LOOK: Duration = Duration::from_millis(2);
/// Where allowed programs look for others.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// What takes network and processes away.
const UNSHARE: [&str; 7] =
    ["/usr/bin/unshare", "--user", "--map-current-user", "--net", "--pid", "--fork", "--kill-child"];

/// Which programs may run.
#[derive(Debug)]
pub struct Programs {
    allowed: Vec<PathBuf>,
    any: bool,
    env: Vec<String>,
    /// Whether namespaces can be made here.
    confines: bool,
}

impl Programs {
    /// None if nothing is allowed.
    pub fn allowed(allowed: &[PathBuf], any: bool, env: &[String]) -> Option<Self> {
        if allowed.is_empty() && !any {
            return None;
        }
        Some(Self {
            allowed: allowed.to_vec(),
            any,
            env: env.to_vec(),
            confines: allowed.is_empty() || can_confine(),
        })
    }

    /// Whether allowed programs keep the network, because this system does not let us take it away.
    pub fn keeps_network(&self) -> bool {
        !self.confines
    }

    /// The real path of a program, if it is on the list. Links are followed on both sides, so that no other
    /// program can take the name of an allowed one.
    fn listed(&self, program: &str) -> Option<PathBuf> {
        let real = Path::new(program).is_absolute().then(|| Path::new(program).canonicalize().ok())??;
        let is_it = |path: &PathBuf| path.is_absolute() && path.canonicalize().is_ok_and(|path| path == real);
        self.allowed.iter().any(is_it).then_some(real)
    }

    /// Without our environment, and without network if possible.
    fn confined(&self, program: &Path, args: &[String]) -> Command {
        let [unshare, flags @ ..] = UNSHARE;
        let mut command = if self.confines {
            let mut command = Command::new(unshare);
            command.args(flags).arg("--").arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(args).env_clear().env("PATH", PATH);
        command
    }

    /// As kustomize runs it.
    fn plain(&self, call: &Call<'_>) -> Command {
        let relative = call.program.contains('/') && !call.program.starts_with('/');
        let mut command = if relative {
            Command::new(Path::new(call.folder).join(call.program))
        } else {
            Command::new(call.program)
        };
        for variable in &self.env {
            match variable.split_once('=') {
                Some((name, value)) => command.env(name, value),
                // A name alone means our own value, which it has anyway.
                None => &mut command,
            };
        }
        command.args(call.args);
        command
    }
}

impl Functions for Programs {
    fn run(&self, call: &Call<'_>) -> Result<Vec<u8>, String> {
        let (mut command, time) = match self.listed(call.program) {
            Some(real) => (self.confined(&real, call.args), Some(TIME)),
            None if self.any => (self.plain(call), None),
            None => {
                return Err(format!(
                    "the program '{}' is not allowed: --allow-command takes its absolute path",
                    call.program
                ));
            }
        };
        command.current_dir(call.folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let failed = |error: std::io::Error| format!("start '{}': {error}", call.program);
        let child = command.spawn().map_err(failed)?;
        finish(child, call, time).map_err(|why| format!("'{}' {why}", call.program))
    }
}

/// Whether namespaces can be made here.
fn can_confine() -> bool {
    let [unshare, flags @ ..] = UNSHARE;
    let mut probe = Command::new(unshare);
    probe.args(flags).args(["--", "/bin/true"]);
    probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Feeds the program, and takes what it prints.
fn finish(mut child: Child, call: &Call<'_>, time: Option<Duration>) -> Result<Vec<u8>, String> {
    let begin = Instant::now();
    let left = || time.map(|time| time.saturating_sub(begin.elapsed()));
    let input = call.input.to_owned();
    if let Some(mut stdin) = child.stdin.take() {
        // A program need not read what it gets.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let (sender, printed) = mpsc::channel();
    let most = call.most;
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(most.saturating_add(1)).read_to_end(&mut bytes).map(|_| bytes);
            // Nobody listens when it took too long.
            let _ = sender.send(read);
        });
    }
    let stop = |child: &mut Child, why: String| {
        let _ = child.kill();
        let _ = child.wait();
        Err(why)
    };
    let late = || format!("took longer than {} s", time.unwrap_or_default().as_secs());
    let read = match left() {
        Some(left) => printed.recv_timeout(left).ok(),
        None => printed.recv().ok(),
    };
    let bytes = match read {
        Some(Ok(bytes)) => bytes,
        Some(Err(error)) => return stop(&mut child, format!("cannot be read: {error}")),
        None => return stop(&mut child, late()),
    };
    if u64::try_from(bytes.len()).is_ok_and(|size| size > most) {
        return stop(&mut child, format!("printed more than {most} bytes"));
    }
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if left().is_some_and(|left| left.is_zero()) => return stop(&mut child, late()),
            Ok(None) => thread::sleep(LOOK),
            Err(error) => return stop(&mut child, format!("cannot be waited for: {error}")),
        }
    };
    if status.success() { Ok(bytes) } else { Err(format!("failed: {status}")) }
}
