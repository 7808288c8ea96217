//! The table of changes, and the same for programs.

use serde_json::{Value, json};
use towpath_merge::{Kind, diff};
use towpath_object::{mask_pair, strip};
use towpath_plan::{Change, Op, Plan};

use crate::screen::style;
use crate::show::{Cell, explained, table};

/// How many changed fields a row names before it only counts.
const NAMED: usize = 2;

/// One row for each object that changes, and for each that is no longer wanted and stays.
pub fn change_table(plan: &Plan) -> String {
    let waves = plan.has_waves();
    let shown = plan.changes.iter().filter(|change| change.op != Op::Same);
    let rows: Vec<Vec<Cell>> = shown.map(|change| row(change, waves)).collect();
    match (rows.is_empty(), waves) {
        (true, _) => String::new(),
        (false, false) => table(&["NAMESPACE", "NAME", "KIND", "OP", "CHANGES"], &rows),
        (false, true) => table(&["PHASE", "WAVE", "NAMESPACE", "NAME", "KIND", "OP", "CHANGES"], &rows),
    }
}

fn row(change: &Change, waves: bool) -> Vec<Cell> {
    let (word, style) = match change.op {
        Op::Create => ("create", style::GOOD),
        Op::Update => ("update", style::CHANGE),
        Op::Delete => ("delete", style::BAD),
        Op::Run => ("run", style::CHANGE),
        Op::Keep => ("keep", style::DIM),
        Op::Same => ("same", style::DIM),
    };
    let namespace = if change.key.namespace.is_empty() { "-" } else { &change.key.namespace };
    let about = change.note.map_or_else(|| fields_words(change), Into::into);
    let mut cells: Vec<Cell> = match (waves, change.op) {
        (false, _) => Vec::new(),
        // What is kept is kept in no phase.
        (true, Op::Keep) => vec!["-".into(), "-".into()],
        (true, _) => vec![change.phase.to_string().into(), change.wave.to_string().into()],
    };
    cells.extend([
        namespace.into(),
        change.key.name.as_str().into(),
        change.key.kind.as_str().into(),
        Cell::styled(word, style),
        Cell::styled(about, style::DIM),
    ]);
    cells
}

/// `spec.replicas: 2 -> 3, +2 more`.
fn fields_words(change: &Change) -> String {
    let fields = fields(change);
    let mut words: Vec<String> = fields.iter().take(NAMED).map(field_words).collect();
    if fields.len() > NAMED {
        words.push(format!("+{} more", fields.len() - NAMED));
    }
    words.join(", ")
}

fn field_words(field: &towpath_merge::Change) -> String {
    let short = |value: &Option<Value>| value.as_ref().map(scalar).unwrap_or_default();
    match field.kind {
        Kind::Reordered => format!("{}: reordered", field.path),
        Kind::Added => format!("+{}", field.path),
        Kind::Removed => format!("-{}", field.path),
        Kind::Changed => format!("{}: {} -> {}", field.path, short(&field.before), short(&field.after)),
    }
}

fn scalar(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.len()),
        Value::Object(entries) => format!("{{{}}}", entries.len()),
        other => other.to_string(),
    };
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() > 40 || line.len() < text.len() {
        format!("{}…", line.chars().take(39).collect::<String>())
    } else {
        text
    }
}

/// The fields in which an update changes the object; Secrets masked.
fn fields(change: &Change) -> Vec<towpath_merge::Change> {
    match (change.op, &change.live, &change.after) {
        (Op::Update, Some(live), Some(after)) => {
            let (mut before, mut after) = (live.value().clone(), after.clone());
            strip(&mut before);
            strip(&mut after);
            mask_pair(&mut before, &mut after);
            diff(&before, &after)
        }
        _ => Vec::new(),
    }
}

/// `2 to create, 1 to update, 3 unchanged`.
pub fn summary_words(plan: &Plan) -> String {
    let summary = plan.summary();
    let parts = [
        (summary.create, "to create"),
        (summary.update, "to update"),
        (summary.delete, "to delete"),
        (summary.run, if summary.run == 1 { "hook to run" } else { "hooks to run" }),
        (summary.keep, "no longer wanted"),
        (summary.same, "unchanged"),
    ];
    let words: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    if words.is_empty() { "nothing to do".into() } else { words.join(", ") }
}

/// The changes for programs.
pub fn changes_value(plan: &Plan) -> Vec<Value> {
    plan.changes.iter().map(change_value).collect()
}

fn change_value(change: &Change) -> Value {
    let gvk = &change.resource.gvk;
    let fields: Vec<Value> = fields(change)
        .iter()
        .map(|field| {
            let kind = match field.kind {
                Kind::Added => "added",
                Kind::Removed => "removed",
                Kind::Changed => "changed",
                Kind::Reordered => "reordered",
            };
            json!({"path": field.path.to_string(), "change": kind, "before": field.before, "after": field.after})
        })
        .collect();
    json!({
        "op": change.op,
        "phase": change.phase,
        "wave": change.wave,
        "stage": change.stage,
        "hook": change.hook,
        "apiVersion": gvk.api_version(),
        "kind": gvk.kind,
        "namespace": change.key.namespace,
        "name": change.key.name,
        "origin": change.origin().map(ToString::to_string),
        "note": change.note,
        "fields": fields,
        "why": why_value(change),
    })
}

/// Why each field differs, those that stay as they are included.
fn why_value(change: &Change) -> Vec<Value> {
    let Some(found) = explained(change) else { return Vec::new() };
    let value = |field: &towpath_merge::explain::Field, changes: bool| json!({"path": field.path.to_string(), "reason": field.reason.to_string(), "changes": changes});
    let changes = found.changes.iter().map(|field| value(field, true));
    changes.chain(found.notes.iter().map(|field| value(field, false))).collect()
}
