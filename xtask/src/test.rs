//! `test`: everything that must be green, in the order in which it is cheapest to be told no.

use anyhow::{Context, Result};

use crate::cargo::{cargo, run as start};
use crate::steps::{self, step};
use crate::{check, deny, generate, no_more, setup, shows};

/// `cargo xtask test`
pub fn run(args: &[String]) -> Result<()> {
    no_more("test", args)?;
    steps::run(vec![
        step("packages", packages),
        step("tools", || setup::ensure(&setup::needed())),
        step("fmt", || start(&mut cargo(["fmt", "--all", "--check"])).context("run `cargo fmt --all`")),
        step("clippy", || {
            start(&mut cargo(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))
        }),
        step("check", || check::run(&[])),
        step("generate", || generate::run(&["--check".to_owned()])),
        // Doc tests are a step of their own, so that their time is seen.
        step("tests", || {
            start(&mut cargo(["test", "--workspace", "--lib", "--bins", "--tests", "--examples"]))
        }),
        step("doc tests", || start(&mut cargo(["test", "--workspace", "--doc"]))),
        step("docs", || {
            let mut doc = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
            start(doc.env("RUSTDOCFLAGS", "-D warnings"))
        }),
        step("deny", deny::run),
        step("conformance", shows::samples),
    ])
}

fn packages() -> Result<()> {
    for package in towpath_toolbox::packages::PACKAGES {
        println!("{:<18} {}", package.name, package.reason);
    }
    towpath_toolbox::packages::ensure()
}
