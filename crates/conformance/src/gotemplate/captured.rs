//! Every template that the tests of Go's text/template and of Sprig execute.

use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use towpath_gotemplate::{Error, Functions, MissingKey, Templates};

use super::suite::Suite;
use super::{compare, data, delimiters, execute, subject};
use crate::score::{Score, Verdict};

/// What a suite's templates may call.
fn functions(suite: Suite) -> Functions {
    match suite {
        Suite::Sprig => towpath_gotemplate::sprig::functions(),
        _ => subject::functions(),
    }
}

#[derive(Deserialize)]
struct Line {
    texts: Option<Vec<Source>>,
    name: String,
    executed: bool,
    data: serde_json::Value,
    missingkey: u8,
    foreign: bool,
    output: Option<String>,
    error: String,
}

#[derive(Deserialize)]
struct Source {
    name: String,
    text: String,
    #[serde(default)]
    left: String,
    #[serde(default)]
    right: String,
}

pub fn run(score: &mut Score, suite: Suite) -> Result<()> {
    let text = suite.cases()?;
    let functions = Arc::new(functions(suite));
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).with_context(|| format!("the case {line}"))?;
        let shown: Vec<&str> = line.texts.iter().flatten().map(|source| source.text.as_str()).collect();
        score.add(&format!("{} {}", shown.join(" ++ "), line.data), judge(&line, suite, &functions)?);
    }
    Ok(())
}

fn judge(line: &Line, suite: Suite, functions: &Arc<Functions>) -> Result<Verdict> {
    if line.texts.is_none() {
        return Ok(Verdict::Declared("a template without a text, which cannot be had here"));
    }
    let Some(dot) = data::decode(&line.data) else {
        return Ok(Verdict::Declared("data of Go types that no chart has"));
    };
    let theirs = match line.error.as_str() {
        "" => {
            Ok(STANDARD.decode(line.output.as_deref().unwrap_or_default()).context("the output's base64")?)
        }
        error => Err(error.to_owned()),
    };
    if line.foreign {
        return Ok(Verdict::Declared("trees that the test put together by hand"));
    }
    if line.error == "always be failing" {
        return Ok(Verdict::Declared("a writer that fails"));
    }
    if suite == Suite::Sprig && by_chance(line) {
        return Ok(Verdict::Declared("chance, or the time of day"));
    }
    let ours = answer(line, functions, dot).map_err(|error| error.to_string());
    if let Err(error) = &ours
        && error.contains("function \"")
        && error.contains("\" not defined")
        && !theirs.as_ref().is_err_and(|theirs| theirs.contains("not defined"))
    {
        return Ok(Verdict::Declared(match suite {
            Suite::Go | Suite::Parse | Suite::Fmt => "a function that the test itself defines",
            Suite::Sprig => "a function that Helm takes away: the environment",
        }));
    }
    if let Err(error) = &ours
        && subject::ABSENT.iter().any(|field| error.contains(&format!("field {field} in type *template.T")))
    {
        return Ok(Verdict::Declared("fields of Go types that no chart has"));
    }
    Ok(compare(&ours, &theirs))
}

/// Whether no two runs of the test print the same.
fn by_chance(line: &Line) -> bool {
    let words = [
        "randAlpha",
        "randAscii",
        "randNumeric",
        "randBytes",
        "randInt",
        "uuidv4",
        "shuffle",
        "bcrypt",
        "htpasswd",
        "gen",
        "encryptAES",
    ];
    let texts = || line.texts.iter().flatten();
    let now = line.data.pointer("/v/Time/$").is_some_and(|typ| typ == "string");
    now || texts().any(|source| words.iter().any(|word| source.text.contains(word)))
}

fn answer(line: &Line, functions: &Arc<Functions>, dot: towpath_gotemplate::Value) -> Result<Vec<u8>, Error> {
    let mut templates = Templates::new(Arc::clone(functions));
    templates.missing_key = match line.missingkey {
        1 => MissingKey::Zero,
        2 => MissingKey::Error,
        _ => MissingKey::Invalid,
    };
    for source in line.texts.iter().flatten() {
        templates.delimiters = delimiters(&source.left, &source.right);
        templates.parse(&source.name, source.text.as_bytes())?;
    }
    if !line.executed {
        return Ok(Vec::new());
    }
    execute(&templates, &line.name, dot)
}
