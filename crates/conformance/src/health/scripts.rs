//! Argo CD's scripts, and the objects on which its health scripts are tested.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::Value;
use towpath_health::Overrides;
use towpath_object::Object;

use super::{Cases, compared, files, object, read, text_of};
use crate::score::Verdict;

/// Every script under the kind that its folder names; there `_` stands for `*`.
pub fn load(root: &Path) -> Result<Overrides> {
    let mut overrides = Overrides::default();
    for path in files(root, "health.lua")? {
        overrides.health(&kind(root, &path, 1)?, &text(&path)?)?;
    }
    for path in files(root, "discovery.lua")? {
        overrides.discovery(&kind(root, &path, 2)?, &text(&path)?)?;
    }
    for path in files(root, "action.lua")? {
        let name = path.parent().and_then(Path::file_name).context("an action's folder")?;
        overrides.action(&kind(root, &path, 3)?, &name.to_string_lossy(), &text(&path)?)?;
    }
    Ok(overrides)
}

/// `GROUP/KIND` from the path of a file so many folders below it.
fn kind(root: &Path, path: &Path, depth: usize) -> Result<String> {
    let folder = path.ancestors().nth(depth).context("a script's folder")?;
    Ok(folder.strip_prefix(root)?.to_string_lossy().replace('_', "*"))
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("read {}", path.display()))
}

/// Status and message of every health case must be the same.
pub fn health_cases(root: &Path, overrides: &Overrides) -> Result<Cases> {
    let mut judged = Vec::new();
    for path in files(root, "health_test.yaml")? {
        let folder = path.parent().context("a test's folder")?;
        let tests = read(&path)?;
        for test in tests.get("tests").and_then(Value::as_array).context("the list of tests")? {
            let input = folder.join(text_of(test, "inputPath").with_context(|| path.display().to_string())?);
            let name = input.strip_prefix(root)?.display().to_string();
            judged.push((name, judge(&object(&input)?, &test["healthStatus"], overrides)));
        }
    }
    Ok(Cases { group: "lua", judged })
}

fn judge(object: &Object, expected: &Value, overrides: &Overrides) -> Verdict {
    let field = |name: &str| expected[name].as_str().unwrap_or_default();
    let expected = format!("{}: {}", field("status"), field("message"));
    let ours = match overrides.health_of(&object.gvk()).map(|script| script.health(object, Timestamp::now()))
    {
        None => "no script".to_owned(),
        Some(Err(error)) => format!("error: {error}"),
        Some(Ok(None)) => ": ".to_owned(),
        Some(Ok(Some(health))) => format!("{}: {}", health.status, health.message),
    };
    compared(&expected, &ours)
}
