//! Files that the real sops encrypted with the same clouds.

use std::process::Command;
use std::sync::Arc;

use anyhow::{Result, ensure};
use towpath_clock::SystemClock;
use towpath_cloud::{Blocking, Environment, Keys};
use towpath_sops::{Format, decrypt};
use towpath_testkit::Clouds;

fn round_trip(flags: &[&str]) -> Result<()> {
    let clouds = Clouds::start()?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("plain.env");
    std::fs::write(&path, "A=b c\n")?;
    let mut sops = Command::new(towpath_toolbox::ensure("sops")?);
    sops.env_clear().envs(clouds.variables()).env("SOPS_DISABLE_VERSION_CHECK", "1");
    let output = sops.arg("encrypt").args(flags).arg(&path).output()?;
    ensure!(output.status.success(), "{}{:#?}", String::from_utf8_lossy(&output.stderr), clouds.seen());
    let keys = Keys::new(Environment::new(clouds.variables()), Arc::new(SystemClock::default()));
    let plaintext = decrypt(&output.stdout, Format::Dotenv, &[&Blocking::new(keys)])?;
    ensure!(plaintext.expose() == b"A=b c\n");
    Ok(())
}

#[test]
fn aws_kms() -> Result<()> {
    round_trip(&["--kms", Clouds::AWS])
}

#[test]
fn aws_kms_with_a_role_and_a_context() -> Result<()> {
    let key = format!("{}+{}", Clouds::AWS, Clouds::AWS_ROLE);
    round_trip(&["--kms", &key, "--encryption-context", "app:shop,b:c"])
}

#[test]
fn gcp_kms() -> Result<()> {
    round_trip(&["--gcp-kms", Clouds::GOOGLE])
}

#[test]
fn azure_key_vault() -> Result<()> {
    round_trip(&["--azure-kv", Clouds::AZURE])
}

#[test]
fn vault_transit() -> Result<()> {
    round_trip(&["--hc-vault-transit", Clouds::VAULT])
}
