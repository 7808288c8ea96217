//! How an object is written, by its options.

use anyhow::Result;
use towpath_plan::sync::{Action, How, Method, Progress, Recreate, Rules, Seen, Situation, Step, step};

use super::unit::Unit;
use super::{Fact, fact};

/// The object, the unit's options, what upstream calls. `force` and `server-side` are what it passes along.
const WRITTEN: &[(&str, &str, &str)] = &[
    ("plain", "both: Pod a", "apply"),
    ("server-side", "both: Pod a options=ServerSideApply=true", "apply server-side"),
    ("not server-side", "both: Pod a options=ServerSideApply=false", "apply"),
    ("replace", "both: Pod a options=Replace=true", "replace"),
    ("replace and server-side", "both: Pod a options=Replace=true,ServerSideApply=true", "replace"),
    ("replace a namespace", "both: Namespace a options=Replace=true,ServerSideApply=true", "update"),
    ("replace what is not there", "target: Pod a options=Replace=true", "create"),
    ("force", "both: Pod a options=Force=true", "apply force"),
    ("force and replace", "both: Pod a options=Force=true,Replace=true", "replace force"),
];

pub fn facts() -> Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for (name, line, expected) in WRITTEN {
        let unit = Unit::new(&[line])?;
        let exists = !unit.live.is_empty();
        facts.push(fact(
            name,
            expected,
            how(&unit, exists).map_or_else(|problem| problem, |how| call(&unit, how)),
        ));
    }
    for (name, value, expected) in [
        ("absent", "Other=true", "true"),
        ("true", "Validate=true", "true"),
        ("false", "Validate=false", "false"),
    ] {
        let unit = Unit::new(&[&format!("both: Pod a options={value}")])?;
        let ours = how(&unit, true).map_or_else(|problem| problem, |how| how.validate.to_string());
        facts.push(fact(&format!("validate on object, {name}"), expected, ours));
    }
    let mut unit = Unit::new(&["both: Pod a"])?;
    unit.options.validate = false;
    let ours = how(&unit, true).map_or_else(|problem| problem, |how| how.validate.to_string());
    facts.push(fact("validate off for the unit", "false", ours));
    let unit = Unit::new(&["live: Pod a"])?;
    facts.push(fact("deletions are in the foreground", "Foreground", propagation(&unit)));
    Ok(facts)
}

fn how(unit: &Unit, exists: bool) -> Result<How, String> {
    let made = unit.schedule()?;
    let task = made.tasks.first().ok_or("no task")?;
    Ok(How::new(task, &made.options, exists, Rules::Argo))
}

fn call(unit: &Unit, how: How) -> String {
    let namespace = unit.wanted.first().is_some_and(|wanted| wanted.object.kind() == "Namespace");
    let verb = match how.method {
        Method::ServerSide => "apply server-side",
        Method::ClientSide => "apply",
        Method::Replace if namespace => "update",
        Method::Replace => "replace",
        Method::Create => "create",
    };
    if how.recreate == Recreate::Never { verb.into() } else { format!("{verb} force") }
}

fn propagation(unit: &Unit) -> String {
    let made = match unit.schedule() {
        Ok(made) => made,
        Err(problem) => return problem,
    };
    let situation = Situation { view: &|_| Seen::Unseen, approved: None, stop: None };
    match step(&made, &mut Progress::default(), &situation) {
        Step::Act(actions) => match actions.first() {
            Some(Action::Prune { propagation, .. }) => format!("{propagation:?}"),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}
