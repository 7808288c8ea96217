//! Deleting, stage by stage from the last to the first, and seeing each stage gone before the next begins.

use futures::{StreamExt as _, stream};
use towpath_cluster::{Cluster, Deletion, Error};
use towpath_object::Object;
use towpath_plan::{Change, Op};

use crate::execute::{Outcome, Tell};
use crate::{ObjectFailure, Options, Progress, apply};

/// Deletes what the plan deletes. The changes come in the order of deletion.
pub(crate) async fn remove(
    cluster: &Cluster,
    changes: &[&Change],
    options: &Options,
    tell: Tell<'_>,
    outcome: &mut Outcome,
) {
    for stage in changes.chunk_by(|one, next| one.stage == next.stage) {
        tell(Progress::Stage {
            stage: stage.first().map_or(towpath_plan::Stage::Workloads, |c| c.stage),
            changes: stage.len(),
        });
        let deletions =
            stage.iter().map(|change| async move { (*change, delete(cluster, change, options, tell).await) });
        let results: Vec<_> = stream::iter(deletions).buffer_unordered(options.concurrency).collect().await;
        let mut complete = true;
        for (change, result) in results {
            match result {
                Ok(true) => {
                    tell(Progress::Changed { key: &change.key, op: Op::Delete });
                    outcome.changed.push((change.key.clone(), Op::Delete));
                }
                Ok(false) => {
                    complete = false;
                    outcome.leaving.push(change.key.clone());
                }
                Err(error) => {
                    complete = false;
                    tell(Progress::Failed { key: &change.key, message: &error.to_string() });
                    outcome.failures.push(ObjectFailure { key: change.key.clone(), origin: None, error });
                }
            }
        }
        if !complete {
            let rest = changes.iter().filter(|change| outcome.not_reached(&change.key));
            let rest: Vec<_> = rest.map(|change| change.key.clone()).collect();
            outcome.untried.extend(rest);
            return;
        }
    }
}

/// True when it is gone, false when it is still leaving at the end of our patience.
async fn delete(
    cluster: &Cluster,
    change: &Change,
    options: &Options,
    tell: Tell<'_>,
) -> Result<bool, Error> {
    let uid = change.live.as_ref().map_or("", Object::uid);
    match cluster.delete(&change.resource, &change.key, uid).await? {
        Deletion::Gone => Ok(true),
        Deletion::Leaving => {
            tell(Progress::Leaving { key: &change.key });
            apply::gone(cluster, &change.resource, &change.key, options.timeout).await
        }
    }
}
