//! Our templates and Sprig functions against Go's text/template and Masterminds/sprig.
//!
//! In: every template that the tests of Go's package and of Sprig execute, written down while those tests run
//! ([`suite`]), the tables of Go's parser and of its fmt package, and templates from a fixed seed that the Go program `gotemplateoracle` answers. Out: a
//! [`Score`] each. Agreement means the same bytes or the same error text.

mod captured;
mod data;
mod generate;
mod subject;
mod suite;
mod tables;

use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use towpath_gotemplate::{Delimiters, Environment, Functions, MissingKey, Run, Templates, Value};

use crate::score::{Score, Verdict};
use suite::Suite;

/// What a template is asked with; the Go program reads it as JSON.
#[derive(Serialize)]
struct Question {
    name: String,
    text: String,
    data: serde_json::Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    missingkey: &'static str,
    sprig: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    text: String,
    error: String,
    panic: String,
}

/// The tests of Go's text/template, and generated templates with Go's own functions.
pub fn run(full: bool) -> Result<Score> {
    let mut score = Score::new("gotemplate");
    captured::run(&mut score, Suite::Go)?;
    tables::parse(&mut score)?;
    tables::fmt(&mut score)?;
    generated(&mut score, generate::Kind::Plain, if full { 200_000 } else { 20_000 })?;
    Ok(score)
}

/// Sprig's tests, and generated templates with Sprig's functions.
pub fn run_sprig(full: bool) -> Result<Score> {
    let mut score = Score::new("sprig");
    captured::run(&mut score, Suite::Sprig)?;
    generated(&mut score, generate::Kind::Sprig, if full { 200_000 } else { 20_000 })?;
    Ok(score)
}

fn generated(score: &mut Score, kind: generate::Kind, count: usize) -> Result<()> {
    let functions = Arc::new(functions(kind));
    let questions = generate::questions(kind, count);
    let lines = questions
        .iter()
        .map(|question| serde_json::to_string(question).map(|line| line + "\n"))
        .collect::<Result<Vec<_>, _>>()
        .context("write a question")?;
    for (question, answer) in
        questions.iter().zip(crate::questions::ask::<Answer>("gotemplateoracle", lines)?)
    {
        let answer = answer?;
        let shown = format!("{} {}", question.text, question.data);
        score.add(&shown, judge(question, &answer, &functions)?);
    }
    Ok(())
}

fn functions(kind: generate::Kind) -> Functions {
    match kind {
        generate::Kind::Plain => Functions::default(),
        generate::Kind::Sprig => towpath_gotemplate::sprig::functions(),
    }
}

fn judge(question: &Question, answer: &Answer, functions: &Arc<Functions>) -> Result<Verdict> {
    let theirs = match (answer.panic.as_str(), answer.error.as_str()) {
        ("", "") => Ok(STANDARD.decode(&answer.text).context("the oracle's base64")?),
        ("", error) => Err(error.to_owned()),
        (panic, _) => Err(format!("panic: {panic}")),
    };
    let mut templates = Templates::new(Arc::clone(functions));
    templates.missing_key = match question.missingkey {
        "zero" => MissingKey::Zero,
        "error" => MissingKey::Error,
        _ => MissingKey::Invalid,
    };
    let dot = data::decode(&question.data).context("data of ours")?;
    let parsed = templates.parse(&question.name, question.text.as_bytes());
    let ours = parsed.and_then(|()| execute(&templates, &question.name, dot));
    Ok(compare(&ours.map_err(|error| error.to_string()), &theirs))
}

fn execute(templates: &Templates, name: &str, dot: Value) -> Result<Vec<u8>, towpath_gotemplate::Error> {
    let environment = Environment::fixed((1_700_000_000, 0), 1);
    templates.execute(name, dot, &mut Run::new(&environment, &mut ()))
}

fn delimiters(left: &str, right: &str) -> Delimiters {
    Delimiters { left: left.to_owned(), right: right.to_owned() }
}

fn compare(ours: &Result<Vec<u8>, String>, theirs: &Result<Vec<u8>, String>) -> Verdict {
    if ours == theirs {
        return Verdict::Agreed;
    }
    let show = |result: &Result<Vec<u8>, String>| match result {
        Ok(text) => format!("`{}`", text.escape_ascii()),
        Err(error) => error.clone(),
    };
    Verdict::Missed(format!("  ours {}\n  Go   {}", show(ours), show(theirs)))
}
