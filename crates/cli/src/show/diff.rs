//! Unified diffs of objects, as YAML, with the values of Secrets masked.

use std::fmt::Write as _;

use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use towpath_engine::MANAGER;
use towpath_merge::explain::{Explanation, explain};
use towpath_merge::ignore::Rules;
use towpath_merge::predict::Options;
use towpath_object::{mask_pair, strip};
use towpath_plan::{Change, Op, Plan};

use crate::screen::style;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;

/// A diff for each object that changes; with the reasons of its fields on request.
pub fn diff_text(plan: &Plan, why: bool) -> String {
    let text = |change: &Change| {
        let mut text = one(change)?;
        if let Some(found) = explained(change).filter(|_| why) {
            let dim = style::DIM;
            for line in format!("{found:#}").lines() {
                let _ = writeln!(text, "{dim}# {line}{dim:#}");
            }
        }
        Some(text)
    };
    plan.changes.iter().filter_map(text).collect()
}

/// Why the fields of an object that is updated differ. What people set by hand counts, because it is taken over.
pub fn explained(change: &Change) -> Option<Explanation> {
    let (Op::Update, Some(live), Some(target)) = (change.op, &change.live, &change.target) else {
        return None;
    };
    let options = Options { strict: true, ..Options::of(MANAGER) };
    explain(target.object.value(), Some(live.value()), &Rules::default(), &options).ok()
}

fn one(change: &Change) -> Option<String> {
    let live = change.live.as_ref().map(|object| object.value().clone()).unwrap_or_default();
    let (mut before, mut after) = match change.op {
        Op::Create | Op::Run => (Value::Null, change.outcome()?.clone()),
        Op::Update => (live, change.outcome()?.clone()),
        Op::Delete => (live, Value::Null),
        Op::Keep | Op::Same => return None,
    };
    strip(&mut before);
    strip(&mut after);
    mask_pair(&mut before, &mut after);
    let text = |value: &Value| if value.is_null() { String::new() } else { towpath_yaml::to_string(value) };
    let from = if before.is_null() { "nothing".into() } else { format!("live/{}", change.key) };
    let to = match change.origin() {
        Some(origin) => format!("{} ({origin})", change.key),
        None => "nothing".into(),
    };
    Some(unified(&text(&before), &text(&after), &from, &to))
}

fn unified(before: &str, after: &str, from: &str, to: &str) -> String {
    let (head, dim) = (style::HEAD, style::DIM);
    let mut text = format!("{head}--- {from}{head:#}\n{head}+++ {to}{head:#}\n");
    let diff = TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        let _ = writeln!(text, "{dim}{}{dim:#}", hunk.header().to_string().trim_end());
        for line in hunk.iter_changes() {
            let (sign, style) = match line.tag() {
                ChangeTag::Delete => ('-', style::BAD),
                ChangeTag::Insert => ('+', style::GOOD),
                ChangeTag::Equal => (' ', anstyle::Style::new()),
            };
            let _ = writeln!(text, "{style}{sign}{}{style:#}", line.value().trim_end_matches('\n'));
        }
    }
    text
}
