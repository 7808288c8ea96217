//! Carrying out a plan before somebody's eyes, for `deploy` and `delete`.

use std::time::Duration;

use serde_json::{Value, json};
use towpath_cluster::Cluster;
use towpath_engine::{Awaited, Event, Outcome, Prepared, Readiness, execute, wait};
use towpath_health::Status;
use towpath_plan::{App, Op};

use crate::args::Output;
use crate::exit::Exit;
use crate::files::Lines;
use crate::report::{Problem, failure_words, failures_value, outcome_exit};
use crate::screen::{Screen, style};
use crate::show::{change_table, changes_value, document, names, summary_words};

/// What a verb wants of a run.
pub struct Wish {
    /// Only show the plan.
    pub dry_run: bool,
    /// Wait until everything is ready, for so long.
    pub wait: Option<Duration>,
    /// What to ask before anything is changed; nothing when it was answered already.
    pub question: Option<&'static str>,
    /// Say by exit code 2 that there are or were changes.
    pub exit_code: bool,
}

/// Shows the plan, asks, executes, waits, and says how it ended.
pub async fn carry_out(
    cluster: &Cluster,
    prepared: Prepared,
    lines: &Lines,
    wish: &Wish,
    screen: &mut Screen,
) -> Result<Exit, Problem> {
    let plan = prepared.plan.clone();
    let app = prepared.app.clone();
    let mut report = Report {
        value: json!({
            "app": app.name.as_str(), "namespace": app.namespace, "dryRun": wish.dry_run,
            "summary": plan.summary(), "changes": changes_value(&plan),
        }),
    };
    if screen.output.is_none() {
        screen.print(&change_table(&plan));
        screen.print(&format!("{}\n", summary_words(&plan)));
    }
    let mut exit = Exit::Success;
    if !wish.dry_run {
        if let (Some(question), false) = (wish.question, plan.is_empty())
            && !screen.ask(question)
        {
            return Err(Problem::Declined);
        }
        screen.begin(plan.changes.iter().filter(|change| change.op < Op::Keep).count(), app.name.as_str());
        let outcome = execute(cluster, prepared, &|event| show(screen, &event)).await?;
        screen.end();
        let readiness = match wish.wait {
            Some(limit) if outcome.failures.is_empty() => {
                become_ready(cluster, &app, outcome.awaited.clone(), limit, screen).await
            }
            _ => Readiness::default(),
        };
        exit = outcome_exit(&outcome, &readiness);
        report.add(&outcome, &readiness, wish, lines);
        tell_end(&app, &outcome, &readiness, wish, lines, screen);
    }
    if screen.output == Some(Output::Name) {
        let changed = plan.changes.iter().filter(|change| change.op < Op::Keep);
        screen.print(&names(changed.map(|change| &change.key)));
    }
    document(&report.value, screen.output, screen);
    let changes = wish.exit_code && !plan.is_empty() && exit == Exit::Success;
    Ok(if changes { Exit::Changes } else { exit })
}

/// The result for programs.
struct Report {
    value: Value,
}

impl Report {
    fn add(&mut self, outcome: &Outcome, readiness: &Readiness, wish: &Wish, lines: &Lines) {
        let awaited = |list: &[Awaited]| -> Vec<Value> {
            let value = |one: &Awaited| json!({"object": one.key.to_string(), "status": one.health.status.to_string(), "message": one.health.message});
            list.iter().map(value).collect()
        };
        let keys =
            |list: &[towpath_object::Key]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
        let result = json!({
            "complete": outcome.is_complete(),
            "failures": failures_value(&outcome.failures, lines),
            "untried": keys(&outcome.untried),
            "leaving": keys(&outcome.leaving),
            "ready": wish.wait.map(|_| readiness.is_ready()),
            "notReady": awaited(&[readiness.failed.as_slice(), readiness.pending.as_slice()].concat()),
        });
        if let Some(fields) = self.value.as_object_mut() {
            fields.insert("result".into(), result);
        }
    }
}

async fn become_ready(
    cluster: &Cluster,
    app: &App,
    awaited: Vec<Awaited>,
    limit: Duration,
    screen: &mut Screen,
) -> Readiness {
    if awaited.is_empty() {
        return Readiness::default();
    }
    screen.begin(awaited.len(), "waiting for");
    let readiness = wait(cluster, app, awaited, limit, &|event| show(screen, &event)).await;
    screen.end();
    readiness
}

/// One event: a step on a terminal, a line elsewhere.
fn show(screen: &Screen, event: &Event<'_>) {
    match event {
        Event::Stage { stage, changes } => {
            tracing::debug!(?stage, changes, "stage");
        }
        Event::Changed { key, op } => {
            let word = match op {
                Op::Create => "created",
                Op::Update => "updated",
                _ => "deleted",
            };
            screen.step(&format!("{word} {key}"));
            tracing::debug!(%key, word, "done");
        }
        Event::Failed { key, message } => tracing::debug!(%key, message, "failed"),
        Event::Warning { key, message } => screen.warning(&format!("{key}: {message}")),
        Event::Leaving { key } => screen.now(&format!("waiting until {key} is gone")),
        Event::Health { key, health, pending } => match health.status {
            Status::Current => {
                screen.step(&format!("{key} is ready"));
                if !screen.live {
                    screen.note(&format!("{key} is ready, {pending} to go"));
                }
            }
            Status::Failed => screen.note(&format!("{key} failed: {}", health.message)),
            _ => {
                screen.now(&format!("{key}: {}", health.message));
                if !screen.live {
                    screen.note(&format!("{key}: {}", health.message));
                }
            }
        },
    }
}

fn tell_end(
    app: &App,
    outcome: &Outcome,
    readiness: &Readiness,
    wish: &Wish,
    lines: &Lines,
    screen: &mut Screen,
) {
    for failure in &outcome.failures {
        screen.error(&failure_words(failure, lines));
    }
    if let Some(hint) =
        outcome.failures.iter().find_map(|failure| towpath_failure::Failure::hint(&failure.error))
    {
        screen.hint(&hint);
    }
    if !outcome.untried.is_empty() {
        screen
            .error(&format!("{} more changes were not tried; run it again to go on", outcome.untried.len()));
    }
    for key in &outcome.leaving {
        screen.error(&format!("{key} is still there: something holds it (finalizers, or a grace period)"));
    }
    for one in &readiness.failed {
        screen.error(&format!("{} failed: {}", one.key, one.health.message));
    }
    for one in &readiness.pending {
        screen.error(&format!("{} is not ready: {}", one.key, one.health.message));
    }
    if screen.output.is_none() && outcome.is_complete() && readiness.is_ready() {
        let count = |op: Op| outcome.changed.iter().filter(|(_, done)| *done == op).count();
        let (created, updated, deleted) = (count(Op::Create), count(Op::Update), count(Op::Delete));
        let ready = if wish.wait.is_some() { ", all ready" } else { "" };
        let good = style::GOOD;
        screen.print(&format!(
            "{good}{app}{good:#}: {created} created, {updated} updated, {deleted} deleted{ready}\n"
        ));
    }
}
