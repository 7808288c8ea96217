//! A request to its schedule: all tasks of the operation, sorted.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};
use towpath_object::{Gvk, Key, Kinds, Object};

use super::hook::{HOOK_FINALIZER, Role, role, wave};
use super::pair::{Pair, pair};
use super::{
    Hook, ObjectOptions, Phase, Problem, Request, Rules, Schedule, Selection, Task, TaskId, Trouble, Wanted,
    Warning, order, waves,
};
use crate::resolve::excess;
use crate::{Stage, rank};

/// Makes the schedule of a sync, or says everything that keeps it from beginning.
pub fn schedule(request: Request<'_>) -> Result<Schedule, Vec<Problem>> {
    let mut maker = Maker::new(&request);
    let mut tasks = maker.tasks();
    maker.guard_against_emptiness(&tasks);
    for task in &mut tasks {
        maker.judge(task);
    }
    let Maker { problems, warnings, .. } = maker;
    if !problems.is_empty() {
        return Err(problems);
    }
    waves::settle(&mut tasks, &request.options);
    order::sort(&mut tasks, request.rules);
    let Request { rules, options, started, .. } = request;
    Ok(Schedule { rules, options, started, tasks, warnings })
}

/// The kinds that are served, and those that will be once the wanted definitions are there.
struct Known<'a> {
    served: &'a Kinds,
    planned: Kinds,
}

impl<'a> Known<'a> {
    fn new(request: &Request<'a>) -> Self {
        let mut planned = Kinds::default();
        for wanted in &request.wanted {
            let gvk = wanted.object.gvk();
            if gvk.group == "apiextensions.k8s.io" && gvk.kind == "CustomResourceDefinition" {
                planned.add_definition(wanted.object.value());
            }
        }
        Self { served: request.kinds, planned }
    }

    /// Whether a kind is namespaced, if that is known.
    fn scope(&self, gvk: &Gvk) -> Option<bool> {
        let any = |kinds: &Kinds| kinds.versions(&gvk.group, &gvk.kind).first().map(|known| known.namespaced);
        any(self.served).or_else(|| any(&self.planned))
    }
}

pub(super) struct Maker<'a> {
    request: &'a Request<'a>,
    kinds: Known<'a>,
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(request: &'a Request<'a>) -> Self {
        Self { request, kinds: Known::new(request), problems: Vec::new(), warnings: Vec::new() }
    }

    fn tasks(&mut self) -> Vec<Task> {
        let rules = self.request.rules;
        let (mut plain, mut hooks) = (Vec::new(), Vec::new());
        for wanted in self.without_repetition() {
            match role(&wanted.object, rules) {
                Role::Hook(hook) => hooks.push((wanted, hook)),
                Role::Ignored => self.warnings.push(Warning::IgnoredHook(wanted.object.key())),
                Role::Skipped | Role::Plain if wanted.prefix.is_some() => {
                    self.problem(wanted.origin.clone(), wanted.object.key(), Trouble::Unnamed);
                }
                // What is skipped is paired too, so that its live object is not taken for a superfluous one.
                Role::Skipped | Role::Plain => plain.push(wanted),
            }
        }
        let namespace = self.namespace(&plain, &hooks);
        let phases = [Phase::PreSync, Phase::Sync, Phase::PostSync, Phase::SyncFail];
        let hooks = self.hook_tasks(hooks, &phases);
        // The live object of a hook that runs is no superfluous one.
        let own: BTreeSet<&Key> = hooks.iter().map(|task| &task.id.key).collect();
        let live = self.request.live.iter().filter(|live| !own.contains(&live.key())).cloned().collect();
        let pairs = pair(plain, live, &self.request.namespace, |gvk| self.kinds.scope(gvk));
        let mut tasks: Vec<Task> = Vec::with_capacity(pairs.len() + hooks.len());
        tasks.extend(pairs.into_iter().filter_map(|pair| self.plain_task(pair)));
        tasks.extend(hooks);
        tasks.extend(namespace);
        tasks
    }

    /// The wanted objects, one of each. Where one is wanted twice Argo CD takes the last.
    pub(super) fn without_repetition(&mut self) -> Vec<Wanted> {
        let mut last: BTreeMap<(Key, Option<usize>), Wanted> = BTreeMap::new();
        for (index, wanted) in self.request.wanted.iter().enumerate() {
            let mut wanted = wanted.clone();
            let namespaced = self.kinds.scope(&wanted.object.gvk());
            settle_namespace(&mut wanted.object, namespaced, &self.request.namespace);
            let key = wanted.object.key();
            // Unnamed ones are given different names, by their order.
            let unnamed = wanted.prefix.is_some().then_some(index);
            let origin = wanted.origin.clone();
            if let Some(first) = last.insert((key.clone(), unnamed), wanted) {
                if self.request.rules == Rules::Argo {
                    self.warnings.push(Warning::Repeated(key));
                } else {
                    self.problem(origin, key, Trouble::Repeated { first: first.origin });
                }
            }
        }
        last.into_values().collect()
    }

    fn plain_task(&mut self, pair: Pair) -> Option<Task> {
        let rules = self.request.rules;
        let object = pair.wanted.as_ref().map(|wanted| &wanted.object).or(pair.live.as_ref())?;
        let hook_to_prune = pair.wanted.is_none() && self.request.caller.prunes_hooks();
        let takes_part = match role(object, rules) {
            Role::Plain => true,
            Role::Hook(_) => hook_to_prune,
            Role::Skipped | Role::Ignored => false,
        };
        if !self.request.selection.has(&object.key()) || !takes_part {
            return None;
        }
        if pair.wanted.is_none() && pair.live.as_ref().is_some_and(|live| self.is_not_to_be_pruned(live)) {
            return None;
        }
        let (target, origin) = match pair.wanted {
            Some(wanted) => (Some(wanted.object), wanted.origin),
            None => (None, None),
        };
        let mut task = self.task(Phase::Sync, target, pair.live);
        task.origin = origin;
        task.unchanged = self.request.options.out_of_sync_only
            && task.target.is_some()
            && task.live.is_some()
            && self.request.caller.modified(&task.id.key) == Some(false);
        Some(task)
    }

    /// The unit's own namespace comes along for its metadata only, what belongs to another unit is its, and what is
    /// of a kind that the server no longer has went with it.
    fn is_not_to_be_pruned(&self, live: &Object) -> bool {
        let gvk = live.gvk();
        is_namespace(live, &self.request.namespace)
            || self.request.caller.other_owner(live).is_some()
            || (self.kinds.served.versions(&gvk.group, &gvk.kind).is_empty()
                && !self.request.unreadable.contains_key(&gvk.group))
    }

    pub(super) fn hook_tasks(&self, hooks: Vec<(Wanted, Hook)>, phases: &[Phase]) -> Vec<Task> {
        let request = self.request;
        if request.options.skip_hooks {
            return Vec::new();
        }
        let live: BTreeMap<Key, &Object> = request.live.iter().map(|object| (object.key(), object)).collect();
        let mut tasks = Vec::new();
        for (mut wanted, hook) in hooks {
            if wanted.object.namespace().is_empty() && self.kinds.scope(&wanted.object.gvk()).is_none() {
                wanted.object.set_namespace(&request.namespace);
            }
            if !request.selection.has_hook(&wanted.object.key()) {
                continue;
            }
            for phase in hook.phases.iter().copied().filter(|phase| phases.contains(phase)) {
                let target = hook_object(&wanted, phase, &request.revision, request.started);
                let found = live.get(&target.key()).map(|object| (*object).clone());
                let mut task = self.task(phase, Some(target), found);
                task.hook = Some(hook.delete.clone());
                task.origin.clone_from(&wanted.origin);
                tasks.push(task);
            }
        }
        tasks
    }

    /// The task that creates the unit's namespace, unless somebody wants that namespace by itself.
    fn namespace(&mut self, plain: &[Wanted], hooks: &[(Wanted, Hook)]) -> Option<Task> {
        let request = self.request;
        let name = &request.namespace;
        let mut wanted = plain.iter().chain(hooks.iter().map(|(wanted, _)| wanted));
        if !request.options.create_namespace
            || name.is_empty()
            || request.selection != Selection::All
            || wanted.any(|one| is_namespace(&one.object, name))
        {
            return None;
        }
        let live = request.live.iter().find(|object| is_namespace(object, name));
        let metadata = request.namespace_metadata.as_ref();
        if live.is_some() && metadata.is_none() {
            return None;
        }
        let mut value = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        if let (Some(metadata), Some(fields)) =
            (metadata, value.get_mut("metadata").and_then(Value::as_object_mut))
        {
            fields.insert("labels".into(), json!(metadata.labels));
            fields.insert("annotations".into(), json!(metadata.annotations));
        }
        let target = Object::new(value).expect("it has a kind and a name");
        let mut task = self.task(Phase::PreSync, Some(target), live.cloned());
        // The labels of others stay, whatever the unit's options say.
        task.wanted.server_side = Some(true);
        Some(task)
    }

    pub(super) fn task(&self, phase: Phase, target: Option<Object>, live: Option<Object>) -> Task {
        let rules = self.request.rules;
        let object = target.as_ref().or(live.as_ref()).expect("a task has at least one side");
        let read = |object: &Option<Object>| {
            object.as_ref().map(|object| ObjectOptions::read(object, rules)).unwrap_or_default()
        };
        Task {
            id: TaskId { key: object.key(), phase },
            wave: wave(object, rules),
            stage: stage(object, target.is_none(), rules),
            wanted: read(&target),
            found: read(&live),
            target,
            live,
            origin: None,
            resource: None,
            hook: None,
            skip_check: false,
            unchanged: false,
            creates_namespace: false,
        }
    }

    /// Finds how the server serves a task's kind, and asks whether the task is allowed.
    pub(super) fn judge(&mut self, task: &mut Task) {
        let Some(object) = task.target.as_ref().or(task.live.as_ref()) else { return };
        task.creates_namespace =
            task.live.is_none() && !task.is_hook() && is_namespace(object, &self.request.namespace);
        let gvk = object.gvk();
        let exact = self.kinds.served.get(&gvk);
        let any = || self.kinds.served.versions(&gvk.group, &gvk.kind).first().filter(|_| task.is_prune());
        let served = exact.or_else(any);
        task.resource = served.or_else(|| self.kinds.planned.get(&gvk)).cloned();
        task.skip_check = served.is_none();
        let (origin, key) = (task.origin.clone(), task.id.key.clone());
        let may_be_missing =
            self.request.options.skip_check_of_missing_kinds || task.wanted.skip_check_of_missing_kind;
        if task.resource.is_none() {
            let trouble = match self.request.unreadable.get(&gvk.group) {
                Some(reason) => Some(Trouble::Undiscovered { group: gvk.group, reason: reason.clone() }),
                None if may_be_missing => None,
                None => Some(Trouble::UnknownKind { api_version: gvk.api_version(), kind: gvk.kind }),
            };
            if let Some(trouble) = trouble {
                return self.problem(origin, key, trouble);
            }
        }
        if let Some((what, size, limit)) = task.target.as_ref().and_then(excess) {
            self.problem(origin.clone(), key.clone(), Trouble::TooLarge { what, size, limit });
        }
        if let Err(reason) = self.request.caller.permit(object, task.resource.as_ref()) {
            self.problem(origin.clone(), key.clone(), Trouble::NotPermitted { reason });
        }
        let owner = task.live.as_ref().and_then(|live| self.request.caller.other_owner(live));
        match owner {
            Some(owner) if self.request.options.fail_on_shared => {
                self.problem(origin, key, Trouble::Shared { owner });
            }
            Some(owner) => self.warnings.push(Warning::Shared(key, owner)),
            None => {}
        }
    }

    /// A unit that suddenly wants nothing is more likely a mistake than a wish.
    fn guard_against_emptiness(&mut self, tasks: &[Task]) {
        let options = &self.request.options;
        let count = tasks.iter().filter(|task| task.is_prune()).count();
        let wanted = self
            .request
            .wanted
            .iter()
            .any(|one| matches!(role(&one.object, self.request.rules), Role::Plain | Role::Skipped));
        if options.prune && !options.allow_empty && count > 0 && !wanted {
            self.problems.push(Problem { origin: None, key: None, trouble: Trouble::WouldEmpty { count } });
        }
    }

    fn problem(&mut self, origin: Option<crate::Origin>, key: Key, trouble: Trouble) {
        self.problems.push(Problem { origin, key: Some(key), trouble });
    }
}

/// Cluster-scoped kinds have no namespace, others have the unit's by default. Where the scope is not known, pairing
/// decides.
fn settle_namespace(object: &mut Object, namespaced: Option<bool>, default: &str) {
    if namespaced == Some(false) {
        object.set_namespace("");
    } else if object.namespace().is_empty() && namespaced == Some(true) {
        object.set_namespace(default);
    }
}

/// The hook as it is created in a phase: with a finalizer that holds it until its result is known, and with a name
/// that is the same at every step of the operation and another in the next.
fn hook_object(wanted: &Wanted, phase: Phase, revision: &str, started: Timestamp) -> Object {
    let mut value = wanted.object.clone().into_value();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        if let Some(prefix) = &wanted.prefix {
            let short: String =
                if revision.len() >= 8 { revision.chars().take(7).collect() } else { revision.into() };
            let suffix = format!("{short}-{phase}-{}", started.as_second()).to_lowercase();
            metadata.insert("name".into(), format!("{prefix}{suffix}").into());
        }
        let finalizers = metadata.entry("finalizers").or_insert(Value::Null);
        if !finalizers.is_array() {
            *finalizers = json!([]);
        }
        if let Some(list) = finalizers.as_array_mut()
            && !list.iter().any(|one| one == HOOK_FINALIZER)
        {
            list.push(HOOK_FINALIZER.into());
        }
    }
    Object::new(value).expect("it was an object, and has a name now")
}

fn stage(object: &Object, prune: bool, rules: Rules) -> u8 {
    if rules == Rules::Argo {
        return 0;
    }
    let gvk = object.gvk();
    let place = match rank(&gvk.group, &gvk.kind).0 {
        Stage::Definitions => 0,
        Stage::Settings => 1,
        Stage::Workloads => 2,
        Stage::Admission => 3,
    };
    // Deletions come after everything that is applied, the other way round.
    if prune { 7 - place } else { place }
}

pub(super) fn is_namespace(object: &Object, name: &str) -> bool {
    object.kind() == "Namespace" && object.gvk().group.is_empty() && object.name() == name
}
