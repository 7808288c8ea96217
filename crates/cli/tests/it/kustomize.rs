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

const FUNCTION: &str = "apiVersion: example.com/v1\nkind: Fn\nmetadata:\n  name: f\n  annotations:\n    \
                        config.kubernetes.io/function: |\n      exec: {path: PROGRAM, args: [ARGS]}\n";
const PRINTS: &str = "#!/bin/sh\ncat > /dev/null\necho \"{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, \
                      data: {where: $MARK}}\"\n";

/// A tree with a generator that runs a program.
fn with_program(program: &str, args: &str) -> Result<tempfile::TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tree("generators: [f.yaml]\n")?;
    fs::write(folder.path().join("f.yaml"), FUNCTION.replace("PROGRAM", program).replace("ARGS", args))?;
    let script = folder.path().join("print.sh");
    fs::write(&script, PRINTS)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    Ok(folder)
}

fn marked(folder: &Path, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_towpath"));
    Ok(command.arg("kustomize").args(arguments).env("MARK", "outside").current_dir(folder).output()?)
}

#[test]
fn programs_run_only_if_they_are_allowed() -> Result<()> {
    let folder = with_program("./print.sh", "")?;
    for arguments in [&[][..], &["--enable-alpha-plugins"], &["--enable-exec"]] {
        let done = marked(folder.path(), arguments)?;
        let said = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.code() == Some(1) && said.contains("external plugins disabled"), "{said}");
        ensure!(said.contains("--allow-command"), "{said}");
    }
    let done = marked(folder.path(), &["--enable-alpha-plugins", "--enable-exec"])?;
    ensure!(String::from_utf8_lossy(&done.stdout).contains("where: outside"), "{done:?}");
    // Another program on the list helps nobody.
    let done = marked(folder.path(), &["--allow-command", "/bin/sh"])?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.code() == Some(1) && said.contains("'./print.sh' is not allowed"), "{said}");
    Ok(())
}

#[test]
fn an_allowed_program_sees_little() -> Result<()> {
    let folder = with_program("/bin/sh", "print.sh")?;
    let done = marked(folder.path(), &["--allow-command", "/bin/sh"])?;
    let text = String::from_utf8_lossy(&done.stdout);
    ensure!(done.status.success() && text.contains("name: made") && !text.contains("outside"), "{done:?}");
    fs::write(folder.path().join("print.sh"), "exit 7\n")?;
    let said = marked(folder.path(), &["--allow-command", "/bin/sh"])?.stderr;
    ensure!(String::from_utf8_lossy(&said).contains("'/bin/sh' failed: exit status: 7"));
    // What is endless is cut off at the limit, and ends.
    fs::write(folder.path().join("print.sh"), "exec cat /dev/zero\n")?;
    let said = marked(folder.path(), &["--allow-command", "/bin/sh"])?.stderr;
    ensure!(String::from_utf8_lossy(&said).contains("printed more than 67108864 bytes"));
    Ok(())
}
