//! What the server serves.

use serde_json::Value;
use towpath_object::Kinds;

use crate::call::Call;
use crate::{Cluster, Error};

/// Everything in two documents where the server can (1.30 and later), the older index otherwise.
const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

impl Cluster {
    /// Asks the server which kinds it serves.
    pub async fn kinds(&self) -> Result<Kinds, Error> {
        let (core, groups) = tokio::try_join!(self.index("/api"), self.index("/apis"))?;
        let mut kinds = Kinds::default();
        for document in [core, groups] {
            if document.get("kind").and_then(Value::as_str) == Some("APIGroupDiscoveryList") {
                kinds.add_discovery(&document);
            } else {
                self.add_one_by_one(&mut kinds, &document).await?;
            }
        }
        Ok(kinds)
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
    async fn add_one_by_one(&self, kinds: &mut Kinds, index: &Value) -> Result<(), Error> {
        for path in version_paths(index) {
            let what = format!("discover {path}");
            match self.call(&Call::get(path, what.clone())).await {
                Ok(reply) => kinds.add_resource_list(&reply.json(&what)?),
                Err(error) if error.is_closed_door() => return Err(error),
                Err(error) => tracing::warn!(%error, "an API group does not answer"),
            }
        }
        Ok(())
    }
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
