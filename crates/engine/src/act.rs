//! Carrying out one action of a sync on a cluster.

use std::time::Duration;

use serde_json::{Value, json};
use towpath_cluster::{Applied, Apply, Cause, Cluster, Deletion, Error, Only};
use towpath_merge::ignore::Rules as IgnoreRules;
use towpath_object::{Digest, Key, Object, Resource, digest};
use towpath_plan::sync::{
    ARGO_HOOK_FINALIZER, Action, Answer, Consent, HOOK_FINALIZER, How, Mark, Method, ObjectOptions,
    Propagation, Recreate, Rules, Task,
};

use towpath_schema::Schemas;

use crate::apply::{apply_served, gone, take_over};
use crate::conform::problems;
use crate::exact::{Trouble, view};

/// How long an object that has to be created anew may take to go.
const RECREATION: Duration = Duration::from_secs(60);
/// How often somebody else may get in between.
const ATTEMPTS: usize = 5;

/// What came of an action, and what the server returned for a write or a look.
pub(crate) struct Acted {
    pub(crate) answer: Answer,
    pub(crate) returned: Option<Value>,
    /// The digest of what was applied, where ignore rules made it something else than the target.
    pub(crate) sent: Option<Digest>,
    /// What the server wants people to know.
    pub(crate) warnings: Vec<String>,
    /// The object is no more: it was not only asked to go.
    pub(crate) gone: bool,
}

impl Acted {
    pub(crate) fn answer(answer: Answer) -> Self {
        Self { answer, returned: None, sent: None, warnings: Vec::new(), gone: false }
    }
}

/// What was written.
struct Written {
    object: Value,
    /// The digest of it, where ignore rules made it something else than the target.
    sent: Option<Digest>,
    warnings: Vec<String>,
}

impl Written {
    fn new(object: Value, sent: Option<Digest>) -> Self {
        Self { object, sent, warnings: Vec::new() }
    }
}

/// How a unit's actions are carried out.
pub(crate) struct Acting<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) manager: &'a str,
    pub(crate) ignore: &'a IgnoreRules,
    /// Ignored fields are applied as they are live.
    pub(crate) respects: bool,
    /// What new objects are held against.
    pub(crate) schemas: &'a Schemas,
    /// Whom an object belongs to, by what it says.
    pub(crate) owner: &'a (dyn Fn(&Object) -> Option<String> + Sync),
}

/// Does it. Whatever goes wrong is an answer: it is that object's failure and nobody else's.
pub(crate) async fn act(acting: &Acting<'_>, action: &Action, task: &Task) -> Acted {
    let result = try_act(acting, action, task).await;
    result.unwrap_or_else(|trouble| Acted::answer(Answer::Refused(trouble.to_string())))
}

/// The same, for those who want to know what went wrong.
pub(crate) async fn try_act(acting: &Acting<'_>, action: &Action, task: &Task) -> Result<Acted, Trouble> {
    let Some(resource) = &task.resource else {
        let why = format!("the cluster has no kind {}", task.id.key.kind);
        return Ok(Acted::answer(Answer::Refused(why)));
    };
    let Acting { cluster, manager, .. } = *acting;
    let doing = Doing { acting, cluster, manager, resource, key: &task.id.key, new_kind: task.skip_check };
    match action {
        Action::Check { how, .. } => doing.check(task, *how).await.map(Acted::answer),
        Action::Apply { how, .. } => doing.write(task, *how).await,
        Action::Prune { uid, propagation, .. } => doing.prune(task, uid, *propagation).await,
        Action::DeleteHook { uid, .. } => doing.delete(uid).await,
        Action::ReleaseHook { .. } => doing.release().await.map(Acted::answer),
        Action::Look { .. } => doing.look().await,
    }
}

struct Doing<'a> {
    acting: &'a Acting<'a>,
    cluster: &'a Cluster,
    manager: &'a str,
    resource: &'a Resource,
    key: &'a Key,
    /// Its kind is defined by the same sync.
    new_kind: bool,
}

impl Doing<'_> {
    fn how(&self, dry_run: bool) -> Apply {
        Apply { manager: self.manager.into(), force: true, dry_run }
    }

    /// What exists the server judges before anything is written; what is new is held against its schemas. Where it may
    /// be created anew, that it cannot be changed in place is no obstacle; anything else is.
    async fn check(&self, task: &Task, how: How) -> Result<Answer, Trouble> {
        match (&task.target, &task.live) {
            (Some(target), None) if how.validate => {
                let problems = problems(self.acting.schemas, target);
                Ok(problems.map_or(Answer::Done, Answer::Refused))
            }
            (Some(target), Some(_)) => match self.send(target, &self.how(true)).await {
                Err(Trouble::Cluster(error)) if self.is_made_anew(how.recreate, &error) => Ok(Answer::Done),
                Err(trouble) => Err(trouble),
                Ok(_) => Ok(Answer::Done),
            },
            _ => Ok(Answer::Done),
        }
    }

    /// Applies a target, with ignored fields as they are live: somebody's write between looking and applying means
    /// looking again. Says what was sent instead, if that is something else.
    async fn send(&self, target: &Object, how: &Apply) -> Result<(Applied, Option<Digest>), Trouble> {
        let Acting { ignore, respects, .. } = *self.acting;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let concerned = respects && ignore.concern(target.value());
            let live = if concerned { self.get().await? } else { None };
            let Some(live) = live else {
                let applied = apply_served(self.cluster, self.resource, target, how, self.new_kind).await?;
                return Ok((applied, None));
            };
            let view = view(ignore, respects, target, &live, self.manager)?;
            let sent = (view.value() != target.value()).then(|| digest(view.value()));
            let version = live.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
            match self.cluster.apply(self.resource, &at_version(&view, version), how).await {
                Err(error) if error.is_conflict() && attempts < ATTEMPTS => {}
                other => return Ok((other?, sent)),
            }
        }
    }

    /// True when what was refused is deleted and created again: because the options say so and it cannot be changed in
    /// place, or because it is a binding that is to name another role, which kubectl makes anew too.
    /// <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#clusterrolebinding-example>
    fn is_made_anew(&self, recreate: Recreate, refusal: &Error) -> bool {
        let role = |cause: &Cause| cause.field == "roleRef";
        let rebinds = self.key.group == "rbac.authorization.k8s.io"
            && refusal.status().is_some_and(|status| status.causes.iter().all(role));
        refusal.is_immutable() && (recreate != Recreate::Never || rebinds)
    }

    async fn write(&self, task: &Task, how: How) -> Result<Acted, Trouble> {
        let Some(target) = &task.target else { return Ok(Acted::answer(Answer::Done)) };
        let result = match how.method {
            // A deliberate difference: the server keeps the books of whoever wants client-side apply, too.
            Method::ServerSide | Method::ClientSide => self.apply(target, how.migrate).await,
            Method::Create => self.create(target).await,
            Method::Replace => self.replace(target, how.recreate).await,
        };
        let Written { object, sent, warnings } = match result {
            Err(Trouble::Cluster(error)) if self.is_made_anew(how.recreate, &error) => {
                Written::new(self.recreate(target).await?, None)
            }
            other => other?,
        };
        let mark = Object::new(object.clone()).map(|object| Mark::new(&object)).unwrap_or_default();
        Ok(Acted { answer: Answer::Applied(mark), returned: Some(object), sent, warnings, gone: false })
    }

    async fn apply(&self, target: &Object, migrate: bool) -> Result<Written, Trouble> {
        let (mut applied, mut sent) = self.send(target, &self.how(false)).await?;
        let migrate = migrate && !applied.created;
        // Shares that people have become ours, and a second apply drops what nobody wants.
        if migrate && take_over(self.cluster, self.resource, self.key, self.manager, &applied.object).await? {
            (applied, sent) = self.send(target, &self.how(false)).await?;
        }
        Ok(Written { object: applied.object, sent, warnings: applied.warnings })
    }

    /// Where it is there by now somebody was faster, or it was we and the answer was lost.
    async fn create(&self, target: &Object) -> Result<Written, Trouble> {
        match self.cluster.create(self.resource, target).await {
            Err(error) if error.is_conflict() => self.replace(target, Recreate::Never).await,
            other => Ok(Written::new(other?, None)),
        }
    }

    /// A PUT over the object as it is now.
    async fn replace(&self, target: &Object, recreate: Recreate) -> Result<Written, Trouble> {
        if recreate == Recreate::Always {
            return Ok(Written::new(self.recreate(target).await?, None));
        }
        for _ in 0..ATTEMPTS {
            let Some(live) = self.get().await? else { break };
            let view = view(self.acting.ignore, self.acting.respects, target, &live, self.manager)?;
            let version = live.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
            match self.cluster.replace(self.resource, &at_version(&view, version)).await {
                Err(error) if error.is_conflict() => {}
                other => return Ok(Written::new(other?, Some(digest(view.value())))),
            }
        }
        Ok(Written::new(self.cluster.create(self.resource, target).await?, None))
    }

    async fn recreate(&self, target: &Object) -> Result<Value, Error> {
        self.cluster.delete(self.resource, self.key, "").await?;
        if !gone(self.cluster, self.resource, self.key, RECREATION).await? {
            let what = format!("wait until the old {} is gone", self.key);
            return Err(Error::Deadline { what, seconds: RECREATION.as_secs() });
        }
        Ok(self.cluster.apply(self.resource, target, &self.how(false)).await?.object)
    }

    async fn delete(&self, uid: &str) -> Result<Acted, Trouble> {
        Ok(deleted(self.cluster.delete(self.resource, self.key, uid).await?))
    }

    /// Deletes what was judged, as it was judged: it may be another's by now, or protected. What changed in it meanwhile
    /// and says nothing of either is no reason to keep it.
    async fn prune(&self, task: &Task, uid: &str, propagation: Propagation) -> Result<Acted, Trouble> {
        let policy = match propagation {
            Propagation::Foreground => "Foreground",
            Propagation::Background => "Background",
            Propagation::Orphan => "Orphan",
        };
        let judged = task.live.as_ref();
        let mut version = judged.map_or_else(String::new, |live| live.resource_version().into());
        for _ in 0..ATTEMPTS {
            let only = Only { uid, version: &version };
            match self.cluster.delete_only(self.resource, self.key, only, policy).await? {
                Deletion::Changed => {}
                deletion => return Ok(deleted(deletion)),
            }
            let now = self.get().await?.and_then(|value| Object::new(value).ok());
            let Some(now) = now.filter(|now| now.uid() == uid) else { return Ok(deleted(Deletion::Gone)) };
            if judged.is_some_and(|judged| self.standing(judged) != self.standing(&now)) {
                let why = "kept: whose it is or whether it may go was changed meanwhile";
                return Ok(Acted::answer(Answer::Kept(why.into())));
            }
            version = now.resource_version().into();
        }
        Ok(Acted::answer(Answer::Refused("it changes all the time".into())))
    }

    /// Whose it is, and whether it may go.
    fn standing(&self, live: &Object) -> (Option<String>, Option<Consent>, Option<Consent>, bool) {
        let ObjectOptions { prune, delete, keep, .. } = ObjectOptions::read(live, Rules::Towpath);
        ((self.acting.owner)(live), prune, delete, keep)
    }

    /// Takes the finalizers of hooks off.
    async fn release(&self) -> Result<Answer, Trouble> {
        for _ in 0..ATTEMPTS {
            let Some(live) = self.get().await? else { return Ok(Answer::NotFound) };
            let held =
                live.pointer("/metadata/finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
            let kept: Vec<&Value> =
                held.iter().filter(|one| *one != HOOK_FINALIZER && *one != ARGO_HOOK_FINALIZER).collect();
            if kept.len() == held.len() {
                return Ok(Answer::Done);
            }
            let version = live.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
            let patch = json!([
                {"op": "replace", "path": "/metadata/finalizers", "value": kept},
                {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
            ]);
            match self.cluster.patch(self.resource, self.key, &patch).await {
                Ok(()) => return Ok(Answer::Done),
                Err(error) if error.is_not_found() => return Ok(Answer::NotFound),
                Err(error) if error.is_conflict() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Answer::Refused("it changes all the time".into()))
    }

    async fn look(&self) -> Result<Acted, Trouble> {
        let returned = self.get().await?;
        let answer = if returned.is_some() { Answer::Done } else { Answer::NotFound };
        Ok(Acted { returned, ..Acted::answer(answer) })
    }

    async fn get(&self) -> Result<Option<Value>, Error> {
        self.cluster.get(self.resource, &self.key.namespace, &self.key.name).await
    }
}

fn deleted(deletion: Deletion) -> Acted {
    Acted { gone: deletion == Deletion::Gone, ..Acted::answer(Answer::Done) }
}

/// The object, to be written only over this very state.
fn at_version(object: &Object, version: Value) -> Object {
    let mut value = object.value().clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".into(), version);
    }
    Object::new(value).expect("its identity did not change")
}
