//! New objects held against the server's own schemas, before anything is written.
//!
//! What exists is judged by the server itself (a dry run); what is new would only be refused in the middle of the run.

use std::collections::BTreeSet;

use towpath_cluster::Cluster;
use towpath_plan::{Change, Op, Target};
use towpath_schema::Schemas;

use crate::error::Misfit;
use crate::{Error, Options};

/// Refuses new objects that the server would refuse. Where the server does not tell its schemas it decides alone.
pub(crate) async fn conform(cluster: &Cluster, changes: &[Change], options: &Options) -> Result<(), Error> {
    let new: Vec<&Target> = changes
        .iter()
        .filter(|change| change.op == Op::Create)
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
