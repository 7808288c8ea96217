//! The one place where failures become words for people, documents for programs, and exit codes.

use serde_json::{Value, json};
use towpath_engine::{Misfit, ObjectFailure, Outcome, Readiness};
use towpath_failure::Failure as _;

use crate::args::Output;
use crate::exit::Exit;
use crate::files::{Complaint, Lines};
use crate::screen::Screen;
use crate::show::document;

/// Why a verb could not do its work.
#[derive(Debug)]
pub enum Problem {
    /// An argument makes no sense.
    Argument { name: String, message: String },
    /// Manifests cannot be read.
    Files(Vec<Complaint>),
    /// The engine refused or failed, with the lines of the manifests for naming fields.
    Engine(towpath_engine::Error, Lines),
    /// A question would have to be asked and nobody is there.
    Unanswered(&'static str),
    /// Somebody said no.
    Declined,
}

impl Problem {
    /// An argument that makes no sense.
    pub fn argument(name: &str, message: &str) -> Self {
        Self::Argument { name: name.into(), message: message.into() }
    }
}

impl From<towpath_cluster::Error> for Problem {
    fn from(error: towpath_cluster::Error) -> Self {
        Self::Engine(error.into(), Lines::default())
    }
}

impl From<towpath_engine::Error> for Problem {
    fn from(error: towpath_engine::Error) -> Self {
        Self::Engine(error, Lines::default())
    }
}

/// What is said of a problem.
struct Words {
    exit: Exit,
    reason: String,
    message: String,
    details: Vec<String>,
    hint: Option<String>,
}

/// Says what went wrong and how the process ends.
pub fn problem(problem: &Problem, output: Option<Output>, screen: &mut Screen) -> Exit {
    screen.end();
    let words = words(problem);
    if words.exit == Exit::Interrupted {
        screen.note(&words.message);
        return words.exit;
    }
    for detail in &words.details {
        screen.error(detail);
    }
    screen.error(&words.message);
    if let Some(hint) = &words.hint {
        screen.hint(hint);
    }
    let error = json!({
        "reason": words.reason, "message": words.message, "details": words.details, "hint": words.hint,
    });
    document(&json!({ "error": error }), output, screen);
    words.exit
}

fn words(problem: &Problem) -> Words {
    let bad_input = |reason: &str, message: String, details: Vec<String>, hint: Option<&str>| Words {
        exit: Exit::BadInput,
        reason: reason.into(),
        message,
        details,
        hint: hint.map(Into::into),
    };
    match problem {
        Problem::Argument { name, message } => {
            bad_input("ArgumentInvalid", format!("{name} {message}"), Vec::new(), None)
        }
        Problem::Files(complaints) => {
            let details: Vec<String> = complaints.iter().map(ToString::to_string).collect();
            let hint = complaints.iter().find_map(|complaint| complaint.hint.as_deref());
            let message = format!("{} cannot be read; nothing was sent", count(details.len(), "manifest"));
            bad_input("ManifestsUnreadable", message, details, hint)
        }
        Problem::Unanswered(hint) => {
            bad_input("QuestionUnanswered", "there is no terminal to ask at".into(), Vec::new(), Some(hint))
        }
        Problem::Declined => Words {
            exit: Exit::Interrupted,
            reason: "Declined".into(),
            message: "nothing was changed".into(),
            details: Vec::new(),
            hint: None,
        },
        Problem::Engine(error, lines) => engine_words(error, lines),
    }
}

fn engine_words(error: &towpath_engine::Error, lines: &Lines) -> Words {
    use towpath_engine::Error as E;
    let (exit, details) = match error {
        E::Problems(problems) => (Exit::BadInput, problems.iter().map(ToString::to_string).collect()),
        E::Unplannable(problems) => (Exit::BadInput, problems.iter().map(ToString::to_string).collect()),
        E::Misfits(misfits) => {
            (Exit::BadInput, misfits.iter().map(|misfit| misfit_words(misfit, lines)).collect())
        }
        E::Foreign(objects) => (Exit::BadInput, objects.iter().map(ToString::to_string).collect()),
        E::Refused(failures) => {
            (failures_exit(failures), failures.iter().map(|failure| failure_words(failure, lines)).collect())
        }
        E::NoNamespace { .. } | E::TooManyObjects { .. } | E::NoHook { .. } => (Exit::BadInput, Vec::new()),
        E::Cluster(error) if error.is_closed_door() => (Exit::ClosedDoor, Vec::new()),
        E::Cluster(towpath_cluster::Error::Deadline { .. }) => (Exit::TimedOut, Vec::new()),
        E::Cluster(_) | E::NoApp { .. } | E::Damaged { .. } | E::Busy { .. } => (Exit::Failed, Vec::new()),
    };
    let mut message = error.to_string();
    if exit == Exit::BadInput {
        message.push_str("; nothing was changed");
    }
    Words { exit, reason: error.reason().to_string(), message, details, hint: error.hint() }
}

/// `web.yaml:14: Deployment/web/api: spec.replicas: expected an integer, found the string "three"`.
fn misfit_words(misfit: &Misfit, lines: &Lines) -> String {
    let Misfit { key, origin, violation } = misfit;
    let line = lines.of(origin, &violation.path).unwrap_or(origin.line);
    format!("{}:{line}: {key}: {violation}", origin.file)
}

/// The failure with the file and line of the field it is about, where that can be told.
pub fn failure_words(failure: &ObjectFailure, lines: &Lines) -> String {
    let Some(origin) = &failure.origin else { return failure.to_string() };
    let field = failure.error.status().and_then(|status| {
        status
            .causes
            .iter()
            .map(|cause| cause.field.clone())
            .find(|field| !field.is_empty())
            .or_else(|| named_field(&status.message))
    });
    match field.and_then(|field| lines.of(origin, &field)) {
        Some(line) => format!("{}:{line}: {}", origin.file, failure.error),
        None => failure.to_string(),
    }
}

/// The field in messages such as `…: .spec.replica: field not declared in schema` and
/// `…: unknown field "spec.replica"`.
fn named_field(message: &str) -> Option<String> {
    if let Some((_, rest)) = message.split_once("unknown field \"") {
        return Some(rest.split_once('"')?.0.to_string());
    }
    let start = message.find(": .")? + 3;
    let rest = message.get(start..)?;
    Some(rest.split_once(": ").map_or(rest, |(field, _)| field).to_string())
}

/// How a run ended, by the worst that happened in it.
pub fn outcome_exit(outcome: &Outcome, readiness: &Readiness) -> Exit {
    if !outcome.broken.is_empty() || !readiness.failed.is_empty() {
        return Exit::Failed;
    }
    if !outcome.failures.is_empty() {
        return failures_exit(&outcome.failures);
    }
    if !outcome.leaving.is_empty() || !readiness.pending.is_empty() {
        return Exit::TimedOut;
    }
    Exit::Success
}

/// A closed door or a time-out only if nothing else went wrong.
fn failures_exit(failures: &[ObjectFailure]) -> Exit {
    let all = |test: fn(&towpath_cluster::Error) -> bool| failures.iter().all(|failure| test(&failure.error));
    if all(towpath_cluster::Error::is_closed_door) {
        Exit::ClosedDoor
    } else if all(|error| matches!(error, towpath_cluster::Error::Deadline { .. })) {
        Exit::TimedOut
    } else {
        Exit::Failed
    }
}

/// Failures as data.
pub fn failures_value(outcome: &Outcome, lines: &Lines) -> Vec<Value> {
    let refused = outcome.failures.iter().map(|failure| {
        json!({
            "object": failure.key.to_string(), "reason": failure.error.reason().to_string(),
            "message": failure_words(failure, lines),
        })
    });
    let broken = outcome.broken.iter().map(|one| {
        let reason = if one.hook { "HookFailed" } else { "Unhealthy" };
        json!({
            "object": one.key.to_string(), "reason": reason, "phase": one.phase, "message": one.to_string(),
        })
    });
    refused.chain(broken).collect()
}

/// `1 manifest`, `2 manifests`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_messages_name_their_field() {
        let typed = "failed to create typed patch object (web/api; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema";
        assert_eq!(named_field(typed).as_deref(), Some("spec.replica"));
        assert_eq!(named_field("strict decoding error: unknown field \"spec.x\"").as_deref(), Some("spec.x"));
        assert_eq!(named_field("something else"), None);
    }
}
