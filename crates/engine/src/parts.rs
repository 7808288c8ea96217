//! The wanted objects of a run by the part they play in it.

use std::collections::BTreeSet;

use serde_json::Value;
use towpath_object::Key;
use towpath_plan::Target;
use towpath_plan::sync::{DeletePolicy, Phase, Problem, Role, Trouble, Warning, role};

use crate::record::revision;
use crate::{Error, HookName, Options, Pick};

/// The wanted objects of a run.
#[derive(Debug)]
pub(crate) struct Parts {
    /// What is applied.
    pub(crate) plain: Vec<Target>,
    /// What is run if there is anything to do.
    pub(crate) hooks: Vec<Target>,
    /// All that is wanted, also what is no part of this run: not picked, skipped, or of no phase of a deployment.
    pub(crate) wanted: BTreeSet<Key>,
    /// Which manifests these are.
    pub(crate) revision: String,
    /// What people should know.
    pub(crate) warnings: Vec<String>,
}

impl Parts {
    /// Sorts targets out, or says what is wrong with them.
    pub(crate) fn new(targets: Vec<Target>, options: &Options) -> Result<Self, Error> {
        let part = match &options.pick {
            Pick::Hooks(names) => names.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            _ => String::new(),
        };
        let mut parts = Self {
            revision: revision(targets.iter(), &part),
            wanted: targets.iter().map(Target::key).collect(),
            plain: Vec::with_capacity(targets.len()),
            hooks: Vec::new(),
            warnings: Vec::new(),
        };
        let mut problems = Vec::new();
        for target in targets {
            let key = target.key();
            match role(&target.object, options.rules) {
                Role::Plain | Role::Skipped if is_unnamed(&target) => problems.push(Problem {
                    origin: Some(target.origin),
                    key: Some(key),
                    trouble: Trouble::Unnamed,
                }),
                Role::Plain if options.picks(&target.object) => parts.plain.push(target),
                Role::Hook(hook)
                    if hook.phases.iter().any(|phase| *phase < Phase::PreDelete)
                        && picks_hook(&options.pick, &key) =>
                {
                    parts.hooks.push(target);
                }
                Role::Ignored => parts.warnings.push(Warning::IgnoredHook(key).to_string()),
                Role::Plain | Role::Skipped | Role::Hook(_) => {}
            }
        }
        if !problems.is_empty() {
            return Err(Error::Unplannable(problems));
        }
        parts.refuse_unknown_hooks(&options.pick)?;
        Ok(parts)
    }

    /// Hooks that have a name already, so that one of that name may be there.
    pub(crate) fn named_hooks(&self) -> impl Iterator<Item = &Target> {
        self.hooks.iter().filter(|hook| !is_unnamed(hook))
    }

    /// The hook of which an object is an earlier run under another name, and whether that goes when it runs again.
    pub(crate) fn earlier_run(&self, key: &Key, options: &Options) -> Option<bool> {
        let hook = self.hooks.iter().filter(|hook| is_unnamed(hook)).find(|hook| {
            let prefix = hook.key();
            let place = |key: &Key| (key.group.clone(), key.kind.clone(), key.namespace.clone());
            place(&prefix) == place(key) && key.name.starts_with(&prefix.name)
        })?;
        let Role::Hook(hook) = role(&hook.object, options.rules) else { return None };
        Some(hook.delete.contains(&DeletePolicy::BeforeHookCreation))
    }

    fn refuse_unknown_hooks(&self, pick: &Pick) -> Result<(), Error> {
        let Pick::Hooks(names) = pick else { return Ok(()) };
        let known: Vec<Key> = self.hooks.iter().map(Target::key).collect();
        let unknown = names.iter().find(|name| !known.iter().any(|key| name.is(key)));
        match unknown {
            Some(name) => Err(Error::NoHook { name: name.to_string() }),
            None => Ok(()),
        }
    }
}

fn picks_hook(pick: &Pick, key: &Key) -> bool {
    match pick {
        Pick::All => true,
        Pick::NoHooks | Pick::Part { .. } => false,
        Pick::Hooks(names) => names.iter().any(|name: &HookName| name.is(key)),
    }
}

/// True when a name has yet to be given.
fn is_unnamed(target: &Target) -> bool {
    let prefix = target.object.value().pointer("/metadata/generateName").and_then(Value::as_str);
    prefix == Some(target.object.name())
}
