//! Fresh keys for one run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};
use towpath_sops::{Age, Pgp};

use super::run_to_end;

/// How GnuPG is told to make a key.
const RSA: &str =
    "Key-Type: RSA\nKey-Length: 2048\nSubkey-Type: RSA\nSubkey-Length: 2048\nSubkey-Usage: encrypt\n";
const CURVE: &str =
    "Key-Type: eddsa\nKey-Curve: ed25519\nSubkey-Type: ecdh\nSubkey-Curve: cv25519\nSubkey-Usage: encrypt\n";

pub struct Keys {
    folder: PathBuf,
    /// Secret keys, and the recipients that belong to them.
    secrets: Vec<String>,
    pub recipients: Vec<String>,
    /// The fingerprints of the RSA key and of the key on a curve.
    pub fingerprints: Vec<String>,
    pub pgp: Pgp,
    /// SSH keys: Ed25519, RSA in OpenSSH's form, RSA in PEM.
    pub ssh: Vec<SshKey>,
}

/// An SSH key that age takes.
pub struct SshKey {
    pub file: PathBuf,
    pub recipient: String,
}

impl Keys {
    /// Makes three age keys, two OpenPGP keys and three SSH keys.
    pub fn fresh(folder: &Path) -> Result<Self> {
        let keygen = towpath_toolbox::ensure("age-keygen")?;
        let (mut secrets, mut recipients) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let text = String::from_utf8(run_to_end(&mut Command::new(&keygen), "age-keygen")?)?;
            let recipient = text.lines().find_map(|line| line.strip_prefix("# public key: "));
            recipients.push(recipient.context("age-keygen named no public key")?.to_owned());
            secrets.push(text);
        }
        fs::write(folder.join("age.txt"), secrets.concat()).context("write the age keys")?;
        let home = folder.join("gnupg");
        fs::create_dir(&home).context("create GnuPG's folder")?;
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).context("close GnuPG's folder")?;
        for (name, kind) in [("rsa", RSA), ("curve", CURVE)] {
            let recipe = folder.join(format!("{name}.recipe"));
            let text = format!("%no-protection\n{kind}Name-Real: {name}\nExpire-Date: 0\n%commit\n");
            fs::write(&recipe, text).context("write the recipe of a key")?;
            run_to_end(gpg(&home).arg("--generate-key").arg(&recipe), "gpg")?;
        }
        let list = run_to_end(gpg(&home).args(["--list-secret-keys", "--with-colons"]), "gpg")?;
        let list = String::from_utf8(list)?;
        // The first fingerprint behind a `sec` line is that of the main key.
        let fingerprints = list.split("sec:").skip(1).filter_map(|key| {
            let line = key.lines().find(|line| line.starts_with("fpr:"))?;
            line.split(':').find(|field| field.len() == 40).map(str::to_owned)
        });
        let fingerprints: Vec<String> = fingerprints.collect();
        let armoured = run_to_end(gpg(&home).args(["--export-secret-keys", "--armor"]), "gpg")?;
        let pgp = Pgp::from_keys(&String::from_utf8(armoured)?).map_err(|problem| anyhow!(problem))?;
        let kinds = [("ed25519", "RFC4716"), ("rsa", "RFC4716"), ("rsa", "PEM")];
        let ssh = kinds.iter().enumerate().map(|(index, (kind, form))| {
            let file = folder.join(format!("ssh-{index}"));
            let mut command = Command::new("ssh-keygen");
            command.args(["-q", "-t", kind, "-m", form, "-N", "", "-f"]).arg(&file);
            run_to_end(&mut command, "ssh-keygen")?;
            let public = fs::read_to_string(file.with_extension("pub")).context("read an SSH key")?;
            let recipient = public.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
            Ok(SshKey { file, recipient })
        });
        let ssh = ssh.collect::<Result<_>>()?;
        Ok(Self { folder: folder.to_owned(), secrets, recipients, fingerprints, pgp, ssh })
    }

    /// The first so many of the age keys, as we hold them.
    pub fn age(&self, count: usize) -> Age {
        let text: String = self.secrets.iter().take(count).map(String::as_str).collect();
        Age::from_keys(&text).unwrap_or_default()
    }

    /// One of the SSH keys, as we hold it.
    pub fn age_by_ssh(&self, index: usize) -> Result<Age> {
        let key = self.ssh.get(index).context("an SSH key")?;
        let text = fs::read_to_string(&key.file).context("read an SSH key")?;
        Age::from_ssh_key(&text).map_err(|problem| anyhow!(problem))
    }

    pub fn age_file(&self) -> PathBuf {
        self.folder.join("age.txt")
    }

    pub fn gnupg(&self) -> PathBuf {
        self.folder.join("gnupg")
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // GnuPG leaves its agent behind, which would keep the folder busy.
        let mut stop = Command::new("gpgconf");
        stop.env("GNUPGHOME", self.gnupg())
            .args(["--kill", "all"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let _ = stop.status();
    }
}

fn gpg(home: &Path) -> Command {
    let mut command = Command::new("gpg");
    command.env("GNUPGHOME", home).args(["--batch", "--yes", "--pinentry-mode", "loopback"]);
    command
}
