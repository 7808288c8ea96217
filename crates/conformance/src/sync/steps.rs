//! What is done next, given what is recorded and seen.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::json;
use towpath_object::Key;
use towpath_plan::sync::{
    Action, Answer, End, Mark, Observation, Progress, Seen, Situation, Step, Verdict, step,
};

use super::unit::{Compared, NAMESPACE, Unit};
use super::{Fact, fact};

const HELD: &str = "finalizer=argocd.argoproj.io/hook-finalizer";

pub fn facts() -> Result<Vec<Fact>> {
    let mut facts = Vec::new();
    facts.extend(whole_runs()?);
    facts.extend(hooks_in_progress()?);
    Ok(facts)
}

/// Units run to their end: everything that is applied is healthy, what is deleted is gone.
fn whole_runs() -> Result<Vec<Fact>> {
    let run =
        |lines: &[&str], refused: &[&str]| -> Result<String> { Run::new(lines)?.refusing(refused).run_out() };
    let mut facts = vec![
        fact(
            "apply in order",
            "apply my-service; apply my-pod; Succeeded",
            run(&["target: Pod my-pod", "target: Service my-service"], &[])?,
        ),
        fact(
            "prune",
            "prune my-pod; apply my-service; Succeeded",
            run(&["target: Service my-service", "live: Pod my-pod"], &[])?,
        ),
        fact(
            "prune everything",
            "prune my-pod, my-service; Succeeded",
            sorted_calls(&run(&["live: Service my-service", "live: Pod my-pod"], &[])?),
        ),
        fact(
            "refused",
            "apply my-service; Failed",
            run(&["target: Service my-service"], &["apply my-service"])?,
        ),
        fact("refused deletion", "prune my-pod; Failed", run(&["live: Pod my-pod"], &["prune my-pod"])?),
        fact("kept", "Succeeded", run(&["live: Pod my-pod options=Prune=false"], &[])?),
        fact(
            "a failure hook without a failure",
            "apply my-pod; Succeeded",
            run(&["target: Pod my-pod", "target: Job fail hook=SyncFail"], &[])?,
        ),
        fact(
            "a failure hook after a failure",
            "apply my-pod; apply fail; release fail; Failed",
            run(&["target: Pod my-pod", "target: Job fail hook=SyncFail"], &["apply my-pod"])?,
        ),
        fact(
            "other failure hooks run though one is refused",
            "apply my-pod; apply failed, successful; release successful; Failed",
            sorted_calls(&run(
                &[
                    "target: Pod my-pod",
                    "target: Job successful hook=SyncFail",
                    "target: Job failed hook=SyncFail",
                ],
                &["apply my-pod", "apply failed"],
            )?),
        ),
        fact(
            "deletions wave by wave",
            "prune pod-3; prune pod-2; prune pod-1; Succeeded",
            run(&["live: Pod pod-1 wave=1", "live: Pod pod-2 wave=2", "live: Pod pod-3 wave=3"], &[])?,
        ),
        fact(
            "an old hook is deleted first",
            "release my-pod; delete my-pod; apply my-pod; release my-pod; Succeeded",
            run(&[&format!("both: Pod my-pod hook=Sync policy=BeforeHookCreation {HELD}")], &[])?,
        ),
    ];
    let mut no_hooks = Run::new(&[
        "target: Pod do-not-create-me hook=PreSync",
        "live: Service do-not-prune-me hook=PreSync",
    ])?;
    no_hooks.unit.options.skip_hooks = true;
    facts.push(fact("the strategy apply runs no hooks", "Succeeded", no_hooks.run_out()?));
    let mut waves =
        Run::new(&["target: Pod pod-1 wave=2", "live: Pod pod-2 wave=3", "both: Pod pod-3 wave=1"])?;
    waves.unit.options.out_of_sync_only = true;
    waves.unit.caller = Box::new(Compared(vec![("pod-1", true), ("pod-2", true), ("pod-3", false)]));
    facts.push(fact(
        "only what is out of sync, in waves",
        "apply pod-1; prune pod-2; Succeeded",
        waves.run_out()?,
    ));
    let mut namespace = Run::new(&["target: Pod my-pod"])?.refusing(&["check my-pod"]);
    namespace.unit.options.create_namespace = true;
    facts.push(fact(
        "the namespace is created before the checks",
        &format!("apply {NAMESPACE}; Failed"),
        namespace.run_out()?,
    ));
    Ok(facts)
}

/// Hooks with recorded results.
fn hooks_in_progress() -> Result<Vec<Fact>> {
    let two = |phase: &str, policy: &str| {
        ["hook-1", "hook-2"].map(|name| format!("both: Pod {name} hook={phase} policy={policy} {HELD}"))
    };
    let states = |phase: &str, policy: &str, first: &str, second: &str| -> Result<Run> {
        let lines = two(phase, policy);
        let mut run = Run::new(&lines.each_ref().map(String::as_str))?;
        run.recorded(phase, &[("hook-1", first), ("hook-2", second)])?;
        Ok(run)
    };
    let mut running = states("PreSync", "HookSucceeded", "Succeeded", "Running")?;
    running.health.insert("hook-2", Verdict::Progressing);
    let ended = |mut run: Run| run.run_out().map(|text| sorted_calls(&text));
    let mut existing = Run::new(&[
        &format!("both: Pod hook-1 hook=PreSync policy=BeforeHookCreation {HELD}"),
        &format!("both: Pod hook-2 hook=PreSync policy=HookFailed {HELD}"),
        &format!("both: Pod hook-3 hook=PreSync policy=HookSucceeded {HELD}"),
    ])?;
    Ok(vec![
        fact(
            "nothing is deleted while a hook runs",
            "waiting for completion of hook hook-2",
            running.next()?,
        ),
        fact(
            "after a success",
            "release hook-1, hook-2; delete hook-1, hook-2; Succeeded",
            ended(states("PreSync", "HookSucceeded", "Succeeded", "Succeeded")?)?,
        ),
        fact(
            "after a failure",
            "release hook-1, hook-2; delete hook-1, hook-2; Failed",
            ended(states("Sync", "HookFailed", "Succeeded", "Failed")?)?,
        ),
        fact(
            "existing hooks are let go, and deleted by policy",
            "release hook-1, hook-2, hook-3; delete hook-1",
            {
                let (_checks, first, second) = (existing.next()?, existing.next()?, existing.next()?);
                format!("{first}; {second}")
            },
        ),
    ])
}

/// Calls of one step in the order of their names.
fn sorted_calls(text: &str) -> String {
    let sort = |step: &str| {
        let Some((verb, names)) = step.split_once(' ') else { return step.to_string() };
        let mut names: Vec<&str> = names.split(", ").collect();
        names.sort_unstable();
        format!("{verb} {}", names.join(", "))
    };
    text.split("; ").map(sort).collect::<Vec<_>>().join("; ")
}

#[derive(Clone, Copy)]
struct There {
    version: i64,
    held: bool,
}

struct Run {
    unit: Unit,
    progress: Progress,
    health: BTreeMap<&'static str, Verdict>,
    refused: Vec<String>,
    there: BTreeMap<Key, There>,
    version: i64,
}

impl Run {
    fn new(lines: &[&str]) -> Result<Self> {
        let unit = Unit::new(lines)?;
        let held = |object: &towpath_object::Object| object.value().pointer("/metadata/finalizers").is_some();
        let there = |object| There { version: 1, held: held(object) };
        let there = unit.live.iter().map(|object| (object.key(), there(object))).collect();
        Ok(Self {
            unit,
            progress: Progress::default(),
            health: BTreeMap::new(),
            refused: Vec::new(),
            there,
            version: 1,
        })
    }

    fn refusing(mut self, calls: &[&str]) -> Self {
        self.refused = calls.iter().map(ToString::to_string).collect();
        self
    }

    /// Takes up an operation of which these Pods are recorded.
    fn recorded(&mut self, phase: &str, states: &[(&str, &str)]) -> Result<()> {
        let results: Vec<_> = states
            .iter()
            .enumerate()
            .map(|(order, (name, state))| {
                let key = json!({"group": "", "kind": "Pod", "namespace": NAMESPACE, "name": name});
                json!({"task": {"key": key, "phase": phase}, "state": state, "order": order})
            })
            .collect();
        self.progress = serde_json::from_value(json!({"results": results, "checked": true}))?;
        Ok(())
    }

    fn run_out(&mut self) -> Result<String> {
        let mut told: Vec<String> = Vec::new();
        while told.last().is_none_or(|last| !["Succeeded", "Failed", "Error"].contains(&last.as_str())) {
            let next = self.next()?;
            if told.len() > 50 {
                break;
            }
            if !next.is_empty() {
                told.push(next);
            }
        }
        Ok(told.join("; "))
    }

    /// One step, as words; its actions are carried out.
    fn next(&mut self) -> Result<String> {
        let made = self.unit.schedule().map_err(anyhow::Error::msg)?;
        let view = |key: &Key| match self.there.get(key) {
            None => Seen::Unseen,
            Some(There { version, held }) => Seen::There(Observation {
                verdict: self.health.get(key.name.as_str()).copied().unwrap_or(Verdict::None),
                message: String::new(),
                uid: version.to_string(),
                resource_version: version.to_string(),
                generation: *version,
                observed_generation: None,
                terminating: false,
                held: *held,
            }),
        };
        let situation = Situation { view: &view, approved: None, stop: None };
        match step(&made, &mut self.progress, &situation) {
            Step::Act(actions) => Ok(self.act(&made, &actions)),
            Step::Wait(waiting) => {
                let reason = waiting.to_string();
                let first = waiting.tasks.first().context("something")?;
                Ok(reason.replace(&first.key.to_string(), &first.key.name))
            }
            Step::Confirm(keys) => Ok(format!("confirm {keys:?}")),
            Step::Done(outcome) => Ok(match outcome.end {
                End::Succeeded => "Succeeded".into(),
                End::Failed => "Failed".into(),
                End::Error | End::Superseded => "Error".into(),
            }),
        }
    }

    fn act(&mut self, made: &towpath_plan::sync::Schedule, actions: &[Action]) -> String {
        let (mut verb, mut names) = ("", Vec::new());
        for action in actions {
            let key = action.task().key.clone();
            let hook = made.by_id().get(action.task()).is_some_and(|task| task.is_hook());
            verb = match action {
                Action::Check { .. } => "check",
                Action::Apply { .. } => "apply",
                Action::Prune { .. } => "prune",
                Action::ReleaseHook { .. } => "release",
                Action::DeleteHook { .. } => "delete",
                Action::Look { .. } => "look",
            };
            let call = format!("{verb} {}", key.name);
            let answer = if self.refused.contains(&call) {
                Answer::Refused("no".into())
            } else {
                match verb {
                    "apply" => {
                        self.version += 1;
                        self.there.insert(key.clone(), There { version: self.version, held: hook });
                    }
                    "prune" | "delete" => {
                        self.there.remove(&key);
                    }
                    "release" => {
                        if let Some(there) = self.there.get_mut(&key) {
                            there.held = false;
                        }
                    }
                    _ => {}
                }
                let version = self.version.to_string();
                let mark = Mark { uid: version.clone(), resource_version: version, generation: self.version };
                if verb == "apply" { Answer::Applied(mark) } else { Answer::Done }
            };
            self.progress.record(action, answer);
            names.push(key.name);
        }
        if verb == "check" { String::new() } else { format!("{verb} {}", names.join(", ")) }
    }
}
