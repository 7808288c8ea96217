//! Merges and JSON patches.

use anyhow::Result;
use towpath_merge::json6902::Patch;
use towpath_merge::strategic::{Order, Schema, merge};
use towpath_yaml::{Dialect, Limits, Node};

use super::oracle::{self, Answer, Question};
use super::table::{self, Row};
use crate::score::{Score, Verdict};

const INFERRED: &str =
    "keys that are guessed from the items: an option of the library that kustomize does not use";
const COMMENT: &str = "a schema in a comment: a leftover of setters, which we do not read";

/// Runs the comparison: the table, then its patches on all its targets.
pub fn run(full: bool) -> Result<Score> {
    let rows = table::rows()?;
    let mut score = Score::new("merge2");
    for row in &rows {
        score.add(&row.description, expected(row));
    }
    let questions = questions(&rows, if full { 1 } else { 3 });
    let answers = oracle::ask(questions.iter().map(|(_, question)| question))?;
    for ((name, question), answer) in questions.iter().zip(answers) {
        score.add(name, asked(question, &answer?));
    }
    Ok(score)
}

/// Every patch of the table on every target, or on every so manieth; and the JSON patches.
fn questions(rows: &[Row], every: usize) -> Vec<(String, Question)> {
    let mut questions = Vec::new();
    let pairs = rows.iter().flat_map(|patch| rows.iter().map(move |target| (patch, target)));
    for (number, (patch, target)) in pairs.enumerate().filter(|(number, _)| number % every == 0) {
        questions.push((
            format!("`{}` on `{}`", patch.description, target.description),
            Question::Merge {
                target: target.target.clone(),
                patch: patch.source.clone(),
                behind: number % 2 == 1,
                infer: false,
            },
        ));
    }
    for target in OBJECTS {
        for patch in PATCHES {
            let (target, patch) = ((*target).to_owned(), (*patch).to_owned());
            questions.push((format!("{patch} on {target}"), Question::Json6902 { target, patch }));
        }
    }
    questions
}

/// Objects for the JSON patches.
const OBJECTS: &[&str] = &[
    "a: [1, 2, 3]\nb: {c: x, d: null}\ne: 'yes'\n",
    "a: []\nb: {}\ne: 9007199254740993\nf: 1.5e300\ng: 0.1\n",
    "a: {\"0\": zero, \"-\": dash}\nb: text\ne: |\n  lines\n  and more\nf: 1000000\ng: 12345678\n",
    "a:\n- {name: x, v: 010}\n- {name: y, v: 2001-01-01}\nb: {c: [[1], [2]]}\nf: .5\n",
];

/// The JSON patches.
const PATCHES: &[&str] = &[
    "- {op: add, path: /a/-, value: 7}",
    "- {op: add, path: /a/0, value: {x: y}}",
    "- {op: add, path: /a/-1, value: yes}",
    "- {op: add, path: /a/-9, value: 1}",
    "- {op: add, path: /a/9, value: 1}",
    "- {op: add, path: /a/x, value: 1}",
    "- {op: add, path: /new/deep, value: 1}",
    "- {op: add, path: /b/c~1d~0e, value: 1e3}",
    "- {op: add, path: '', value: {}}",
    "- {op: add, path: /q}",
    "- {op: add, value: 1}",
    "- {op: remove, path: /a/0}",
    "- {op: remove, path: /a/-1}",
    "- {op: remove, path: /b/c}",
    "- {op: remove, path: /b/d}",
    "- {op: remove, path: /none}",
    "- {op: remove, path: /a/99999999999999999999}",
    "- {op: replace, path: /b/c, value: 018}",
    "- {op: replace, path: /b/none, value: on}",
    "- {op: replace, path: /a/1, value: [1, 2]}",
    "- {op: replace, path: /a/5, value: 1}",
    "- {op: replace, path: /e, value: 12345678901234567890}",
    "- {op: replace, path: '', value: {kind: X}}",
    "- {op: move, from: /a/0, path: /b/m}",
    "- {op: move, from: /none, path: /b/m}",
    "- {op: copy, from: /b, path: /a/-}",
    "- {op: copy, from: /a/7, path: /b/x}",
    "- {op: test, path: /b/c, value: x}\n- {op: remove, path: /b/c}",
    "- {op: test, path: /b/d, value: null}",
    "- {op: test, path: /e, value: true}",
    "- {op: test, path: /a, value: [1, 2, 3]}",
    "- {op: swap, path: /a}",
    "- {path: /a}",
    "[{\"op\": \"add\", \"path\": \"/j\", \"value\": \"\\u003c\\ud83d\\ude00\"}]",
    "[{op: add, path: /j, value: 1}]",
    "{op: add}",
    "just text",
    "[]",
];

fn node(text: &str) -> Result<Node, String> {
    let nodes = towpath_yaml::read(text.as_bytes(), Dialect::V3, &Limits::default());
    let mut nodes = nodes.map_err(|error| error.to_string())?;
    if nodes.len() == 1 { Ok(nodes.remove(0)) } else { Err(format!("{} documents", nodes.len())) }
}

fn merged(target: &str, patch: &str, behind: bool) -> Result<String, String> {
    let order = if behind { Order::Behind } else { Order::Front };
    let result =
        merge(node(target)?, node(patch)?, Schema::built_in(), order).map_err(|error| error.to_string())?;
    result.map_or(Ok(String::new()), |node| written(&node))
}

fn written(node: &Node) -> Result<String, String> {
    towpath_yaml::write(node).map_err(|error| error.to_string())
}

/// One row against what its author expects.
fn expected(row: &Row) -> Verdict {
    let ours = merged(&row.target, &row.source, row.behind);
    let theirs = match row.expected.trim() {
        "" => Ok(String::new()),
        _ => node(&row.expected).and_then(|node| written(&node)),
    };
    // The library's tests sort the lists of both sides.
    let sorted = |text: &Result<String, String>| {
        let mut lines: Vec<String> = text.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    if ours.is_ok() && theirs.is_ok() && sorted(&ours) == sorted(&theirs) {
        Verdict::Agreed
    } else if row.infer {
        Verdict::Declared(INFERRED)
    } else if has_schema_comment(&row.source) || has_schema_comment(&row.target) {
        Verdict::Declared(COMMENT)
    } else {
        Verdict::Missed(format!(
            "  target {:?}\n  patch {:?}\n  ours {ours:?}\n  kyaml {theirs:?}",
            row.target, row.source
        ))
    }
}

fn has_schema_comment(text: &str) -> bool {
    text.lines().any(|line| line.contains("# {"))
}

fn asked(question: &Question, answer: &Answer) -> Verdict {
    let (target, patch, ours) = match question {
        Question::Merge { target, patch, behind, .. } => (target, patch, merged(target, patch, *behind)),
        Question::Json6902 { target, patch } => {
            let ours = node(target).and_then(|node| {
                let patch = Patch::read(patch.as_bytes()).map_err(|error| error.to_string())?;
                written(&patch.apply(&node).map_err(|error| error.to_string())?)
            });
            (target, patch, ours)
        }
        Question::Read(_) | Question::Values(_) => return Verdict::Missed("not a merge".into()),
    };
    let agreed = match &ours {
        Ok(text) => answer.error.is_empty() && *text == answer.yaml,
        // The library's words are ours, but for what other libraries of Go say in them.
        Err(message) => answer.error == *message || !answer.error.is_empty() && !speaks(message),
    };
    if agreed {
        Verdict::Agreed
    } else if has_schema_comment(target) || has_schema_comment(patch) {
        Verdict::Declared(COMMENT)
    } else {
        Verdict::Missed(format!(
            "  target {target:?}\n  patch {patch:?}\n  ours {ours:?}\n  kyaml {:?} {:?}",
            answer.yaml, answer.error
        ))
    }
}

/// Whether a message is one of the patch library's own.
fn speaks(message: &str) -> bool {
    ["operation", "error in ", "testing value", "Unexpected kind"].iter().any(|start| message.contains(start))
}
