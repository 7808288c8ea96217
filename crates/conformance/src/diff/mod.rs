//! Our judgement of differences against that of Argo CD's engine.
//!
//! In: the test data of its `pkg/diff` (targets, live objects, answers of a server), downloaded with the pinned
//! module, and objects as its tests build them; what it expects of each is written down here as facts. Out: a
//! [`Score`]. Agreement means the same answer to "is it modified?" and the same of the fields that its tests
//! look at. With `--full` also what we predict against what a real server answers.

mod answers;
mod built;
mod files;
mod rules;
mod scenarios;
mod server;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use towpath_merge::explain::{Explanation, explain};
use towpath_merge::ignore::Rules;
use towpath_merge::predict::{Options, predict};

use crate::modules::GITOPS_ENGINE;
use crate::score::{Score, Verdict};

/// The name under which the test data was applied.
const MANAGER: &str = "argocd-controller";

/// Looks at live and predicted object; the error says what is not as expected.
type Look = fn(&Value, &Value) -> Result<(), String>;

/// One expectation.
struct Case {
    name: &'static str,
    target: Value,
    live: Option<Value>,
    rules: Rules,
    aggregated: bool,
    modified: bool,
    look: Look,
    /// Why we differ on purpose, if we do.
    declared: Option<&'static str>,
}

impl Case {
    fn new(name: &'static str, target: Value, live: Value, modified: bool) -> Self {
        Self {
            name,
            target,
            live: Some(live),
            rules: Rules::default(),
            aggregated: false,
            modified,
            look: |_, _| Ok(()),
            declared: None,
        }
    }

    fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    fn judge(&self) -> Verdict {
        let options = Options { ignore_aggregated_roles: self.aggregated, ..Options::of(MANAGER) };
        let found = match explain(&self.target, self.live.as_ref(), &self.rules, &options) {
            Ok(found) => found,
            Err(error) => return Verdict::Missed(error.to_string()),
        };
        let predicted = self.live.as_ref().map(|live| predict(&self.target, live, &options));
        let looked = match (&self.live, &predicted) {
            (Some(live), Some(predicted)) => (self.look)(live, predicted),
            _ => Ok(()),
        };
        verdict(&found, self.modified, looked, self.declared)
    }
}

fn verdict(
    found: &Explanation,
    modified: bool,
    looked: Result<(), String>,
    declared: Option<&'static str>,
) -> Verdict {
    let problem = if found.is_modified() == modified {
        looked.err()
    } else {
        Some(format!("expected modified: {modified}, found:\n{found:#}"))
    };
    match (problem, declared) {
        (None, None) => Verdict::Agreed,
        (Some(_), Some(class)) => Verdict::Declared(class),
        (Some(problem), None) => Verdict::Missed(problem),
        (None, Some(class)) => Verdict::Missed(format!("declared as {class}, but we agree")),
    }
}

/// Runs all cases; in full also on a real server.
pub fn run(full: bool) -> Result<Score> {
    let data = Data(GITOPS_ENGINE.folder()?.join("pkg/diff/testdata"));
    let mut score = Score::new("diff");
    for case in files::cases(&data)?.into_iter().chain(built::cases()?).chain(rules::cases()?) {
        score.add(case.name, case.judge());
    }
    for (name, verdict) in answers::verdicts(&data)?.into_iter().chain(rules::refusals()) {
        score.add(name, verdict);
    }
    if full {
        server::run(&mut score)?;
    }
    Ok(score)
}

/// The folder of the test data.
struct Data(PathBuf);

impl Data {
    fn read(&self, name: &str) -> Result<Value> {
        let path = self.0.join(name);
        let bytes = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        if Path::new(name).extension().is_some_and(|end| end == "json") {
            return Ok(serde_json::from_slice(&bytes)?);
        }
        yaml(&bytes).with_context(|| path.display().to_string())
    }
}

fn yaml(bytes: &[u8]) -> Result<Value> {
    let documents = towpath_yaml::documents(bytes, &towpath_yaml::Limits::default())?;
    Ok(documents.into_iter().next().context("the file is empty")?.value)
}

/// Fails with what is there, unless it is as expected.
fn expect(what: &str, found: Option<&Value>, expected: &Value) -> Result<(), String> {
    let found = found.unwrap_or(&Value::Null);
    if found == expected { Ok(()) } else { Err(format!("{what} is {found}, expected {expected}")) }
}

/// The number of items in a list.
fn length(value: &Value, pointer: &str) -> Value {
    value.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len).into()
}
