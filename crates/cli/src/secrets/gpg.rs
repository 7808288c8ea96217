//! OpenPGP keys, by the program that has them: with its agent, cards and passphrases, as `sops` does it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use towpath_sops::{DataKey, KeyName, KeyService, MasterKey};

/// `gpg`, or what `SOPS_GPG_EXEC` names.
pub struct Gpg;

impl KeyService for Gpg {
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        matches!(key.name, KeyName::Pgp(_)).then(|| decrypt(&key.encrypted).map(DataKey::new))
    }
}

fn decrypt(message: &str) -> Result<Vec<u8>, String> {
    let program = std::env::var("SOPS_GPG_EXEC").ok().filter(|name| !name.is_empty());
    let program = program.unwrap_or_else(|| "gpg".to_owned());
    let started = |error: std::io::Error| format!("start {program}: {error}");
    let mut command = Command::new(&program);
    command
        .args(["--quiet", "--decrypt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(started)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends before it has read all says why in its own words.
        let _ = stdin.write_all(message.as_bytes());
    }
    let output = child.wait_with_output().map_err(started)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.map_or_else(|| format!("{program} ended with {}", output.status), str::to_owned))
}
