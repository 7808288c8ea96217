//! What is known of a kind's fields: how its lists are merged and what its scalars mean.
//!
//! First what the caller knows (a cluster's schemas, [`Facts`]), then what the managed fields show, then the
//! facts of Kubernetes' own kinds below.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::FieldSet;
use crate::path::Element;

/// What a field is, where that matters for merging or comparing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A list that is replaced as a whole.
    AtomicList,
    /// A list whose items are their own identity.
    SetList,
    /// A list whose items are identified by these fields.
    KeyedList(Vec<String>),
    /// A mapping that is replaced as a whole.
    AtomicMap,
    /// An amount, as `500m` or `1Gi`.
    Quantity,
    /// A time span, as `1h30m`.
    Duration,
}

/// What somebody knows of the fields of an object's kind.
pub trait Facts {
    /// The shape of the field at these names, steps into lists left out: `spec`, `ports`, `name`.
    fn shape(&self, path: &[&str]) -> Option<Shape>;
}

/// Nothing is known.
impl Facts for () {
    fn shape(&self, _path: &[&str]) -> Option<Shape> {
        None
    }
}

/// Lists of Kubernetes' own kinds that are merged by key, with their keys. All others are replaced.
/// <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.35/>
const KEYED: &[(&str, &[&str])] = &[
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("env", &["name"]),
    ("volumes", &["name"]),
    ("volumeMounts", &["mountPath"]),
    ("volumeDevices", &["devicePath"]),
    ("imagePullSecrets", &["name"]),
    ("hostAliases", &["ip"]),
    ("topologySpreadConstraints", &["topologyKey", "whenUnsatisfiable"]),
    ("resourceClaims", &["name"]),
    ("webhooks", &["name"]),
    ("secrets", &["name"]),
    ("ownerReferences", &["uid"]),
    ("conditions", &["type"]),
];

/// Mappings of Kubernetes' own kinds that are replaced as a whole.
const ATOMIC_MAPS: &[&str] =
    &["selector", "labelSelector", "namespaceSelector", "objectSelector", "podSelector", "nodeSelector"];

/// Mappings from names to amounts.
const AMOUNTS_BELOW: &[&str] = &[
    "limits",
    "requests",
    "capacity",
    "allocatable",
    "hard",
    "used",
    "podFixed",
    "min",
    "max",
    "default",
    "defaultRequest",
    "maxLimitRequestRatio",
    "allocatedResources",
];

/// Amounts by their own name.
const AMOUNTS: &[&str] = &["sizeLimit", "divisor", "averageValue", "targetAverageValue", "storage"];

/// How custom resources call time spans, as the end of a name.
const SPANS: &[&str] =
    &["duration", "interval", "timeout", "period", "delay", "ttl", "renewbefore", "maxage", "backoff"];

/// All that is known of one object's kind.
pub(super) struct Known<'a> {
    facts: &'a dyn Facts,
    /// One of Kubernetes' own kinds, whose objects the server reads into types: what is empty is dropped.
    pub(super) built_in: bool,
    service: bool,
    endpoints: bool,
}

impl<'a> Known<'a> {
    pub(super) fn of(object: &Value, facts: &'a dyn Facts) -> Self {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
        let built_in = !group.contains('.') || BUILT_IN.contains(&group);
        let core = |kind: &str| group.is_empty() && text("kind") == kind;
        Self { facts, built_in, service: core("Service"), endpoints: core("Endpoints") }
    }

    /// Whether the list at `path` is kept in an order of the server's own, so that places mean nothing.
    pub(super) fn sorted(&self, path: &[&str]) -> bool {
        self.endpoints && path == ["subsets"]
    }

    /// Whether a field of this name may identify an item of a list.
    pub(super) fn is_key(name: &str) -> bool {
        matches!(name, "port" | "containerPort" | "protocol")
            || KEYED.iter().any(|(_, keys)| keys.contains(&name))
    }

    /// How the list at `path` is merged.
    pub(super) fn list(&self, path: &[&str], sets: [&FieldSet; 2]) -> Shape {
        self.facts
            .shape(path)
            .filter(|shape| matches!(shape, Shape::AtomicList | Shape::SetList | Shape::KeyedList(_)))
            .or_else(|| shown(sets))
            .or_else(|| self.listed(path))
            .unwrap_or(Shape::AtomicList)
    }

    pub(super) fn atomic_map(&self, path: &[&str]) -> bool {
        match self.facts.shape(path) {
            Some(shape) => shape == Shape::AtomicMap,
            None => self.built_in && path.last().is_some_and(|name| ATOMIC_MAPS.contains(name)),
        }
    }

    /// The meaning of the scalar at `path`, if it has one beyond its text.
    pub(super) fn scalar(&self, path: &[&str]) -> Option<Shape> {
        if let Some(shape) = self.facts.shape(path) {
            return Some(shape);
        }
        let (name, above) = path.split_last()?;
        let parent = above.last().copied().unwrap_or_default();
        if AMOUNTS.contains(name) || (AMOUNTS_BELOW.contains(&parent) && above.len() > 1) {
            return Some(Shape::Quantity);
        }
        let lower = name.to_ascii_lowercase();
        (!self.built_in && SPANS.iter().any(|end| lower.ends_with(end))).then_some(Shape::Duration)
    }

    fn listed(&self, path: &[&str]) -> Option<Shape> {
        let (name, above) = path.split_last()?;
        if *name == "finalizers" {
            return Some(Shape::SetList);
        }
        if !self.built_in {
            return None;
        }
        let keys: &[&str] = match *name {
            "ports" if above.last().is_some_and(|parent| parent.to_lowercase().ends_with("containers")) => {
                &["containerPort", "protocol"]
            }
            "ports" if self.service && above == ["spec"] => &["port", "protocol"],
            _ => KEYED.iter().find(|(known, _)| known == name)?.1,
        };
        Some(Shape::KeyedList(keys.iter().map(|key| (*key).into()).collect()))
    }
}

/// Groups with a dot whose kinds are Kubernetes' own. Others that end in `k8s.io` are custom resources.
const BUILT_IN: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// What managed fields show of a list: they name its items by key or by value.
fn shown(sets: [&FieldSet; 2]) -> Option<Shape> {
    let mut names = BTreeSet::new();
    let mut values = false;
    for element in sets.iter().flat_map(|set| set.elements()) {
        match element {
            Element::Key(key) => names.extend(key.names().map(str::to_owned)),
            Element::Value(_) => values = true,
            _ => {}
        }
    }
    if names.is_empty() {
        return values.then_some(Shape::SetList);
    }
    Some(Shape::KeyedList(names.into_iter().collect()))
}
