//! From arguments to a plan, for `deploy` and `diff`.

use towpath_cluster::Cluster;
use towpath_engine::{Options, Prepared, prepare};
use towpath_plan::Removal;

use crate::args::{Global, Wanted};
use crate::connect;
use crate::files::{self, Lines};
use crate::report::Problem;

/// Reads the files, then plans. Files come first: what is wrong there needs no cluster to be told.
pub async fn plan(
    global: &Global,
    wanted: &Wanted,
    options: Options,
) -> Result<(Cluster, Prepared, Lines), Problem> {
    let (manifests, lines) = files::read(&wanted.file)?;
    let cluster = connect::cluster(global).await?;
    let app = connect::app(global, &cluster, &wanted.app)?;
    let options = Options {
        removal: if wanted.prune { Removal::Prune } else { Removal::Off },
        adopt: wanted.adopt,
        schema_cache: towpath_settings::cache_dir().map(|cache| cache.join("schemas")),
        create_namespace: wanted.create_namespace,
        ..options
    };
    match prepare(&cluster, app, manifests, options).await {
        Ok(prepared) => Ok((cluster, prepared, lines)),
        Err(error) => Err(Problem::Engine(error, lines)),
    }
}
