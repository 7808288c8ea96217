//! Asking the server about objects of which nothing proves that they are as wanted: once for each state of them, side by
//! side, and what it says of one is that one's alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt as _};
use futures::{StreamExt as _, stream};
use serde_json::json;
use tokio::time::Instant;
use towpath_cluster::cache::{Managed, Row};
use towpath_merge::explain::is_person;
use towpath_object::{Digest, Key, Object, digest, strip};
use towpath_plan::sync::{CompareOptions, SyncOptions};
use towpath_plan::{Applied, LAST_APPLIED, Target};

use crate::compare::{Comparison, Standing, is_exact};
use crate::engine::Engine;
use crate::exact::{Exact, Trouble};
use crate::member::Member;
use crate::overrides::Custom;
use crate::schemas::definition;
use crate::source::Rendered;
use crate::unit::Unit;

/// What the server has said of an object.
#[derive(Clone)]
pub(crate) struct Asked {
    /// Of this state of it.
    live: Digest,
    /// Of this manifest.
    manifest: Digest,
    /// By these rules.
    custom: Arc<Custom>,
    /// That it is so.
    opinion: Standing,
    /// What differs or was refused may be otherwise later, by other policies and definitions; so may everything where
    /// exactness is asked for.
    until: Option<Instant>,
}

impl Asked {
    /// Whether asking again may bring another answer.
    pub(crate) fn is_passing(&self) -> bool {
        self.until.is_some()
    }
}

/// A unit's objects, for asking.
struct Asking<'a> {
    unit: &'a Unit,
    member: &'a Member,
    custom: &'a Arc<Custom>,
    options: &'a SyncOptions,
}

impl Engine {
    /// Asks about every object in doubt.
    pub(crate) async fn ask(
        &self,
        unit: &Unit,
        rendered: &Rendered,
        member: &Member,
        custom: &Arc<Custom>,
        comparison: &mut Comparison,
    ) {
        if !comparison.standing.values().any(|standing| *standing == Standing::Doubtful) {
            return;
        }
        // What an operation is about to apply is in doubt until it has, and nobody has to be asked about that.
        let awaited: BTreeSet<Key> = self.shared.remember(&unit.id, |memory| {
            let awaited = memory.records.iter().filter(|(_, applied)| **applied == Applied::NotYet);
            awaited.filter(|_| memory.running.is_some()).map(|(key, _)| key.clone()).collect()
        });
        let manifests = self.manifests(unit, rendered, member);
        let doubtful = manifests.targets.iter().filter_map(|target| {
            let key = target.key();
            if awaited.contains(&key) {
                return None;
            }
            let row = member.cache.get(&key).filter(|row| !row.leaving)?;
            (comparison.standing.get(&key) == Some(&Standing::Doubtful)).then_some((target, row))
        });
        let asking = Asking { unit, member, custom, options: &unit.policy.options };
        let opinions = doubtful.map(|(target, row)| self.opinion(&asking, target, row).boxed());
        let opinions: Vec<BoxFuture<'_, _>> = opinions.collect();
        let mut opinions = stream::iter(opinions).buffer_unordered(self.shared.settings().concurrency);
        while let Some((target, opinion, passing)) = opinions.next().await {
            comparison.again |= passing;
            comparison.standing.insert(target.key(), opinion);
        }
        comparison.tell_unknown();
    }

    /// What the server says of one object, and whether asking again soon may help.
    async fn opinion<'t>(
        &self,
        asking: &Asking<'_>,
        target: &'t Target,
        row: Row,
    ) -> (&'t Target, Standing, bool) {
        let Some(managed) = row.managed.as_ref() else { return (target, Standing::Doubtful, false) };
        let live = managed.object();
        let state = state(&live, managed, definition(&asking.member.cache, &target.resource).as_ref());
        let id = &asking.unit.id;
        let known = self.shared.remember(id, |memory| memory.asked.get(&row.key).cloned());
        let holds = |asked: &Asked| {
            asked.live == state
                && asked.manifest == target.digest
                && Arc::ptr_eq(&asked.custom, asking.custom)
                && asked.until.is_none_or(|until| Instant::now() < until)
        };
        if let Some(asked) = known.filter(holds) {
            return (target, asked.opinion, false);
        }
        let later = Some(Instant::now() + self.shared.settings().recompare);
        let (opinion, until) = match self.ask_server(asking, target, &live, managed).await {
            Ok(true) => (Standing::Same, later.filter(|_| is_exact(asking.unit, target))),
            Ok(false) => (Standing::Differs, later),
            Err(trouble) if trouble.is_passing() => {
                return (target, Standing::Unknown(trouble.to_string()), true);
            }
            Err(trouble) => (Standing::Unknown(trouble.to_string()), later),
        };
        let custom = asking.custom.clone();
        let asked = Asked { live: state, manifest: target.digest, custom, opinion: opinion.clone(), until };
        self.shared.remember(id, |memory| memory.asked.insert(row.key, asked));
        (target, opinion, false)
    }

    /// Would an apply change nothing?
    async fn ask_server(
        &self,
        asking: &Asking<'_>,
        target: &Target,
        live: &Object,
        managed: &Managed,
    ) -> Result<bool, Trouble> {
        let settings = self.shared.settings();
        let exact =
            exact(asking.unit, asking.options, target, asking.member, asking.custom, &settings.manager);
        if !needs_managers(&exact, target, live, managed) {
            let same = !exact.explain(target, live.value()).await?.is_modified();
            // A watch shows a custom resource by the definition of when it was opened: without fields that are new.
            if same || definition(&asking.member.cache, &target.resource).is_none() {
                return Ok(same);
            }
        }
        match asking.member.cluster.get(&target.resource, live.namespace(), live.name()).await? {
            Some(full) => Ok(!exact.explain(target, &full).await?.is_modified()),
            None => Ok(false),
        }
    }
}

/// How a unit's object is judged: as the unit says, and as it says itself.
pub(crate) fn exact<'a>(
    unit: &Unit,
    options: &SyncOptions,
    target: &Target,
    member: &'a Member,
    custom: &'a Custom,
    manager: &'a str,
) -> Exact<'a> {
    let own = CompareOptions::read(&target.object, unit.policy.rules);
    Exact {
        cluster: &member.cluster,
        manager,
        ignore: &custom.ignore,
        respects: unit.policy.respects_ignored(options),
        migrates: options.migrate,
        strict: unit.policy.compare.strict,
        include_webhooks: unit.policy.compare.include_webhooks || own.include_webhooks,
        schemas: member.schemas.known(),
    }
}

/// Whether it matters who manages what, and in which version: then the object is read from the server.
fn needs_managers(exact: &Exact<'_>, target: &Target, live: &Object, managed: &Managed) -> bool {
    let person = managed.managers.iter().any(|manager| is_person(manager));
    let client = live.annotation(LAST_APPLIED).is_some() && target.object.annotation(LAST_APPLIED).is_none();
    (person || client) && (exact.migrates || exact.strict)
        || exact.ignore.concern(target.object.value())
        || live.gvk() != target.object.gvk()
}

/// Everything of an object that an answer depends on.
fn state(live: &Object, managed: &Managed, definition: Option<&Row>) -> Digest {
    let mut value = live.value().clone();
    strip(&mut value);
    let managers: Vec<&str> = managed.managers.iter().map(|manager| &**manager).collect();
    let definition = definition.map(|row| (&row.uid, row.generation));
    digest(&json!([value, live.uid(), managed.owned.as_deref(), managers, definition]))
}
