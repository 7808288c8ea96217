//! Objects and requests in few words.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use towpath_object::{Gvk, Key, Kinds, Object, Resource};
use towpath_plan::sync::{
    Caller, HOOK, HOOK_DELETE_POLICY, Request, Rules, SYNC_OPTIONS, Schedule, Selection, SyncOptions, WAVE,
    Wanted, schedule,
};

/// The namespace of upstream's fake unit.
pub const NAMESPACE: &str = "fake-argocd-ns";

/// An object in few words: `Kind name key=value…`, where the keys are `wave`, `hook`, `policy`, `options`, `in` (its
/// namespace) and `finalizer`. A name of `-` stands for a `generateName`.
pub fn object(text: &str) -> Result<Wanted> {
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let kind = words.next().context("a kind")?;
    let name = words.next().context("a name")?;
    let mut annotations = Map::new();
    let mut metadata = Map::new();
    match name {
        "-" => metadata.insert("generateName".into(), "my-".into()),
        name => metadata.insert("name".into(), name.into()),
    };
    for word in words {
        let (key, value) = word.split_once('=').with_context(|| format!("{word} in {text}"))?;
        let annotation = match key {
            "wave" => WAVE.argo,
            "hook" => HOOK.argo,
            "policy" => HOOK_DELETE_POLICY.argo,
            "options" => SYNC_OPTIONS.argo,
            "in" => {
                metadata.insert("namespace".into(), value.into());
                continue;
            }
            "finalizer" => {
                metadata.insert("finalizers".into(), json!([value]));
                continue;
            }
            other => other,
        };
        annotations.insert(annotation.into(), value.into());
    }
    metadata.insert("annotations".into(), Value::Object(annotations));
    let mut value = json!({"apiVersion": api_version(kind), "kind": kind, "metadata": metadata});
    if let (true, Some(fields)) = (kind == "CustomResourceDefinition", value.as_object_mut()) {
        let names = json!({"kind": "TestCrd", "plural": "testcrds"});
        let versions = json!([{"name": "v1", "served": true}]);
        let spec =
            json!({"group": "argoproj.io", "scope": "Namespaced", "names": names, "versions": versions});
        fields.insert("spec".into(), spec);
    }
    Ok(Wanted::new(value, None)?)
}

fn api_version(kind: &str) -> &'static str {
    match kind {
        "CustomResourceDefinition" => "apiextensions.k8s.io/v1",
        "TestCrd" => "argoproj.io/v1",
        "Job" => "batch/v1",
        _ => "v1",
    }
}

/// A unit and what is asked of it.
pub struct Unit {
    pub wanted: Vec<Wanted>,
    pub live: Vec<Object>,
    pub options: SyncOptions,
    pub selection: Selection,
    pub revision: String,
    pub kinds: Kinds,
    pub caller: Box<dyn Caller>,
}

impl Unit {
    /// Each line is `target: …`, `live: …` or `both: …`.
    pub fn new(lines: &[&str]) -> Result<Self> {
        let mut unit = Self {
            wanted: Vec::new(),
            live: Vec::new(),
            options: SyncOptions { prune: true, allow_empty: true, ..SyncOptions::default() },
            selection: Selection::All,
            revision: "foobarbiz".into(),
            kinds: kinds(&["Namespace", "Pod", "Service", "ConfigMap", "Job", "CustomResourceDefinition"]),
            caller: Box::new(()),
        };
        for line in lines {
            let (side, text) = line.split_once(": ").context("a side")?;
            let wanted = object(text)?;
            if side != "target" {
                let mut live = wanted.object.clone();
                if !matches!(live.kind(), "Namespace" | "CustomResourceDefinition")
                    && live.namespace().is_empty()
                {
                    live.set_namespace(NAMESPACE);
                }
                unit.live.push(live);
            }
            if side != "live" {
                unit.wanted.push(wanted);
            }
        }
        Ok(unit)
    }

    /// Its schedule, or what is wrong.
    pub fn schedule(&self) -> Result<Schedule, String> {
        let started = Timestamp::from_second(1_700_000_000).map_err(|error| error.to_string())?;
        let request = Request {
            rules: Rules::Argo,
            options: self.options.clone(),
            namespace: NAMESPACE.into(),
            namespace_metadata: None,
            wanted: self.wanted.clone(),
            live: self.live.clone(),
            selection: self.selection.clone(),
            revision: self.revision.clone(),
            started,
            kinds: &self.kinds,
            unreadable: &BTreeMap::new(),
            caller: &*self.caller,
        };
        schedule(request)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }
}

/// A server that serves these kinds.
pub fn kinds(names: &[&str]) -> Kinds {
    let mut kinds = Kinds::default();
    for kind in names {
        let namespaced = !matches!(*kind, "Namespace" | "CustomResourceDefinition");
        let plural = format!("{}s", kind.to_lowercase());
        kinds.add(Resource { gvk: Gvk::new(api_version(kind), kind), plural, namespaced });
    }
    kinds
}

/// A caller who knows which objects would change.
pub struct Compared(pub Vec<(&'static str, bool)>);

impl Caller for Compared {
    fn modified(&self, key: &Key) -> Option<bool> {
        self.0.iter().find(|(name, _)| *name == key.name).map(|(_, modified)| *modified)
    }
}

/// A caller who permits nothing.
pub struct Forbidding;

impl Caller for Forbidding {
    fn permit(&self, _: &Object, _: Option<&Resource>) -> Result<(), String> {
        Err("not permitted in project".into())
    }
}
