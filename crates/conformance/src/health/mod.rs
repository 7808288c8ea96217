//! Our health rules, Lua and resource actions against Argo CD's own test data.
//!
//! In: the scripts of Argo CD's `resource_customizations` with the objects and results beside them, and the
//! objects on which gitops-engine tests its built-in rules. Both are downloaded as Go modules. Out: a [`Score`]
//! over four groups of cases: `lua`, `discovery`, `actions`, `built-in`.

mod actions;
mod built_in;
mod normalise;
mod scripts;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use towpath_object::Object;
use towpath_yaml::{Kind, Limits};

use crate::modules::{ARGO_CD, GITOPS_ENGINE};
use crate::score::{Score, Verdict};

/// The cases of one group.
struct Cases {
    group: &'static str,
    judged: Vec<(String, Verdict)>,
}

/// Runs everything; it takes seconds.
pub fn run() -> Result<Score> {
    let customizations = ARGO_CD.folder()?.join("resource_customizations");
    let overrides = scripts::load(&customizations)?;
    let groups = [
        scripts::health_cases(&customizations, &overrides)?,
        actions::discovery_cases(&customizations, &overrides)?,
        actions::action_cases(&customizations, &overrides)?,
        built_in::cases(&GITOPS_ENGINE.folder()?)?,
    ];
    let mut score = Score::new("health");
    let mut lines = Vec::new();
    for Cases { group, judged } in groups {
        let total = judged.len();
        let agreed = judged.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Agreed)).count();
        lines.push(format!("{group} {agreed}/{total}"));
        for (name, verdict) in judged {
            score.add(&format!("{group} {name}"), verdict);
        }
    }
    println!("{}", lines.join("\n"));
    Ok(score)
}

/// Same or not, with both sides shown.
fn compared(expected: &str, ours: &str) -> Verdict {
    if expected == ours {
        Verdict::Agreed
    } else {
        Verdict::Missed(format!("  upstream: {expected}\n  ours:     {ours}"))
    }
}

/// The first document of a file. Where a key is written twice Go takes the last; our reader refuses, so the
/// first is cut out. Upstream has two such files.
fn read(path: &Path) -> Result<Value> {
    let mut text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    let mut documents = towpath_yaml::documents(text.as_bytes(), &Limits::default());
    if let Err(error) = &documents
        && let Some(line) = error.message.rsplit(' ').next().filter(|_| error.kind == Kind::Duplicate)
    {
        text = without_entry(&text, line.parse().context("the line of the first key")?);
        documents = towpath_yaml::documents(text.as_bytes(), &Limits::default());
    }
    let first = documents.with_context(|| format!("parse {}", path.display()))?.into_iter().next();
    Ok(first.with_context(|| format!("{} is empty", path.display()))?.value)
}

/// `text` without the entry whose key stands on that line, from 1.
fn without_entry(text: &str, line: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let (before, from) = lines.split_at(line.saturating_sub(1).min(lines.len()));
    let own = from.first().map_or(0, |line| indent(line));
    let length = from.iter().skip(1).take_while(|line| indent(line) > own).count() + 1;
    [before, from.get(length..).unwrap_or_default()].concat().join("\n")
}

fn object(path: &Path) -> Result<Object> {
    named(read(path)?).with_context(|| format!("the object in {}", path.display()))
}

/// Some of upstream's objects have no name; ours must.
fn named(mut value: Value) -> Result<Object> {
    let root = value.as_object_mut().context("it is not a mapping")?;
    let metadata = root.entry("metadata").or_insert_with(|| serde_json::json!({}));
    let metadata = metadata.as_object_mut().context("metadata is not a mapping")?;
    metadata.entry("name").or_insert_with(|| "unnamed".into());
    Ok(Object::new(value)?)
}

/// A text of a test. Go does not mind in which case a field's name is written, and some tests rely on that.
fn text_of<'a>(test: &'a Value, field: &str) -> Result<&'a str> {
    let entries = test.as_object().context("a test is a mapping")?;
    let found = entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(field));
    found.and_then(|(_, value)| value.as_str()).with_context(|| format!("a test has no {field}"))
}

/// All files of that name below a folder, in order.
fn files(folder: &Path, name: &str) -> Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("list {}", folder.display()))?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().is_some_and(|file| file == name) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
