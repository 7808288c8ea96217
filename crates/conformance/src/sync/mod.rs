//! Our schedule and steps of a sync against what gitops-engine's own tests expect of it.
//!
//! In: facts that the tests of `pkg/sync` in gitops-engine v0.7.1-0.20250908182407-97ad5b59a627 state, written down
//! as tables: objects, options and recorded results on one side, tasks, waves, calls and phases on the other. Those
//! tests are code and cannot be run from here, so nothing is downloaded. Out: a [`Score`] over four groups. Where we
//! differ on purpose the case says why.

mod annotations;
mod options;
mod order;
mod steps;
mod unit;

use anyhow::Result;

use crate::score::{Score, Verdict};

/// One fact: what it is about, what upstream says, what we say.
struct Fact {
    name: String,
    upstream: String,
    ours: String,
}

fn fact(name: &str, upstream: &str, ours: impl Into<String>) -> Fact {
    Fact { name: name.into(), upstream: upstream.into(), ours: ours.into() }
}

/// Differences by design, by the name of the case.
const DECLARED: &[(&str, &str)] = &[
    ("options/plain", "server-side apply is our default"),
    ("options/force", "server-side apply is our default"),
    ("order/plain object without a name", "a plain object needs a name: server-side apply cannot invent one"),
];

/// Runs everything; it takes milliseconds.
pub fn run() -> Result<Score> {
    let mut score = Score::new("sync");
    let mut lines = Vec::new();
    for (group, facts) in [
        ("annotations", annotations::facts()?),
        ("order", order::facts()?),
        ("options", options::facts()?),
        ("steps", steps::facts()?),
    ] {
        let agreed = facts.iter().filter(|fact| fact.upstream == fact.ours).count();
        lines.push(format!("{group} {agreed}/{}", facts.len()));
        for Fact { name, upstream, ours } in facts {
            let name = format!("{group}/{name}");
            let declared = DECLARED.iter().find(|(known, _)| *known == name);
            let verdict = match declared {
                _ if upstream == ours => Verdict::Agreed,
                Some((_, why)) => Verdict::Declared(why),
                None => Verdict::Missed(format!("  upstream: {upstream}\n  ours:     {ours}")),
            };
            score.add(&name, verdict);
        }
    }
    println!("{}", lines.join("\n"));
    Ok(score)
}
