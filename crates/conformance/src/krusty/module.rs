//! Upstream's module in the cache, and its tests run with a `Run` that tells.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::modules::KUSTOMIZE_API;

const CAPTURE: &str = include_str!("capture.go");
const FACTS: &str = include_str!("facts_test.go");
const RUN: &str = "func (b *Kustomizer) Run(";

/// Tests that need the network, Docker, Helm or compiled plugins.
const SKIPPED: &str = "Remote|Helm|Plugin|Fn|Git";

/// The file with all captured builds.
pub fn captured() -> Result<PathBuf> {
    let copy = Copy::ensure()?;
    let target = copy.folder.join("cases.jsonl");
    if target.is_file() {
        return Ok(target);
    }
    eprintln!("running upstream's tests once, to write down what they build");
    let part = copy.folder.join("cases.part");
    if part.exists() {
        fs::remove_file(&part).with_context(|| format!("remove {}", part.display()))?;
    }
    // Tests that look for plugins fail without them; what was built until then counts.
    copy.go_test(&["-skip", SKIPPED], "KRUSTY_CASES", &part)?;
    if !part.is_file() {
        bail!("upstream's tests built nothing");
    }
    fs::rename(&part, &target).with_context(|| format!("put {} in place", target.display()))?;
    Ok(target)
}

/// The field tables and scopes that upstream holds, as JSON.
pub fn facts() -> Result<Vec<u8>> {
    let copy = Copy::ensure()?;
    let target = copy.folder.join("facts.json");
    copy.go_test(&["-run", "TestWriteFacts"], "KRUSTY_FACTS", &target)?;
    fs::read(&target).with_context(|| format!("read {}", target.display()))
}

/// A writable copy of the module.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn ensure() -> Result<Self> {
        let parts = [CAPTURE, FACTS, SKIPPED].map(|part| part.as_bytes().to_vec());
        let digest = towpath_toolbox::checksum::of_parts(&parts);
        let short: String = digest.chars().take(12).collect();
        let folder = towpath_toolbox::cache_dir().join(format!("krusty/{}-{short}", KUSTOMIZE_API.version()));
        if !folder.join("api").is_dir() {
            let part = folder.join("api.part");
            if part.exists() {
                fs::remove_dir_all(&part).with_context(|| format!("remove {}", part.display()))?;
            }
            copy_tree(&KUSTOMIZE_API.folder()?, &part)?;
            instrument(&part)?;
            fs::rename(&part, folder.join("api")).context("put the copy of the module in place")?;
        }
        Ok(Self { folder })
    }

    /// Runs tests of the copy; whether they pass does not matter here.
    fn go_test(&self, args: &[&str], variable: &str, output: &Path) -> Result<()> {
        let go = towpath_toolbox::on_path("go").context("this run needs Go, to run upstream's tests")?;
        let run = Command::new(go)
            .args(["test", "-count=1", "./krusty/"])
            .args(args)
            .current_dir(self.folder.join("api"))
            .env("GOWORK", "off")
            .env("GOFLAGS", "-mod=mod -buildvcs=false")
            .env(variable, output)
            .output()
            .context("start go test")?;
        if !output.is_file() {
            bail!("go test wrote nothing:\n{}", String::from_utf8_lossy(&run.stdout));
        }
        Ok(())
    }
}

/// Copies files and folders; what is read-only becomes writable.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            let content = fs::read(entry.path())?;
            fs::write(&target, content).with_context(|| format!("write {}", target.display()))?;
        }
    }
    Ok(())
}

fn instrument(copy: &Path) -> Result<()> {
    let path = copy.join("krusty/kustomizer.go");
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    if text.matches(RUN).count() != 1 {
        bail!("{} has not one {RUN}", path.display());
    }
    fs::write(&path, text.replace(RUN, "func (b *Kustomizer) run("))?;
    fs::write(copy.join("krusty/capture.go"), CAPTURE)?;
    fs::write(copy.join("krusty/facts_test.go"), FACTS)?;
    Ok(())
}
