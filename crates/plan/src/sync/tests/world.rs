//! A small world in which steps are carried out: it stores objects, lets them become what a script says, remembers
//! every write, and can be stopped between any two of them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};
use towpath_object::{Key, Object};

use super::super::fixture::request;
use super::super::{
    Action, Answer, HOOK_FINALIZER, Mark, Observation, Outcome, Problem, Progress, Request, Schedule, Seen,
    Situation, Step, Stop, Verdict, Wanted, schedule, step,
};

#[derive(Clone)]
struct Thing {
    value: Value,
    verdicts: Vec<Verdict>,
}

/// The world.
#[derive(Clone, Default)]
pub struct World {
    things: BTreeMap<Key, Thing>,
    cache: BTreeMap<Key, Thing>,
    version: u64,
    scripts: BTreeMap<String, Vec<Verdict>>,
    refusals: BTreeMap<(&'static str, String), String>,
    /// The cache follows only when time passes.
    lags: bool,
    /// Objects that take their time to go.
    pub slow: BTreeSet<String>,
    /// Everything that was asked for.
    pub log: Vec<String>,
    /// How often each object was created.
    pub created: BTreeMap<String, usize>,
    /// Stop before (`false`) or after (`true`) the write of that number.
    pub crash: Option<(usize, bool)>,
    pub approved: Option<Timestamp>,
    pub stop: Option<Stop>,
}

/// The world stopped at a write.
pub struct Crash;

impl World {
    /// A world whose cache lags.
    pub fn lagging() -> Self {
        Self { lags: true, ..Self::default() }
    }

    /// What an object of that name becomes as time passes; the last verdict stays.
    pub fn script(&mut self, name: &str, verdicts: &[Verdict]) {
        self.scripts.insert(name.into(), verdicts.to_vec());
    }

    /// The server refuses that verb on that object.
    pub fn refuse(&mut self, verb: &'static str, name: &str, why: &str) {
        self.refusals.insert((verb, name.into()), why.into());
    }

    /// Something is there already.
    pub fn put(&mut self, object: &Object) {
        self.write(object.clone().into_value());
        self.cache.clone_from(&self.things);
        self.created.clear();
    }

    /// Somebody else deletes an object.
    pub fn delete(&mut self, name: &str) {
        let Some(key) = self.things.keys().find(|key| key.name == name).cloned() else { return };
        self.remove(&key);
        self.cache.clone_from(&self.things);
    }

    /// An object becomes this now.
    pub fn becomes(&mut self, name: &str, verdict: Verdict) {
        self.version += 1;
        for (_, thing) in self.things.iter_mut().filter(|(key, _)| key.name == name) {
            thing.verdicts = vec![verdict];
            thing.value["metadata"]["resourceVersion"] = json!(self.version.to_string());
        }
        self.cache.clone_from(&self.things);
    }

    pub fn live(&self) -> Vec<Object> {
        self.things.values().map(|thing| Object::new(thing.value.clone()).unwrap()).collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.things.keys().any(|key| key.name == name)
    }

    fn write(&mut self, mut value: Value) -> Mark {
        let object = Object::new(value.clone()).unwrap();
        self.version += 1;
        let old = self.things.get(&object.key()).map(|thing| thing.value["metadata"].clone());
        if old.is_none() {
            *self.created.entry(object.name().into()).or_default() += 1;
        }
        let metadata = &mut value["metadata"];
        let same = old.as_ref().is_some_and(|old| old["finalizers"] == metadata["finalizers"]);
        let before = old.as_ref().map_or(0, |old| old["generation"].as_i64().unwrap_or(0));
        metadata["uid"] =
            old.as_ref().map_or_else(|| json!(format!("uid-{}", self.version)), |old| old["uid"].clone());
        metadata["resourceVersion"] = json!(self.version.to_string());
        metadata["generation"] = json!(before + i64::from(!same));
        let default = if object.kind() == "ConfigMap" { Verdict::None } else { Verdict::Ready };
        let verdicts = self.scripts.get(object.name()).cloned().unwrap_or_else(|| vec![default]);
        let mark = Mark::new(&Object::new(value.clone()).unwrap());
        self.things.insert(object.key(), Thing { value, verdicts });
        mark
    }

    fn remove(&mut self, key: &Key) {
        let Some(thing) = self.things.get_mut(key) else { return };
        let held = thing.value["metadata"]["finalizers"].as_array().is_some_and(|list| !list.is_empty());
        if held || self.slow.contains(&key.name) {
            thing.value["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        } else {
            self.things.remove(key);
        }
    }

    fn tick(&mut self) {
        let gone: Vec<Key> = self
            .things
            .iter()
            .filter(|(_, thing)| {
                let metadata = &thing.value["metadata"];
                let held = metadata["finalizers"].as_array().is_some_and(|list| !list.is_empty());
                metadata.get("deletionTimestamp").is_some() && !held
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in gone {
            self.things.remove(&key);
        }
        for thing in self.things.values_mut().filter(|thing| thing.verdicts.len() > 1) {
            self.version += 1;
            thing.value["metadata"]["resourceVersion"] = json!(self.version.to_string());
            thing.verdicts.remove(0);
        }
        self.cache.clone_from(&self.things);
    }

    fn view(&self, key: &Key) -> Seen {
        match self.cache.get(key) {
            None => Seen::Unseen,
            Some(thing) => {
                let object = Object::new(thing.value.clone()).unwrap();
                Seen::There(Observation::new(&object, thing.verdicts[0], &format!("{:?}", thing.verdicts[0])))
            }
        }
    }

    fn carry_out(&mut self, schedule: &Schedule, action: &Action) -> Result<Answer, Crash> {
        let verb = match action {
            Action::Check { .. } => "check",
            Action::Apply { .. } => "apply",
            Action::Prune { .. } => "prune",
            Action::ReleaseHook { .. } => "release",
            Action::DeleteHook { .. } => "delete",
            Action::Look { .. } => "look",
        };
        let key = action.task().key.clone();
        let is_write = !matches!(action, Action::Check { .. } | Action::Look { .. });
        let writes = self.log.iter().filter(|line| !line.starts_with(['l', '='])).count();
        let crash = self.crash.filter(|(number, _)| is_write && *number == writes);
        if crash.is_some() {
            self.crash = None;
        }
        if matches!(crash, Some((_, false))) {
            return Err(Crash);
        }
        if verb != "check" {
            self.log.push(format!("{verb} {}", key.name));
        }
        if let Some(why) = self.refusals.get(&(verb, key.name.clone())) {
            return Ok(Answer::Refused(why.clone()));
        }
        let answer = self.act(schedule, action, &key);
        if !self.lags {
            self.cache.clone_from(&self.things);
        }
        if crash.is_some() { Err(Crash) } else { Ok(answer) }
    }

    fn act(&mut self, schedule: &Schedule, action: &Action, key: &Key) -> Answer {
        let there = self.things.contains_key(key);
        match action {
            Action::Check { .. } => Answer::Done,
            Action::Apply { task, .. } => {
                let target = schedule.by_id()[task].target.clone().unwrap();
                Answer::Applied(self.write(target.into_value()))
            }
            Action::Look { .. } if there => Answer::Done,
            Action::Prune { .. } | Action::DeleteHook { .. } if there => {
                self.remove(key);
                Answer::Done
            }
            Action::ReleaseHook { .. } if there => {
                let thing = self.things.get_mut(key).unwrap();
                let metadata = &mut thing.value["metadata"];
                let kept: Vec<Value> =
                    metadata["finalizers"].as_array().into_iter().flatten().cloned().collect();
                metadata["finalizers"] = kept.into_iter().filter(|one| one != HOOK_FINALIZER).collect();
                if metadata.get("deletionTimestamp").is_some() {
                    self.things.remove(key);
                }
                Answer::Done
            }
            _ => Answer::NotFound,
        }
    }
}

/// How an operation came out of a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Ran {
    Done(Outcome),
    Asks(Vec<String>),
    Refused(Vec<Problem>),
    Endless,
}

impl Ran {
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Done(outcome) => outcome,
            other => panic!("it ended otherwise: {other:?}"),
        }
    }
}

/// Steps an operation to its end in a world. Progress is written down and read back at every boundary; after a crash
/// the schedule is made anew from what is live.
pub fn run(world: &mut World, progress: &mut Progress, remake: &dyn Fn(Request<'static>) -> Made) -> Ran {
    let mut made = match remake(request(vec![], world.live())) {
        Ok(made) => made,
        Err(problems) => return Ran::Refused(problems),
    };
    for _ in 0..300 {
        let view = |key: &Key| world.view(key);
        let situation = Situation { view: &view, approved: world.approved, stop: world.stop.clone() };
        let next = step(&made, progress, &situation);
        *progress = stored(progress);
        match next {
            Step::Done(outcome) => return Ran::Done(outcome),
            Step::Confirm(keys) => return Ran::Asks(keys.iter().map(ToString::to_string).collect()),
            Step::Wait(waiting) => {
                let line = format!("= {waiting}");
                if world.log.last() != Some(&line) {
                    world.log.push(line);
                }
                world.tick();
            }
            Step::Act(actions) => {
                let mut answers = Vec::new();
                let crashed = actions.iter().any(|action| match world.carry_out(&made, action) {
                    Ok(answer) => {
                        answers.push((action, answer));
                        false
                    }
                    Err(Crash) => true,
                });
                if crashed {
                    // The answers of this step were never written down.
                    world.cache.clone_from(&world.things);
                    made = remake(request(vec![], world.live())).unwrap();
                    continue;
                }
                for (action, answer) in answers {
                    progress.record(action, answer);
                }
            }
        }
    }
    Ran::Endless
}

pub type Made = Result<Schedule, Vec<Problem>>;

fn stored(progress: &Progress) -> Progress {
    serde_json::from_str(&serde_json::to_string(progress).unwrap()).unwrap()
}

/// Runs a sync of these objects.
pub fn sync(world: &mut World, wanted: &[Wanted], edit: &dyn Fn(&mut Request<'static>)) -> Ran {
    let mut progress = Progress::default();
    sync_on(world, &mut progress, wanted, edit)
}

/// Goes on with a sync of these objects.
pub fn sync_on(
    world: &mut World,
    progress: &mut Progress,
    wanted: &[Wanted],
    edit: &dyn Fn(&mut Request<'static>),
) -> Ran {
    run(world, progress, &|mut request| {
        request.wanted = wanted.to_vec();
        edit(&mut request);
        schedule(request)
    })
}
