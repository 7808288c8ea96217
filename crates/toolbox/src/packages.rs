//! The Debian packages that tests use, and how they come onto the machine.
//!
//! In: the table below. Out: nothing, or an error with the exact line to run. A package counts as present when
//! its programs are, however they came here. It is installed without asking only by root; anybody else is
//! asked on a terminal; without a terminal the line to run is printed.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::places::on_path;
use crate::progress;

/// A Debian package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name for `apt-get`.
    pub name: &'static str,
    /// The programs of it that we run.
    pub programs: &'static [&'static str],
    /// What for.
    pub reason: &'static str,
}

/// Every package that tests use.
pub const PACKAGES: &[Package] = &[
    Package { name: "git", programs: &["git"], reason: "the checkout's files, the Git servers of tests" },
    Package { name: "openssh-server", programs: &["sshd"], reason: "the Git server over ssh of tests" },
    Package { name: "openssh-client", programs: &["ssh", "ssh-keygen"], reason: "talks to that server" },
    Package { name: "gnupg", programs: &["gpg"], reason: "the OpenPGP keys that the real sops encrypts for" },
    Package { name: "docker-registry", programs: &["docker-registry"], reason: "the registry of tests" },
];

/// The packages of which a program is missing here.
pub fn missing() -> Vec<Package> {
    missing_from(PACKAGES, |program| on_path(program).is_some())
}

/// The line that installs these packages.
pub fn install_line(packages: &[Package]) -> String {
    let names: Vec<_> = packages.iter().map(|package| package.name).collect();
    format!("apt-get install -y --no-install-recommends {}", names.join(" "))
}

/// Installs what is missing, as the module says.
pub fn ensure() -> Result<()> {
    let absent = missing();
    if absent.is_empty() {
        return Ok(());
    }
    for package in &absent {
        progress::say(&format!("missing: {} ({})", package.name, package.reason));
    }
    let line = install_line(&absent);
    if on_path("apt-get").is_none() {
        bail!("this is not a Debian machine: install what gives {} by hand", programs(&absent));
    }
    let sudo = match permission(is_root(), stdin().is_terminal() && stderr().is_terminal()) {
        Permission::Given => false,
        Permission::Ask if confirmed(&line)? => true,
        _ => bail!("these Debian packages are needed; run\n    sudo {line}"),
    };
    install(&absent, sudo)?;
    let left = missing();
    if !left.is_empty() {
        bail!("apt-get succeeded, but these programs are still missing: {}", programs(&left));
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Permission {
    Given,
    Ask,
    Denied,
}

fn permission(root: bool, terminal: bool) -> Permission {
    match (root, terminal) {
        (true, _) => Permission::Given,
        (false, true) => Permission::Ask,
        (false, false) => Permission::Denied,
    }
}

fn missing_from(table: &[Package], here: impl Fn(&str) -> bool) -> Vec<Package> {
    table.iter().filter(|package| !package.programs.iter().all(|program| here(program))).copied().collect()
}

fn programs(packages: &[Package]) -> String {
    packages.iter().flat_map(|package| package.programs).copied().collect::<Vec<_>>().join(", ")
}

fn install(packages: &[Package], sudo: bool) -> Result<()> {
    // The lists may be absent (a fresh image) or old; a failed update still lets a cached list serve.
    let updated = apt(sudo, &["update".to_owned()])?;
    let args = install_line(packages);
    let args: Vec<String> = args.split(' ').skip(1).map(str::to_owned).collect();
    if !apt(sudo, &args)? {
        let hint = if updated { "" } else { " (its lists could not be updated either)" };
        bail!("apt-get {} failed{hint}", args.join(" "));
    }
    Ok(())
}

fn apt(sudo: bool, args: &[String]) -> Result<bool> {
    let mut command = Command::new(if sudo { "sudo" } else { "env" });
    // RUNLEVEL=1 keeps the packages' services from being started: tests start their own.
    command.args(["RUNLEVEL=1", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]).args(args);
    // What apt says is progress, not the caller's result.
    command.stdout(stderr_handle()?);
    Ok(command.status().context("start apt-get")?.success())
}

fn stderr_handle() -> Result<std::process::Stdio> {
    use std::os::fd::AsFd;
    let copy = stderr().as_fd().try_clone_to_owned().context("share stderr with apt-get")?;
    Ok(copy.into())
}

fn confirmed(line: &str) -> Result<bool> {
    write!(stderr(), "Run `sudo {line}` now? [y/N] ").context("ask")?;
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer).context("read the answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_missing_when_one_of_its_programs_is() {
        let found = missing_from(PACKAGES, |program| program != "ssh-keygen" && program != "docker-registry");
        assert_eq!(
            install_line(&found),
            "apt-get install -y --no-install-recommends openssh-client docker-registry"
        );
    }

    #[test]
    fn only_root_installs_without_asking() {
        assert_eq!(permission(true, false), Permission::Given);
        assert_eq!(permission(false, true), Permission::Ask);
        assert_eq!(permission(false, false), Permission::Denied);
    }
}
