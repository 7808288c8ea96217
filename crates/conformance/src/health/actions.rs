//! The objects on which Argo CD's resource actions are tested.
//!
//! As upstream's own test has it, an object that an action returns must agree with an expected one in all fields
//! that the latter has; five of the expected ones lack fields. Beyond that test, all expected actions and objects
//! must be there.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::Value;
use towpath_health::{Action, Effect, Overrides};
use towpath_object::Object;

use super::normalise::normalise;
use super::{Cases, compared, files, named, object, read, text_of};
use crate::score::Verdict;

pub fn discovery_cases(root: &Path, overrides: &Overrides) -> Result<Cases> {
    let judged = tests(root, "discoveryTests", |input, test, _| {
        let ours = match overrides.actions(input, Timestamp::now()) {
            Ok(actions) => actions.iter().map(|action| line(&serialised(action))).collect::<Vec<_>>(),
            Err(error) => vec![format!("error: {error}")],
        };
        let mut expected: Vec<_> = test["result"].as_array().into_iter().flatten().map(line).collect();
        expected.sort();
        Ok((String::new(), compared(&expected.join("\n            "), &ours.join("\n            "))))
    })?;
    Ok(Cases { group: "discovery", judged })
}

fn serialised(action: &Action) -> Value {
    let parameters: Vec<_> = action.parameters.iter().map(|name| serde_json::json!({"name": name})).collect();
    serde_json::json!({
        "name": action.name, "disabled": action.disabled, "iconClass": action.icon,
        "displayName": action.display_name, "params": parameters,
    })
}

/// An action on one line, so that they can be compared as text.
fn line(action: &Value) -> String {
    let text = |name: &str| action[name].as_str().unwrap_or_default();
    let parameters = action["params"].as_array().into_iter().flatten();
    let parameters: Vec<_> = parameters.map(|entry| entry["name"].as_str().unwrap_or_default()).collect();
    format!(
        "{} disabled={} icon={} display={} params={parameters:?}",
        text("name"),
        action["disabled"] == true,
        text("iconClass"),
        text("displayName")
    )
}

pub fn action_cases(root: &Path, overrides: &Overrides) -> Result<Cases> {
    let judged = tests(root, "actionTests", |input, test, folder| {
        let name = text_of(test, "action")?;
        let parameters: BTreeMap<String, String> = match &test["parameters"] {
            Value::Null => BTreeMap::new(),
            parameters => serde_json::from_value(parameters.clone()).context("parameters")?,
        };
        let effects = overrides.act(input, name, &parameters, Timestamp::now());
        let verdict = match (effects, test["expectedErrorMessage"].as_str()) {
            (Err(error), Some(expected)) => compared(expected, &error.to_string()),
            (Err(error), None) => Verdict::Missed(format!("  error: {error}")),
            (Ok(_), Some(expected)) => {
                Verdict::Missed(format!("  upstream: {expected}\n  ours:     no error"))
            }
            (Ok(effects), None) => {
                let path = text_of(test, "expectedOutputPath")?;
                judge(input, effects, expected(&read(&folder.join(path))?)?)
            }
        };
        Ok((name.to_owned(), verdict))
    })?;
    Ok(Cases { group: "actions", judged })
}

/// One object, or a list of entries that have one.
fn expected(file: &Value) -> Result<Vec<Object>> {
    let values: Vec<&Value> = match file {
        Value::Array(entries) => entries.iter().map(|entry| &entry["unstructuredObj"]).collect(),
        one => vec![one],
    };
    values.into_iter().map(|value| named(value.clone()).context("an expected object")).collect()
}

fn judge(input: &Object, effects: Vec<Effect>, mut expected: Vec<Object>) -> Verdict {
    for effect in effects {
        let result = match effect {
            Effect::Patch(result) if result.key() != input.key() => {
                return Verdict::Missed(format!("  patches {}", result.key()));
            }
            Effect::Patch(result) | Effect::Create(result) => result,
        };
        let Some(place) = expected.iter().position(|one| is_meant(one, &result, input)) else {
            return Verdict::Missed(format!("  upstream does not expect {}", result.key()));
        };
        let one = expected.remove(place);
        let (theirs, ours) = (normalise(&one), normalise(&result));
        if !covers(&ours, &theirs) {
            return compared(&theirs.to_string(), &ours.to_string());
        }
    }
    match expected.first() {
        None => Verdict::Agreed,
        Some(missing) => Verdict::Missed(format!("  upstream expects {} too", missing.key())),
    }
}

/// Whether `whole` has all that `part` has.
fn covers(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| covers(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| covers(whole, part))
        }
        _ => whole == part,
    }
}

/// The same object; names that are made from the time cannot be the same.
fn is_meant(expected: &Object, result: &Object, input: &Object) -> bool {
    let same_kind = expected.gvk() == result.gvk() && expected.namespace() == result.namespace();
    let named_by_time = matches!(
        (input.kind(), result.kind()),
        ("CronJob", "Job") | ("CronWorkflow" | "WorkflowTemplate", "Workflow")
    );
    let same_name = if named_by_time {
        [expected, result].iter().all(|object| object.name().starts_with(input.name()))
    } else {
        expected.name() == result.name()
    };
    same_kind && same_name
}

/// Judges every test of one list; the judge is given the input, the test and its folder.
fn tests(
    root: &Path,
    list: &str,
    judge: impl Fn(&Object, &Value, &Path) -> Result<(String, Verdict)>,
) -> Result<Vec<(String, Verdict)>> {
    let mut judged = Vec::new();
    for path in files(root, "action_test.yaml")? {
        let folder = path.parent().context("a test's folder")?;
        for test in read(&path)?.get(list).and_then(Value::as_array).into_iter().flatten() {
            let input = folder.join(text_of(test, "inputPath")?);
            let case = input.strip_prefix(root)?.display().to_string();
            let (name, verdict) = judge(&object(&input)?, test, folder).with_context(|| case.clone())?;
            judged.push((format!("{case} {name}"), verdict));
        }
    }
    Ok(judged)
}
