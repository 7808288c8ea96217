//! Tests of Go and of Sprig, run once to write down what goes in and comes out.
//!
//! They run with Go's own `-overlay`: methods of text/template are renamed for that time, and `capture.go` beside
//! them tells; tables of other packages are written down by a test beside them. Nothing of that is kept in this
//! repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

const CAPTURE: &str = include_str!("capture.go");
const FMT: &str = include_str!("capture_fmt.go");
const PARSE: &str = include_str!("capture_parse.go");

/// Whose tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// Every template that text/template's tests execute.
    Go,
    /// Every template that Sprig's tests execute.
    Sprig,
    /// The tables of the parser's tests.
    Parse,
    /// The table of fmt's tests.
    Fmt,
}

impl Suite {
    /// The cases of the suite, one JSON object per line; runs its tests when there are none.
    pub fn cases(self) -> Result<String> {
        let go = towpath_toolbox::on_path("go").context("this run needs Go, to run its own tests")?;
        let version =
            Command::new(&go).args(["env", "GOVERSION", "GOROOT"]).output().context("start go env")?;
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        let [version, root] = version.lines().collect::<Vec<_>>()[..] else { bail!("go env says {version}") };
        let digest =
            towpath_toolbox::checksum::of_parts(&[CAPTURE, FMT, PARSE].map(|part| part.as_bytes().to_vec()));
        let short: String = digest.chars().take(12).collect();
        let folder = towpath_toolbox::cache_dir().join(format!("gotemplate/{version}-{short}"));
        let target = folder.join(format!("{}.jsonl", self.package().replace('/', "_")));
        if !target.is_file() {
            fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
            capture(&go, self, &folder, Path::new(root), &target)?;
        }
        fs::read_to_string(&target).with_context(|| format!("read {}", target.display()))
    }

    fn package(self) -> &'static str {
        match self {
            Suite::Go => "text/template",
            Suite::Sprig => "github.com/Masterminds/sprig/v3",
            Suite::Parse => "text/template/parse",
            Suite::Fmt => "fmt",
        }
    }
}

fn capture(go: &Path, suite: Suite, folder: &Path, root: &Path, target: &Path) -> Result<()> {
    eprintln!("running the tests of {} once, to write down what they execute", suite.package());
    let overlay = overlay(folder, &root.join("src"))?;
    let part = target.with_extension("part");
    if part.exists() {
        fs::remove_file(&part).with_context(|| format!("remove {}", part.display()))?;
    }
    let ours_only: &[&str] = match suite {
        Suite::Parse | Suite::Fmt => &["-run", "TestTowpathCapture"],
        Suite::Go | Suite::Sprig => &[],
    };
    // Tests that need the network or chance fail; what was executed counts.
    let tested = Command::new(go)
        .args(["test", "-vet=off", "-count=1"])
        .args(ours_only)
        .arg("-overlay")
        .arg(&overlay)
        .arg(suite.package())
        .current_dir(tools_folder())
        .env("GOWORK", "off")
        .env("TZ", "UTC")
        .env("TOWPATH_CASES", &part)
        .output()
        .context("start go test")?;
    if !part.is_file() {
        bail!("go test wrote nothing:\n{}", String::from_utf8_lossy(&tested.stdout));
    }
    fs::rename(&part, target).with_context(|| format!("put {} in place", target.display()))
}

/// The module of the Go program, which pins Sprig.
fn tools_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/gotemplateoracle")
}

/// The name of a method while ours has its place.
fn real(method: &str) -> String {
    let (first, rest) = method.split_at_checked(1).unwrap_or((method, ""));
    format!("{}{rest}Real", first.to_lowercase())
}

fn overlay(folder: &Path, source: &Path) -> Result<PathBuf> {
    let package = source.join("text/template");
    let mut replace = serde_json::Map::new();
    for (file, methods) in
        [("template.go", &["Parse", "Clone", "AddParseTree"][..]), ("exec.go", &["Execute"])]
    {
        let original = package.join(file);
        let mut text =
            fs::read_to_string(&original).with_context(|| format!("read {}", original.display()))?;
        for method in methods {
            let from = format!("func (t *Template) {method}(");
            if text.matches(&from).count() != 1 {
                bail!("{} has not one {from}", original.display());
            }
            text = text.replace(&from, &format!("func (t *Template) {}(", real(method)));
        }
        // Parse adds trees of its own.
        text = text.replace("t.AddParseTree(", &format!("t.{}(", real("AddParseTree")));
        let changed = folder.join(file);
        fs::write(&changed, text)?;
        replace.insert(original.display().to_string(), changed.display().to_string().into());
    }
    for (text, name, place) in [
        (CAPTURE, "capture.go", "text/template/towpath_capture.go"),
        (PARSE, "parse_test.go", "text/template/parse/towpath_capture_test.go"),
        (FMT, "fmt_test.go", "fmt/towpath_capture_test.go"),
    ] {
        let added = folder.join(name);
        fs::write(&added, text)?;
        replace.insert(source.join(place).display().to_string(), added.display().to_string().into());
    }
    let overlay = folder.join("overlay.json");
    fs::write(&overlay, serde_json::json!({ "Replace": replace }).to_string())?;
    Ok(overlay)
}
