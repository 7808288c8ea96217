//! From global flags to a cluster and an app.

use towpath_cluster::{Cluster, Options};
use towpath_plan::{App, AppName};

use crate::args::Global;
use crate::report::Problem;

/// Words that name a kind after a verb (`docs/design/verbs.md`). An app of such a name is reached as `app NAME`.
const KIND_WORDS: &[&str] = &[
    "app",
    "source",
    "kustomization",
    "ks",
    "helmrelease",
    "hr",
    "image",
    "manifestsync",
    "repoconfig",
    "releaser",
    "alert",
    "alert-provider",
    "receiver",
    "artifact",
    "secret",
    "tenant",
    "all",
    "pipeline",
    "promotion",
];

/// The cluster that the flags name. Nothing is sent yet.
pub async fn cluster(global: &Global) -> Result<Cluster, Problem> {
    let options = Options {
        kubeconfig: global.kubeconfig.clone(),
        context: global.context.clone(),
        ..Options::default()
    };
    Ok(Cluster::connect(&options).await?)
}

/// The app that the flags name.
pub fn app(global: &Global, cluster: &Cluster, name: &str) -> Result<App, Problem> {
    let name = AppName::new(name).map_err(|bad| Problem::argument("--app", &bad.to_string()))?;
    let namespace = global.namespace.clone().unwrap_or_else(|| cluster.default_namespace().to_string());
    AppName::new(&namespace).map_err(|bad| Problem::argument("--namespace", &bad.to_string()))?;
    Ok(App { name, namespace })
}

/// The app's name after a verb: `NAME`, or `app NAME` where the name is also the name of a kind.
pub fn app_name(words: &[String]) -> Result<&str, Problem> {
    match words {
        [kind, name] if kind == "app" => Ok(name),
        [kind, _] => {
            Err(Problem::argument(kind, "is not a kind that this verb knows yet; `app NAME` names an app"))
        }
        [name] if is_kind(name) => Err(Problem::argument(
            name,
            &format!("is a kind; to name an app of that name write `app {name}`"),
        )),
        [name] => Ok(name),
        _ => Err(Problem::argument("APP", "is missing")),
    }
}

fn is_kind(word: &str) -> bool {
    KIND_WORDS.iter().any(|kind| word == *kind || word.strip_suffix('s') == Some(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_word_is_a_kind() {
        let name = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            app_name(&words).ok().map(ToString::to_string)
        };
        assert_eq!(name(&["shop"]).as_deref(), Some("shop"));
        assert_eq!(name(&["app", "image"]).as_deref(), Some("image"));
        assert_eq!(name(&["image"]), None);
        assert_eq!(name(&["kustomizations"]), None);
        assert_eq!(name(&["kustomization", "web"]), None);
    }
}
