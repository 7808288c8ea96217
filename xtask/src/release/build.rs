//! `release build`: every binary that this machine can make, with its checksum.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use towpath_toolbox::on_path;

use super::recipes::{BINARIES, Machine, Recipe, choose};
use super::write_sums;
use crate::cargo::{cargo, output, root, run as start, target_dir};

/// Builds into `dist`.
pub fn run(dist: &Path) -> Result<()> {
    let rustc = output(Command::new("rustc").arg("-vV"))?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let libraries = PathBuf::from(sysroot.trim()).join("lib/rustlib");
    let has_library = |triple: &str| libraries.join(triple).join("lib").is_dir();
    let has_program = |program: &str| on_path(program).is_some();
    let machine = Machine { host, has_library: &has_library, has_program: &has_program };
    for (name, recipes) in BINARIES {
        match choose(recipes, &machine) {
            Ok((recipe, compiler)) => build(dist, name, recipe, compiler)?,
            Err(reasons) => println!("skipped {name}: {reasons}"),
        }
    }
    write_sums(dist)
}

fn build(dist: &Path, name: &str, recipe: &Recipe, compiler: &str) -> Result<()> {
    println!("building {name} for {} with {compiler}", recipe.triple);
    let mut command =
        cargo(["build", "--release", "--locked", "--package", "towpath", "--target", recipe.triple]);
    let variable = recipe.triple.replace('-', "_");
    command.env(format!("CARGO_TARGET_{}_LINKER", variable.to_uppercase()), compiler);
    command.env(format!("CC_{variable}"), compiler);
    // No path of this machine in the binary: the same source gives the same bytes elsewhere.
    let folders = [Some((root(), "towpath")), cargo_home().map(|home| (home, "cargo"))];
    let remap = |(path, name): (PathBuf, &str)| format!("--remap-path-prefix={}={name}", path.display());
    let remaps = folders.into_iter().flatten().map(remap);
    let flags: Vec<String> = recipe.flags.iter().map(|flag| (*flag).to_owned()).chain(remaps).collect();
    // Cargo's own separator, so that a folder with a space in its name stays one flag.
    start(command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    let built = target_dir().join(recipe.triple).join("release/towpath");
    fs::copy(&built, dist.join(name)).with_context(|| format!("copy {}", built.display()))?;
    println!("{}", dist.join(name).display());
    Ok(())
}

fn cargo_home() -> Option<PathBuf> {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))
}
