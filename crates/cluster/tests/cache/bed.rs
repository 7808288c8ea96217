//! What the tests share.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};
use towpath_cluster::cache::{Cache, CacheEvent, CacheSettings, Change, GroupKind, KindState, Subscription};
use towpath_cluster::{Cluster, Options};
use towpath_object::Key;
use towpath_testkit::{Api, ControlPlane, Fault, FaultProxy, Rule, eventually, shared};

/// How long anything may take that should take a moment.
pub const SOON: Duration = Duration::from_secs(15);

pub struct Bed {
    pub plane: &'static ControlPlane,
    pub proxy: FaultProxy,
    /// Straight to the server, past the proxy.
    pub api: Api,
    pub namespace: String,
}

/// A namespace of its own, and a proxy of its own in front of the shared control plane.
pub async fn bed(name: &str) -> Result<Bed> {
    let plane = shared().await?;
    let namespace = plane.namespace(name).await?;
    Ok(Bed { plane, proxy: FaultProxy::start(plane)?, api: plane.api(), namespace })
}

pub async fn cluster(kubeconfig: &Path) -> Result<Cluster> {
    let options = Options { kubeconfig: Some(kubeconfig.into()), ..Options::default() };
    Ok(Cluster::connect(&options).await?)
}

/// Quick to notice and quick to try again.
pub fn settings() -> CacheSettings {
    CacheSettings {
        unit_labels: vec!["example.com/unit".into()],
        longest_pause: Duration::from_secs(1),
        forbidden_pause: Duration::from_secs(1),
        ..CacheSettings::default()
    }
}

pub fn config_maps() -> GroupKind {
    GroupKind::new("", "ConfigMap")
}

impl Bed {
    pub async fn cache(&self, settings: CacheSettings) -> Result<Cache> {
        Ok(Cache::start(cluster(self.proxy.kubeconfig_path()).await?, settings))
    }

    pub fn path(&self) -> String {
        format!("/api/v1/namespaces/{}/configmaps", self.namespace)
    }

    pub async fn put_map(&self, name: &str, text: &str) -> Result<Value> {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "labels": {"example.com/unit": "shop"}}, "data": {"text": text}});
        self.api.apply(&format!("{}/{name}", self.path()), &object, "towpath").await
    }

    pub async fn delete_map(&self, name: &str) -> Result<Value> {
        self.api.delete(&format!("{}/{name}", self.path())).await
    }

    pub fn key(&self, name: &str) -> Key {
        Key::new("", "ConfigMap", &self.namespace, name)
    }

    /// How often lists of a collection have been begun through the proxy.
    pub fn lists(&self, plural: &str) -> usize {
        let is_list = |query: &str| query.contains("sendInitialEvents") || !query.contains("watch=");
        let of_kind = |path: &str| path.ends_with(&format!("/{plural}"));
        self.proxy.seen().iter().filter(|seen| of_kind(&seen.path) && is_list(&seen.query)).count()
    }

    /// Waits until a watch has been opened that will be told, with its first event, that its version is too old.
    pub async fn doomed_watch(&self) -> Result<()> {
        let rule = Rule::new(Fault::WatchExpired { after: 0 }).watches().path("/configmaps").times(1);
        self.proxy.add(rule);
        let opened = || {
            let mut seen = self.proxy.seen().into_iter();
            seen.any(|seen| seen.faulted && seen.is_watch() && seen.status == Some(200)).then_some(())
        };
        soon("the watch is opened anew", opened).await
    }

    /// How often the server was asked what it serves.
    pub fn discoveries(&self) -> usize {
        self.proxy.seen().iter().filter(|seen| seen.path == "/apis").count()
    }
}

/// Waits until `probe` has an answer.
pub async fn soon<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> Result<T> {
    eventually(what, SOON, async || Ok(probe())).await
}

pub async fn until_state(
    cache: &Cache,
    kind: &GroupKind,
    state: fn(&KindState) -> bool,
) -> Result<KindState> {
    soon(&format!("the state of {kind}"), || cache.kind_state(kind).filter(state)).await
}

/// The changes of config maps in a namespace up to and including the one that is waited for.
pub async fn changes_until(
    told: &mut Subscription,
    namespace: &str,
    last: impl Fn(&Change) -> bool,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let end = Instant::now() + SOON;
    while let Ok(Some(event)) = tokio::time::timeout_at(end.into(), told.next()).await {
        if let CacheEvent::Changed(change) = event
            && change.key.namespace == namespace
            && change.key.kind == "ConfigMap"
            && change.key.name != "kube-root-ca.crt"
        {
            changes.push((*change).clone());
            if last(&change) {
                return Ok(changes);
            }
        }
    }
    anyhow::bail!("not told in time, only {changes:?}")
}
