//! Our substitution against Flux's library, github.com/fluxcd/pkg/envsubst.
//!
//! In: the tables of the library's own tests, read out of its pinned module by the Go program
//! `envsubstoracle`, and texts generated from a fixed seed, which that program also gives to the real library.
//! Out: a [`Score`]. Agreement means the same bytes, the same tree, or the same error text.

mod generate;
mod tables;

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use towpath_substitute::Template;

use crate::score::{Score, Verdict};

/// A text, its variables, and whether unknown ones are refused.
struct Question {
    text: Vec<u8>,
    variables: BTreeMap<String, Vec<u8>>,
    strict: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    text: String,
    error: String,
    panic: String,
}

const PANIC: &str = "the library panics: a length beyond the largest integer; we take the rest of the value";

/// Runs the tables and a fixed sample of generated texts, or many of them.
pub fn run(full: bool) -> Result<Score> {
    let mut score = Score::new("substitute");
    tables::run(&mut score)?;
    let questions = generate::questions(if full { 400_000 } else { 40_000 });
    let lines = questions.iter().map(Question::line).collect();
    for (question, answer) in questions.iter().zip(crate::questions::ask("envsubstoracle", lines)?) {
        let verdict = judge(question, &answer?)?;
        score.add(&question.text.escape_ascii().to_string(), verdict);
    }
    Ok(score)
}

fn judge(question: &Question, answer: &Answer) -> Result<Verdict> {
    if !answer.panic.is_empty() {
        return Ok(Verdict::Declared(PANIC));
    }
    let theirs = match answer.error.as_str() {
        "" => Ok(STANDARD.decode(&answer.text).context("the oracle's base64")?),
        error => Err(error.to_owned()),
    };
    Ok(compare(&question.ours(), &theirs))
}

fn compare(ours: &Result<Vec<u8>, String>, theirs: &Result<Vec<u8>, String>) -> Verdict {
    if ours == theirs {
        return Verdict::Agreed;
    }
    let show = |result: &Result<Vec<u8>, String>| match result {
        Ok(text) => format!("`{}`", text.escape_ascii()),
        Err(error) => error.clone(),
    };
    Verdict::Missed(format!("  ours {}\n  Flux {}", show(ours), show(theirs)))
}

impl Question {
    fn line(&self) -> String {
        let variables: BTreeMap<&String, String> =
            self.variables.iter().map(|(name, value)| (name, STANDARD.encode(value))).collect();
        let question =
            json!({"text": STANDARD.encode(&self.text), "variables": variables, "strict": self.strict});
        format!("{question}\n")
    }

    fn ours(&self) -> Result<Vec<u8>, String> {
        let lookup = |name: &str| match self.variables.get(name) {
            Some(value) => Some(Cow::Borrowed(value.as_slice())),
            None if self.strict => None,
            None => Some(Cow::Borrowed(&[][..])),
        };
        let template = Template::parse(&self.text).map_err(|error| error.to_string())?;
        template.expand(lookup).map_err(|error| error.to_string())
    }
}
