//! The actions of one step of a run, side by side, and what is known after them.

use futures::{StreamExt as _, stream};
use towpath_cluster::{Cluster, Error as ClusterError};
use towpath_merge::ignore::Rules as IgnoreRules;
use towpath_object::Object;
use towpath_plan::sync::{Action, Answer, Mark, Observation, Task, Verdict};
use towpath_plan::{APP_LABEL, APP_NAMESPACE_LABEL, Applied, Change, Op, record};
use towpath_schema::Schemas;

use crate::act::{Acted, Acting, try_act};
use crate::apply::gone;
use crate::exact::Trouble;
use crate::execute::Run;
use crate::options::MANAGER;
use crate::{ObjectFailure, Options, Progress};

impl Run<'_> {
    /// Carries out the actions of a step.
    pub(crate) async fn act(&mut self, actions: Vec<Action>) {
        self.tell_stage(&actions);
        let (ignore, schemas) = (IgnoreRules::default(), Schemas::default());
        let acting = Acting {
            cluster: self.cluster,
            manager: MANAGER,
            ignore: &ignore,
            respects: false,
            schemas: &schemas,
            owner: &app_of,
        };
        let options = &self.prepared.options;
        let work = actions.into_iter().filter_map(|action| {
            let task = *self.tasks.get(action.task())?;
            let change = self.changes.get(action.task()).copied();
            Some((action, task, change))
        });
        // Found at once, so that what they come to can be noted meanwhile; begun one by one, since each takes much room.
        let work: Vec<_> = work.collect();
        let acting = &acting;
        let mut results = stream::iter(work)
            .map(|(action, task, change)| async move {
                let result = carry_out(acting, &action, task, change, options).await;
                (action, task, change, result)
            })
            .buffer_unordered(options.concurrency);
        while let Some((action, task, change, result)) = results.next().await {
            match result {
                Ok(mut acted) => {
                    self.note(&action, task, change, &acted);
                    self.sight.take_value(acted.returned.take());
                    self.progress.record(&action, acted.answer);
                }
                Err(trouble) => self.note_trouble(&action, task, change, trouble),
            }
        }
    }

    fn tell_stage(&self, actions: &[Action]) {
        let first = actions.first().and_then(|action| self.changes.get(action.task()));
        if let Some(change) = first {
            (self.tell)(Progress::Stage { stage: change.stage, changes: actions.len() });
        }
    }

    fn note(&mut self, action: &Action, task: &Task, change: Option<&Change>, acted: &Acted) {
        let key = &task.id.key;
        for message in &acted.warnings {
            (self.tell)(Progress::Warning { key, message });
        }
        if acted.gone || acted.answer == Answer::NotFound {
            self.sight.lose(key);
        }
        let returned = acted.returned.as_ref();
        match (action, change) {
            (Action::Apply { .. }, Some(change)) if change.op != Op::Same => {
                let applied = match (&change.target, returned) {
                    (Some(target), Some(returned)) if !change.hook => record(target, returned, MANAGER),
                    _ => Applied::Unrecorded,
                };
                self.applied.insert(key.clone(), applied.written(key));
                self.dropped.remove(key);
                (self.tell)(Progress::Changed { key, op: change.op });
                self.outcome.changed.push((key.clone(), change.op));
            }
            // It stays in the inventory, and the next run looks at it again.
            (Action::Prune { .. }, _) if let Answer::Kept(message) = &acted.answer => {
                (self.tell)(Progress::Warning { key, message });
                self.outcome.untried.push(key.clone());
            }
            (Action::Prune { uid, .. }, _) if !acted.gone => {
                (self.tell)(Progress::Leaving { key });
                self.going.insert(key.clone(), uid.clone());
            }
            (Action::Prune { .. }, _) => {
                (self.tell)(Progress::Changed { key, op: Op::Delete });
                self.outcome.changed.push((key.clone(), Op::Delete));
            }
            (Action::DeleteHook { .. }, _) => {
                self.dropped.insert(key.clone());
            }
            _ => {}
        }
    }

    fn note_trouble(&mut self, action: &Action, task: &Task, change: Option<&Change>, trouble: Trouble) {
        let key = &task.id.key;
        let message = trouble.to_string();
        (self.tell)(Progress::Failed { key, message: &message });
        if let (Action::Apply { .. }, Some(change)) = (action, change) {
            self.applied.insert(key.clone(), change.applied.clone());
        }
        if let Trouble::Cluster(error) = trouble {
            let failure = ObjectFailure { key: key.clone(), origin: task.origin.clone(), error };
            self.outcome.failures.push(failure);
        }
        self.progress.record(action, Answer::Refused(message));
    }
}

/// The app that an object names.
fn app_of(object: &Object) -> Option<String> {
    let name = object.label(APP_LABEL)?;
    Some(format!("{name} in {}", object.label(APP_NAMESPACE_LABEL).unwrap_or_default()))
}

/// Carries out one action. What is as wanted is not sent, what is on its way out is waited for, and a hook that nobody
/// wants any more is let go before it is deleted.
async fn carry_out(
    acting: &Acting<'_>,
    action: &Action,
    task: &Task,
    change: Option<&Change>,
    options: &Options,
) -> Result<Acted, Trouble> {
    match (action, change, &task.live) {
        (Action::Apply { .. }, Some(change), Some(live)) if change.op == Op::Same => {
            return Ok(Acted::answer(Answer::Applied(Mark::new(live))));
        }
        (Action::Apply { .. }, Some(change), Some(live)) if !change.hook && live.is_terminating() => {
            leave(acting.cluster, change, options).await?;
        }
        (Action::Prune { uid, .. }, _, Some(live))
            if !task.is_hook() && Observation::new(live, Verdict::None, "").held =>
        {
            let release = Action::ReleaseHook { task: task.id.clone(), uid: uid.clone() };
            try_act(acting, &release, task).await?;
        }
        _ => {}
    }
    try_act(acting, action, task).await
}

/// Waits until the old object of that name is gone.
async fn leave(cluster: &Cluster, change: &Change, options: &Options) -> Result<(), ClusterError> {
    if gone(cluster, &change.resource, &change.key, options.timeout).await? {
        return Ok(());
    }
    let what = format!("wait until the old {} is gone", change.key);
    Err(ClusterError::Deadline { what, seconds: options.timeout.as_secs() })
}
