//! The last steps of the removal of an app.

use towpath_cluster::{Cluster, Deletion};
use towpath_object::Object;
use towpath_plan::Op;

use crate::execute::Tell;
use crate::outcome::Outcome;
use crate::prepare::is_namespace;
use crate::{Error, Prepared, Progress, apply, inventory};

/// Ends a removal. If the app's own namespace goes, the inventory goes with it: the namespace is deleted while the
/// inventory still names it, so that a run killed here is taken up by the next.
pub(crate) async fn finish_removal(
    cluster: &Cluster,
    prepared: &Prepared,
    mut outcome: Outcome,
    tell: Tell<'_>,
) -> Result<Outcome, Error> {
    let Prepared { app, plan, options, .. } = prepared;
    let home = plan
        .changes
        .iter()
        .find(|change| change.op == Op::Delete && is_namespace(&change.key, &app.namespace));
    let Some(home) = home else {
        inventory::forget(cluster, app).await?;
        return Ok(outcome);
    };
    let uid = home.live.as_ref().map_or("", Object::uid);
    let mut gone = cluster.delete(&home.resource, &home.key, uid).await? == Deletion::Gone;
    if !gone {
        tell(Progress::Leaving { key: &home.key });
        gone = apply::gone(cluster, &home.resource, &home.key, options.timeout).await?;
    }
    if gone {
        tell(Progress::Changed { key: &home.key, op: Op::Delete });
        outcome.changed.push((home.key.clone(), Op::Delete));
    } else {
        outcome.leaving.push(home.key.clone());
    }
    Ok(outcome)
}
