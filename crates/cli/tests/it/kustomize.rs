//! `towpath kustomize`, as a script that knows `kustomize build` runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Result, ensure};

const WEB: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n";

fn kustomize(folder: &Path, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_towpath"));
    Ok(command.arg("kustomize").args(arguments).current_dir(folder).output()?)
}

fn tree(kustomization: &str) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("kustomization.yaml"), kustomization)?;
    fs::write(folder.path().join("web.yaml"), WEB)?;
    Ok(folder)
}

#[test]
fn the_output_goes_where_it_is_wanted() -> Result<()> {
    let folder = tree("namePrefix: shop-\nresources: [web.yaml]\n")?;
    let expected = WEB.replace("web", "shop-web");
    let done = kustomize(folder.path(), &[])?;
    ensure!(done.status.success() && String::from_utf8_lossy(&done.stdout) == expected, "{done:?}");
    let file = folder.path().join("all.yaml");
    let done = kustomize(folder.path(), &[".", "-o", "all.yaml", "--enable-helm", "-e", "A=b", "--network"])?;
    ensure!(done.status.success() && done.stdout.is_empty(), "{done:?}");
    ensure!(fs::read_to_string(file)? == expected);
    fs::create_dir(folder.path().join("out"))?;
    ensure!(kustomize(folder.path(), &[".", "--output", "out"])?.status.success());
    ensure!(fs::read_to_string(folder.path().join("out/v1_service_shop-web.yaml"))? == expected);
    Ok(())
}

#[test]
fn failures_and_wrong_usage_have_their_exit_codes() -> Result<()> {
    let folder = tree("resource: [web.yaml]\n")?;
    let done = kustomize(folder.path(), &["."])?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.code() == Some(1), "{done:?}");
    ensure!(said.contains("invalid Kustomization: json: unknown field \"resource\""), "{said}");
    for arguments in [&["--load-restrictor", "none"][..], &["a", "b"], &["--no-such-flag"]] {
        ensure!(kustomize(folder.path(), arguments)?.status.code() == Some(3), "{arguments:?}");
    }
    Ok(())
}

#[test]
fn warnings_and_figures_are_on_stderr() -> Result<()> {
    let folder = tree("commonLabels: {a: b}\nresources: [web.yaml]\n")?;
    let done = kustomize(folder.path(), &[".", "--stats", "--reorder", "none"])?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success() && said.contains("# Warning: 'commonLabels' is deprecated."), "{said}");
    ensure!(said.contains("1 objects, ") && said.contains("--reorder has been deprecated"), "{said}");
    Ok(())
}
