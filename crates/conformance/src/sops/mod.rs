//! Our SOPS against the real one.
//!
//! In: fresh age, OpenPGP and SSH keys, clouds on loopback that the real `sops` also asks, documents of every format generated from a fixed seed, and every mode of the
//! real `sops` ([`modes`]). It encrypts them, it decrypts them, and so do we. Out: a [`Score`]. Agreement means
//! the same bytes. Files that were harmed ([`harm`]) must be refused by both.

mod documents;
mod flips;
mod harm;
mod keys;
mod modes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use towpath_clock::SystemClock;
use towpath_cloud::{self as cloud, Blocking, Environment};
use towpath_sops::{Format, KeyService, decrypt};
use towpath_testkit::Clouds;

use self::keys::Keys;
use self::modes::{MODES, Mode};
use crate::random::Random;
use crate::score::{Score, Verdict};

const FORMATS: [Format; 5] = [Format::Yaml, Format::Json, Format::Dotenv, Format::Ini, Format::Binary];

/// Runs every mode with a few documents of each format, or with many.
pub fn run(full: bool) -> Result<Score> {
    let folder = tempfile::tempdir().context("a folder for the files")?;
    let keys = Keys::fresh(folder.path())?;
    let clouds = Clouds::start()?;
    let environment = Environment::new(clouds.variables());
    let mut bench = Bench {
        sops: towpath_toolbox::ensure("sops")?,
        keys,
        folder: folder.path().to_owned(),
        opener: Blocking::new(cloud::Keys::new(environment, Arc::new(SystemClock::default()))),
        clouds,
        ssh: None,
    };
    let mut score = Score::new("sops");
    let mut random = Random::new(0x50_5053);
    let mut unencrypted = 0;
    for mode in MODES {
        fs::write(bench.config(), mode.config(&bench.keys)).context("write .sops.yaml")?;
        bench.ssh = mode.ssh_key();
        let mut judged = 0;
        for format in FORMATS.into_iter().filter(|format| mode.serves(*format)) {
            for index in 0..mode.documents(format, full) {
                let document = documents::generated(&mut random, format);
                let case = format!("{} {format} {index}", mode.name);
                match bench.case(&document, format, mode)? {
                    Some(verdict) => {
                        score.add(&case, verdict);
                        judged += 1;
                    }
                    None => unencrypted += 1,
                }
            }
        }
        // Keys that the real one cannot use would look like documents that it does not take.
        ensure!(judged > 0, "the real sops encrypted nothing with {}: {:#?}", mode.name, bench.clouds.seen());
    }
    bench.ssh = None;
    harm::run(&bench, &mut random, &mut score)?;
    flips::run(&bench, &mut score)?;
    println!("{unencrypted} generated documents were refused by the real sops and not counted");
    Ok(score)
}

struct Bench {
    sops: PathBuf,
    keys: Keys,
    folder: PathBuf,
    clouds: Clouds,
    /// Our way to the same clouds.
    opener: Blocking,
    /// The SSH key that is in use.
    ssh: Option<usize>,
}

impl Bench {
    fn config(&self) -> PathBuf {
        self.folder.join(".sops.yaml")
    }

    /// The judgement over one document; `None` where the real one does not encrypt it.
    fn case(&self, document: &[u8], format: Format, mode: &Mode) -> Result<Option<Verdict>> {
        let Some(encrypted) = self.encrypt(document, format)? else { return Ok(None) };
        let path = self.file("encrypted", format);
        fs::write(&path, &encrypted).context("write the encrypted file")?;
        let theirs = self.start(&["decrypt"], &path)?;
        let age = match self.ssh {
            Some(index) => self.keys.age_by_ssh(index)?,
            None => self.keys.age(mode.age_keys),
        };
        let services: [&dyn KeyService; 3] = [&age, &self.keys.pgp, &self.opener];
        let ours = decrypt(&encrypted, format, &services);
        let verdict = match &ours {
            Ok(ours) if theirs.status.success() && ours.expose() == theirs.stdout => Verdict::Agreed,
            Err(_) if !theirs.status.success() => Verdict::Agreed,
            _ => {
                let ours = ours.map(|plaintext| String::from_utf8_lossy(plaintext.expose()).into_owned());
                Verdict::Missed(format!(
                    "  document\n{}\n  encrypted\n{}\n  ours\n{}\n  sops\n{}{}",
                    String::from_utf8_lossy(document),
                    shortened(&encrypted),
                    ours.unwrap_or_else(|error| error.to_string()),
                    String::from_utf8_lossy(&theirs.stdout),
                    String::from_utf8_lossy(&theirs.stderr),
                ))
            }
        };
        Ok(Some(verdict))
    }

    fn encrypt(&self, document: &[u8], format: Format) -> Result<Option<Vec<u8>>> {
        let path = self.file("plain", format);
        fs::write(&path, document).context("write the document")?;
        let output = self.start(&["encrypt"], &path)?;
        Ok(output.status.success().then_some(output.stdout))
    }

    fn start(&self, arguments: &[&str], path: &Path) -> Result<Output> {
        let mut command = Command::new(&self.sops);
        command.arg("--config").arg(self.config()).args(arguments).arg(path);
        // Nothing of this machine but its programs: a proxy of its own would lead elsewhere.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("GNUPGHOME", self.keys.gnupg()).env("SOPS_AGE_KEY_FILE", self.keys.age_file());
        command.env("SOPS_DISABLE_VERSION_CHECK", "1").envs(self.clouds.variables());
        if let Some(key) = self.ssh.and_then(|index| self.keys.ssh.get(index)) {
            command.env("SOPS_AGE_SSH_PRIVATE_KEY_FILE", &key.file);
        }
        command.output().with_context(|| format!("start {}", self.sops.display()))
    }

    fn file(&self, name: &str, format: Format) -> PathBuf {
        let end = match format {
            Format::Yaml => "yaml",
            Format::Json => "json",
            Format::Dotenv => "env",
            Format::Ini => "ini",
            Format::Binary => "bin",
        };
        self.folder.join(format!("{name}.{end}"))
    }
}

/// Without the lines of the keys.
fn shortened(encrypted: &[u8]) -> String {
    let text = String::from_utf8_lossy(encrypted);
    let lines = text.lines().take_while(|line| !line.starts_with("sops:") && !line.contains("\"sops\""));
    lines.take(80).collect::<Vec<_>>().join("\n")
}

fn run_to_end(command: &mut Command, what: &str) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("start {what}"))?;
    if !output.status.success() {
        bail!("{what}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}
