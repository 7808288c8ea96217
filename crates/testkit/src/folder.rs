//! A work folder that is removed when the test process has ended, however it ended.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

#[cfg(unix)]
use std::os::unix::process::CommandExt as _;

/// Waits for the end of the pipe, then removes the folder; the repetition is for processes that still write to it
/// because they end at the same moment.
const REMOVER: &str = r#"trap '' TERM INT HUP
while read -r _; do :; done
for _ in 1 2 3 4 5; do
    rm -rf "$1" 2>/dev/null && sleep 0.2 && [ ! -e "$1" ] && exit
    sleep 1
done"#;

/// A folder under the system's temporary folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    remover: std::process::Child,
}

impl Folder {
    /// Creates one with a name that starts so.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path = tempfile::Builder::new()
            .prefix(&format!("towpath-{name}-"))
            .tempdir()
            .context("create a work folder")?
            .keep();
        let mut remover = Command::new("sh");
        remover.args(["-c", REMOVER, "remover"]).arg(&path);
        #[cfg(unix)]
        remover.process_group(0);
        remover.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let remover = remover.spawn().context("start the work folder's remover")?;
        Ok(Self { path, remover })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file into it and says where that is.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.path.join(name);
        std::fs::write(&path, content).with_context(|| format!("write {}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.remover.stdin.take());
        let _ = self.remover.wait();
    }
}
