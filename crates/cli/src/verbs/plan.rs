//! From arguments to a plan, for `deploy` and `diff`.

use towpath_cluster::Cluster;
use towpath_engine::{HookName, Options, Pick, Prepared, prepare};
use towpath_object::LabelSelector;
use towpath_plan::sync::Rules;
use towpath_plan::{Approval, Removal};

use crate::args::{Global, Part, RuleSet, Wanted};
use crate::connect;
use crate::files::{self, Lines};
use crate::report::Problem;

/// Reads the files, then plans. Files come first: what is wrong there needs no cluster to be told.
pub async fn plan(
    global: &Global,
    wanted: &Wanted,
    options: Options,
) -> Result<(Cluster, Prepared, Lines), Problem> {
    let pick = pick(&wanted.part)?;
    let (manifests, lines) = files::read(&wanted.file)?;
    let cluster = connect::cluster(global).await?;
    let app = connect::app(global, &cluster, &wanted.app)?;
    let options = Options {
        removal: if wanted.prune { Removal::Prune } else { Removal::Off },
        adopt: wanted.adopt,
        schema_cache: towpath_settings::cache_dir().map(|cache| cache.join("schemas")),
        create_namespace: wanted.create_namespace,
        approval: approval(wanted.approve_deletions),
        recreate: wanted.recreate,
        rules: rules(wanted.part.rules),
        pick,
        ..options
    };
    match prepare(&cluster, app, manifests, options).await {
        Ok(prepared) => Ok((cluster, prepared, lines)),
        Err(error) => Err(Problem::Engine(error, lines)),
    }
}

/// Whether a person consents to deletions that need it.
pub fn approval(given: bool) -> Approval {
    if given { Approval::Given } else { Approval::Missing }
}

fn rules(set: RuleSet) -> Rules {
    match set {
        RuleSet::Towpath => Rules::Towpath,
        RuleSet::Argo => Rules::Argo,
        RuleSet::Kstatus => Rules::Kstatus,
    }
}

/// The part of the app that the arguments name.
fn pick(part: &Part) -> Result<Pick, Problem> {
    if !part.hook.is_empty() {
        return Ok(Pick::Hooks(part.hook.iter().map(|name| HookName::new(name)).collect()));
    }
    if part.selector.is_none() && part.wave.is_none() {
        return Ok(if part.no_hooks { Pick::NoHooks } else { Pick::All });
    }
    let labels = LabelSelector::parse(part.selector.as_deref().unwrap_or_default())
        .map_err(|error| Problem::argument("--selector:", &error.to_string()))?;
    if part.selector.is_some() && labels.is_all() {
        return Err(Problem::argument("--selector", "selects everything; leave it out"));
    }
    Ok(Pick::Part { labels, waves: part.wave.unwrap_or_default() })
}
