//! Carrying out a plan before somebody's eyes, for `deploy` and `delete`.

use std::time::Duration;

use serde_json::{Value, json};
use towpath_cluster::Cluster;
use towpath_engine::{Awaited, Outcome, Prepared, Progress, Readiness, execute, wait};
use towpath_health::Status;
use towpath_object::Key;
use towpath_plan::{App, Op, Plan};

use crate::args::Output;
use crate::exit::Exit;
use crate::files::Lines;
use crate::report::{Problem, count as number, failure_words, failures_value, outcome_exit};
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
    let app = prepared.app.clone();
    let plan = &prepared.plan;
    let (empty, steps) = (plan.is_empty(), changed(plan).count());
    let mut report = plan_value(&prepared, wish, screen.output);
    for warning in &prepared.warnings {
        screen.warning(warning);
    }
    match screen.output {
        None => {
            screen.print(&change_table(plan));
            screen.print(&format!("{}\n", summary_words(plan)));
        }
        Some(Output::Name) => screen.print(&names(changed(plan))),
        Some(_) => {}
    }
    let mut exit = Exit::Success;
    if !wish.dry_run {
        if let (Some(question), false) = (wish.question, empty)
            && !screen.ask(question)
        {
            return Err(Problem::Declined);
        }
        screen.begin(steps, app.name.as_str());
        let outcome = execute(cluster, prepared, &|event| show(screen, &event)).await?;
        screen.end();
        let readiness = match wish.wait {
            Some(limit) if outcome.failures.is_empty() && outcome.broken.is_empty() => {
                become_ready(cluster, &app, outcome.awaited.clone(), limit, screen).await
            }
            _ => Readiness::default(),
        };
        exit = outcome_exit(&outcome, &readiness);
        if let Some(fields) = report.as_object_mut() {
            fields.insert("result".into(), result_value(&outcome, &readiness, wish, lines));
        }
        tell_end(&app, &outcome, &readiness, wish, lines, screen);
    }
    document(&report, screen.output, screen);
    let changes = wish.exit_code && !empty && exit == Exit::Success;
    Ok(if changes { Exit::Changes } else { exit })
}

/// What the plan creates, updates or deletes.
fn changed(plan: &Plan) -> impl Iterator<Item = &Key> {
    plan.changes.iter().filter(|change| change.is_effective()).map(|change| &change.key)
}

/// The plan for programs; nothing where nobody asked for it.
fn plan_value(prepared: &Prepared, wish: &Wish, output: Option<Output>) -> Value {
    if !matches!(output, Some(Output::Json | Output::Yaml)) {
        return Value::Null;
    }
    json!({
        "app": prepared.app.name.as_str(), "namespace": prepared.app.namespace, "dryRun": wish.dry_run,
        "summary": prepared.plan.summary(), "changes": changes_value(&prepared.plan),
    })
}

/// How it went, for programs.
fn result_value(outcome: &Outcome, readiness: &Readiness, wish: &Wish, lines: &Lines) -> Value {
    let awaited = |one: &Awaited| {
        let Awaited { key, health, .. } = one;
        json!({"object": key.to_string(), "status": health.status.to_string(), "message": health.message})
    };
    let keys = |list: &[Key]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    json!({
        "complete": outcome.is_complete(),
        "failures": failures_value(outcome, lines),
        "untried": keys(&outcome.untried),
        "leaving": keys(&outcome.leaving),
        "ready": wish.wait.map(|_| readiness.is_ready()),
        "notReady": readiness.failed.iter().chain(&readiness.pending).map(awaited).collect::<Vec<_>>(),
    })
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
fn show(screen: &Screen, event: &Progress<'_>) {
    match event {
        Progress::Stage { stage, changes } => {
            tracing::debug!(?stage, changes, "stage");
        }
        Progress::Changed { key, op } => {
            let word = match op {
                Op::Create => "created",
                Op::Update => "updated",
                Op::Run => "started",
                _ => "deleted",
            };
            screen.step(&format!("{word} {key}"));
            tracing::debug!(%key, word, "done");
        }
        Progress::Failed { key, message } => tracing::debug!(%key, message, "failed"),
        Progress::Warning { key, message } => screen.warning(&format!("{key}: {message}")),
        Progress::Waiting { what } => {
            screen.now(what);
            if !screen.live {
                screen.note(what);
            }
        }
        Progress::Leaving { key } => screen.now(&format!("waiting until {key} is gone")),
        Progress::Health { key, health, pending } => match health.status {
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
    for one in &outcome.broken {
        screen.error(&one.to_string());
    }
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
        let hooks = match count(Op::Run) {
            0 => String::new(),
            run => format!(", {} run", number(run, "hook")),
        };
        let ready = if wish.wait.is_some() { ", all ready" } else { "" };
        let good = style::GOOD;
        screen.print(&format!(
            "{good}{app}{good:#}: {created} created, {updated} updated, {deleted} deleted{hooks}{ready}\n"
        ));
    }
}
