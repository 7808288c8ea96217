//! The tables of the tests of Go's parser and of its fmt package.

use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use towpath_gotemplate::{Function, Functions, Templates, Type, Value, fmt as gofmt};

use super::suite::Suite;
use super::{compare, data};
use crate::score::{Score, Verdict};

#[derive(Deserialize)]
struct Parsed {
    name: String,
    text: String,
    #[serde(default)]
    error: String,
    #[serde(default)]
    shown: String,
}

/// Texts to the parser's tree as text, or to its error.
pub fn parse(score: &mut Score) -> Result<()> {
    let mut functions = Functions::default();
    functions
        .add("contains", Function::new(&[Type::String, Type::String], Type::Bool, |_, _| Ok(Value::Nil)));
    let functions = Arc::new(functions);
    for line in Suite::Parse.cases()?.lines() {
        let case: Parsed = serde_json::from_str(line).with_context(|| format!("the case {line}"))?;
        let mut templates = Templates::new(Arc::clone(&functions));
        let ours = templates.parse(&case.name, case.text.as_bytes());
        let ours = ours
            .map(|()| templates.show(case.name.as_bytes()).unwrap_or_default().into_bytes())
            .map_err(|error| error.to_string());
        let theirs = if case.error.is_empty() { Ok(case.shown.into_bytes()) } else { Err(case.error) };
        score.add(&format!("parse {}: {}", case.name, case.text), compare(&ours, &theirs));
    }
    Ok(())
}

#[derive(Deserialize)]
struct Formatted {
    format: String,
    value: serde_json::Value,
    text: String,
}

/// Formats and values to text.
pub fn fmt(score: &mut Score) -> Result<()> {
    for line in Suite::Fmt.cases()?.lines() {
        let case: Formatted = serde_json::from_str(line).with_context(|| format!("the case {line}"))?;
        let shown = format!("fmt {} {}", case.format, case.value);
        let Some(value) = data::decode(&case.value) else {
            score.add(&shown, Verdict::Declared("data of Go types that no chart has"));
            continue;
        };
        let ours = Ok(gofmt::sprintf(case.format.as_bytes(), &[value]));
        let theirs = Ok(STANDARD.decode(&case.text).context("the text's base64")?);
        score.add(&shown, compare(&ours, &theirs));
    }
    Ok(())
}
