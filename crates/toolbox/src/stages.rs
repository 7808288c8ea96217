//! kwok's stage files: YAML that its module carries beside the code and that the binary does not contain.
//!
//! In: kwok's module, from Go's module cache. Out: `kwok-stages/*.yaml` beside the built binary, also when the
//! binary itself came from a folder of ready tools.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::compile::go_command;
use crate::places::Places;
use crate::table::{self, Module};
use crate::{lock, progress};

/// The folder under `tools/` that this belongs to.
pub(crate) const MODULE: &str = "kwok";

const FOLDER: &str = "kwok-stages";
const GO_MODULE: &str = "sigs.k8s.io/kwok";
/// Nodes that are ready at once and stay so, pods that run, complete and vanish without delay.
const FROM: [&str; 3] =
    ["kustomize/stage/node/fast", "kustomize/stage/node/heartbeat", "kustomize/stage/pod/fast"];

/// The folder of stage files; fetched when it is not here.
pub(crate) fn ensure(places: &Places) -> Result<PathBuf> {
    let (module, _) = table::lookup("kwok").context("kwok is in the table")?;
    let folder = places.module(module)?;
    let here = places.ready.iter().map(|ready| ready.join(FOLDER)).chain([folder.join(FOLDER)]);
    if let Some(found) = here.into_iter().find(|path| path.is_dir()) {
        return Ok(found);
    }
    let Some(go) = &places.go else {
        bail!(
            "kwok's stage files are not here: they come with Go's module download, so install Go {}",
            table::GO_VERSION
        );
    };
    let _lock = lock::acquire(&places.tools().join("build.lock"), FOLDER)?;
    place(go, module, &folder)
}

/// Copies the stage files into `folder`, all or none.
pub(crate) fn place(go: &Path, module: &Module, folder: &Path) -> Result<PathBuf> {
    let target = folder.join(FOLDER);
    if target.is_dir() {
        return Ok(target);
    }
    progress::say("fetching kwok's stage files");
    let source = module_folder(go, module)?;
    let part = folder.join(format!(".{FOLDER}.part"));
    if part.exists() {
        fs::remove_dir_all(&part).with_context(|| format!("clear {}", part.display()))?;
    }
    fs::create_dir_all(&part).with_context(|| format!("create {}", part.display()))?;
    for from in FROM {
        copy_stages(&source.join(from), &part)?;
    }
    fs::rename(&part, &target).with_context(|| format!("put {} in place", target.display()))?;
    Ok(target)
}

/// Where Go keeps the module, downloaded first when needed.
fn module_folder(go: &Path, module: &Module) -> Result<PathBuf> {
    let run = |args: &[&str]| -> Result<String> {
        let output = go_command(go, module)?.args(args).output().context("start go")?;
        if !output.status.success() {
            bail!("go {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    run(&["mod", "download", GO_MODULE])?;
    Ok(PathBuf::from(run(&["list", "-m", "-f", "{{.Dir}}", GO_MODULE])?))
}

fn copy_stages(from: &Path, to: &Path) -> Result<()> {
    let entries = fs::read_dir(from).with_context(|| format!("list {}", from.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("list {}", from.display()))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if is_stage(name) {
            // Read and write instead of copy: Go's module cache is read-only, the copy need not be.
            let bytes = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            fs::write(to.join(name), bytes).with_context(|| format!("write {name}"))?;
        }
    }
    Ok(())
}

fn is_stage(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "yaml") && name != "kustomization.yaml"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stages_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("testdata")).unwrap();
        fs::create_dir(&to).unwrap();
        for name in ["node-initialize.yaml", "kustomization.yaml", "README.md", "embed.go"] {
            fs::write(from.join(name), "x").unwrap();
        }
        copy_stages(&from, &to).unwrap();
        let names: Vec<_> = fs::read_dir(&to).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["node-initialize.yaml"]);
    }

    #[test]
    fn a_ready_folder_may_bring_its_stages() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(FOLDER)).unwrap();
        let places = Places { ready: vec![root.path().into()], cache: root.path().join("cache"), go: None };
        assert_eq!(ensure(&places).unwrap(), root.path().join(FOLDER));
    }
}
