//! Our YAML against sigs.k8s.io/yaml and go-yaml, which kubectl, kustomize and Helm use.
//!
//! In: texts (written by hand, generated from a fixed seed, mutated, and with `--full` all YAML of the Go
//! modules on this machine) and generated JSON values. Each goes through our reader or writer and through the
//! Go program `yamloracle`. Out: a [`Score`]. Agreement means the same JSON, or both refuse; for the writer
//! the same bytes. Where we differ on purpose the class is in [`compare`]'s table, with its reason.

mod cases;
mod compare;
mod corpus;
mod generate;
mod grammar;
mod oracle;
mod values;

use anyhow::Result;

use self::oracle::Question;
use crate::score::Score;

pub use self::compare::same;

/// One text or value, and where it comes from.
struct Case {
    name: String,
    question: Question,
}

/// The texts to read: a fixed sample, or everything.
fn reading(full: bool) -> Result<Vec<Case>> {
    let mut cases = cases::written()?;
    let seeds: Vec<Vec<u8>> =
        cases.iter().filter_map(|case| case.question.text().map(<[u8]>::to_vec)).collect();
    cases.extend(generate::texts(if full { 60_000 } else { 6_000 }, &seeds));
    if full {
        cases.extend(corpus::module_cache()?);
    }
    Ok(cases)
}

/// The same texts for other readers, each with its name.
pub fn texts(full: bool) -> Result<impl Iterator<Item = (String, Vec<u8>)>> {
    let cases = reading(full)?.into_iter();
    Ok(cases.filter_map(|case| match case.question {
        Question::Decode(text) => Some((case.name, text)),
        Question::Encode(_) => None,
    }))
}

/// Runs the comparison: a fixed sample, or everything.
pub fn run(full: bool) -> Result<Score> {
    let mut cases = reading(full)?;
    cases.extend(values::generated(if full { 20_000 } else { 2_000 }));
    let answers = oracle::ask(cases.iter().map(|case| &case.question))?;
    let mut score = Score::new("yaml");
    for (case, answer) in cases.iter().zip(answers) {
        score.add(&case.name, compare::judge(&case.question, &answer?));
    }
    Ok(score)
}
