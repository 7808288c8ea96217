//! What the server serves.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;
use towpath_object::{Gvk, Kinds};

use crate::call::Call;
use crate::{Cluster, Error};

/// Everything in two documents where the server can (1.30 and later), the older index otherwise.
const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// What a server serves, and what can be done with it.
#[derive(Debug, Default)]
pub(crate) struct Served {
    pub(crate) kinds: Kinds,
    /// Those that can be listed and watched.
    pub(crate) watchable: HashSet<Gvk>,
    /// Groups that exist and did not answer: what they serve is not known at the moment.
    pub(crate) silent: BTreeSet<String>,
}

impl Cluster {
    /// Asks the server which kinds it serves.
    pub async fn kinds(&self) -> Result<Kinds, Error> {
        Ok(self.served().await?.kinds)
    }

    /// Asks the server what it serves.
    pub(crate) async fn served(&self) -> Result<Served, Error> {
        let (core, groups) = tokio::try_join!(self.index("/api"), self.index("/apis"))?;
        let mut served = Served::default();
        for document in [core, groups] {
            if document.get("kind").and_then(Value::as_str) == Some("APIGroupDiscoveryList") {
                served.add_aggregated(&document);
            } else {
                self.add_one_by_one(&mut served, &document).await?;
            }
        }
        Ok(served)
    }

    /// The server's version, for example `v1.36.3`.
    pub async fn version(&self) -> Result<String, Error> {
        let what = "read the server's version";
        let reply = self.call(&Call::get("/version".into(), what.into())).await?.json(what)?;
        Ok(reply.get("gitVersion").and_then(Value::as_str).unwrap_or_default().to_string())
    }

    async fn index(&self, path: &str) -> Result<Value, Error> {
        let what = "discover what the server serves";
        let call = Call { accept: AGGREGATED, ..Call::get(path.into(), what.into()) };
        self.call(&call).await?.json(what)
    }

    /// Older servers: one document for each group and version, the preferred version first. A group that does
    /// not answer (a dead aggregated API) is left out; its kinds are then unknown, and only they.
    async fn add_one_by_one(&self, served: &mut Served, index: &Value) -> Result<(), Error> {
        for path in version_paths(index) {
            let what = format!("discover {path}");
            let group = path.trim_start_matches("/apis/").split('/').next().unwrap_or_default().to_string();
            match self.call(&Call::get(path, what.clone())).await {
                Ok(reply) => served.add_resource_list(&reply.json(&what)?),
                Err(error) if error.is_closed_door() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "an API group does not answer");
                    served.silent.insert(group);
                }
            }
        }
        Ok(())
    }
}

impl Served {
    fn add_aggregated(&mut self, document: &Value) {
        self.kinds.add_discovery(document);
        for group in items(document, "items") {
            let name = text(group.pointer("/metadata/name"));
            for version in items(group, "versions") {
                if text(version.get("freshness")) == "Stale" {
                    self.silent.insert(name.into());
                }
                let api_version = Gvk {
                    group: name.into(),
                    version: text(version.get("version")).into(),
                    kind: String::new(),
                };
                for resource in items(version, "resources") {
                    self.add_verbs(resource, text(resource.pointer("/responseKind/kind")), &api_version);
                }
            }
        }
    }

    fn add_resource_list(&mut self, document: &Value) {
        self.kinds.add_resource_list(document);
        let api_version = Gvk::new(text(document.get("groupVersion")), "");
        for resource in items(document, "resources") {
            if !text(resource.get("name")).contains('/') {
                self.add_verbs(resource, text(resource.get("kind")), &api_version);
            }
        }
    }

    fn add_verbs(&mut self, resource: &Value, kind: &str, api_version: &Gvk) {
        let has = |verb: &str| items(resource, "verbs").any(|known| known.as_str() == Some(verb));
        if has("list") && has("watch") {
            self.watchable.insert(Gvk { kind: kind.into(), ..api_version.clone() });
        }
    }
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// The paths behind an `APIVersions` or `APIGroupList` document.
fn version_paths(index: &Value) -> Vec<String> {
    let texts = |value: Option<&Value>| -> Vec<String> {
        value
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(Into::into)
            .collect()
    };
    let core = texts(index.get("versions")).into_iter().map(|version| format!("/api/{version}"));
    let mut named = Vec::new();
    for group in index.get("groups").and_then(Value::as_array).into_iter().flatten() {
        let preferred = group.pointer("/preferredVersion/groupVersion");
        let others = group.get("versions").and_then(Value::as_array).into_iter().flatten();
        for version in preferred.into_iter().chain(others.filter_map(|version| version.get("groupVersion"))) {
            let path = format!("/apis/{}", version.as_str().unwrap_or_default());
            if !named.contains(&path) {
                named.push(path);
            }
        }
    }
    core.chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_can_be_watched_and_who_is_silent() {
        let mut served = Served::default();
        let resource = |kind: &str, verbs: &[&str]| json!({"resource": "x", "scope": "Namespaced", "responseKind": {"kind": kind}, "verbs": verbs});
        served.add_aggregated(&json!({"items": [
            {"metadata": {"name": "apps"}, "versions": [{"version": "v1", "freshness": "Current", "resources":
                [resource("Deployment", &["list", "watch"]), resource("Odd", &["list"])]}]},
            {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1", "freshness": "Stale"}]},
        ]}));
        assert_eq!(served.watchable, HashSet::from([Gvk::new("apps/v1", "Deployment")]));
        assert_eq!(served.silent, BTreeSet::from(["metrics.k8s.io".into()]));
        served.add_resource_list(&json!({"groupVersion": "v1", "resources": [
            {"name": "pods", "kind": "Pod", "namespaced": true, "verbs": ["get", "list", "watch"]},
            {"name": "pods/log", "kind": "Log", "namespaced": true, "verbs": ["list", "watch"]}]}));
        assert!(served.watchable.contains(&Gvk::new("v1", "Pod")) && served.watchable.len() == 2);
    }

    #[test]
    fn the_preferred_version_comes_first() {
        let index = json!({"kind": "APIGroupList", "groups": [{
            "name": "apps",
            "versions": [{"groupVersion": "apps/v1beta1"}, {"groupVersion": "apps/v1"}],
            "preferredVersion": {"groupVersion": "apps/v1"},
        }]});
        assert_eq!(version_paths(&index), ["/apis/apps/v1", "/apis/apps/v1beta1"]);
        assert_eq!(version_paths(&json!({"kind": "APIVersions", "versions": ["v1"]})), ["/api/v1"]);
    }
}
