//! New objects held against the server's own schemas, before anything is written.
//!
//! What exists is judged by the server itself (a dry run); what is new would only be refused in the middle of the run.

use std::collections::BTreeSet;
use std::sync::Arc;

use towpath_cluster::Cluster;
use towpath_object::Object;
use towpath_plan::sync::{Schedule, Task};
use towpath_plan::{Change, Op, Target};
use towpath_schema::{Schemas, Violation};

use crate::error::Misfit;
use crate::member::Member;
use crate::{Error, Options};

/// Refuses new objects that the server would refuse. Where the server does not tell its schemas it decides alone.
pub(crate) async fn conform(cluster: &Cluster, changes: &[Change], options: &Options) -> Result<(), Error> {
    let new: Vec<&Target> = changes
        .iter()
        .filter(|change| matches!(change.op, Op::Create | Op::Run))
        .filter_map(|change| change.target.as_ref())
        .collect();
    if !options.check_schemas || new.is_empty() {
        return Ok(());
    }
    let versions: BTreeSet<(String, String)> = new
        .iter()
        .map(|target| &target.resource.gvk)
        .map(|gvk| (gvk.group.clone(), gvk.version.clone()))
        .collect();
    let mut schemas = match cluster.schemas(versions, options.schema_cache.as_deref()).await {
        Ok(schemas) => schemas,
        Err(error) => {
            tracing::debug!(%error, "the server does not tell its schemas; it checks alone");
            Schemas::default()
        }
    };
    for target in changes.iter().filter_map(|change| change.target.as_ref()) {
        if target.object.kind() == "CustomResourceDefinition" {
            schemas.add_definition(target.object.value());
        }
    }
    let misfits: Vec<Misfit> = new.into_iter().flat_map(|target| misfits(&schemas, target)).collect();
    if misfits.is_empty() { Ok(()) } else { Err(Error::Misfits(misfits)) }
}

fn misfits(schemas: &Schemas, target: &Target) -> impl Iterator<Item = Misfit> {
    let found = schemas.check(&target.resource.gvk, target.object.value());
    found.into_iter().map(|violation| Misfit { key: target.key(), origin: target.origin.clone(), violation })
}

/// The schemas for the new objects of a sync: as the cluster has them, and as definitions of the same sync say.
pub(crate) async fn schemas_of(member: &Member, schedule: &Schedule) -> Arc<Schemas> {
    let is_new = |task: &&Task| task.target.is_some() && task.live.is_none();
    let kinds: Vec<_> =
        schedule.tasks.iter().filter(is_new).filter_map(|task| task.resource.as_ref()).collect();
    if kinds.is_empty() || !schedule.options.validate {
        return Arc::default();
    }
    let mut schemas = member.schemas.of(&member.cluster, &member.cache, kinds).await;
    let targets = schedule.tasks.iter().filter_map(|task| task.target.as_ref());
    for definition in targets.filter(|object| object.kind() == "CustomResourceDefinition") {
        Arc::make_mut(&mut schemas).add_definition(definition.value());
    }
    schemas
}

/// All that is wrong with a new object, in a sentence.
pub(crate) fn problems(schemas: &Schemas, object: &Object) -> Option<String> {
    let found = schemas.check(&object.gvk(), object.value());
    let found: Vec<String> = found.iter().map(Violation::to_string).collect();
    (!found.is_empty()).then(|| found.join("; "))
}
