//! When two scalars are the same, and when a server drops one.

use serde_json::Value;

use super::duration::nanoseconds;
use super::facts::{Known, Shape};
use super::quantity::Quantity;
use crate::literal::compare;

/// Booleans and numbers that a server drops where they say nothing. Others of this value are kept: that
/// `automountServiceAccountToken` is false means something.
const DROPPED_WHEN_ZERO: &[&str] = &[
    "hostNetwork",
    "hostPID",
    "hostIPC",
    "readOnly",
    "paused",
    "stdin",
    "stdinOnce",
    "tty",
    "publishNotReadyAddresses",
    "minReadySeconds",
    "initialDelaySeconds",
    "unschedulable",
    "preserveUnknownFields",
];

/// Mappings that a server drops where they are empty. Others are kept: an empty `emptyDir` is a volume.
const DROPPED_WHEN_EMPTY: &[&str] = &[
    "annotations",
    "labels",
    "nodeSelector",
    "matchLabels",
    "data",
    "stringData",
    "binaryData",
    "limits",
    "requests",
    "parameters",
    "metadata",
    "resources",
];

/// Texts that mean something though they are empty.
const KEPT_WHEN_EMPTY: &[&str] = &["storageClassName", "volumeName", "ingressClassName"];

/// What a server writes by itself into the items of lists and mappings that are otherwise replaced as a whole.
const DEFAULTS: &[(&str, &str)] = &[
    ("protocol", "TCP"),
    ("scope", "*"),
    ("volumeMode", "Filesystem"),
    ("apiVersion", "v1"),
    ("kind", "PersistentVolumeClaim"),
    ("apiGroup", "rbac.authorization.k8s.io"),
    ("apiGroup", ""),
    ("divisor", "0"),
    ("scheme", "HTTP"),
    ("matchPolicy", "Equivalent"),
    ("type", ""),
];

impl Known<'_> {
    /// Whether two scalars at `path` mean the same.
    pub(super) fn same(&self, path: &[&str], live: &Value, target: &Value) -> bool {
        same(live, target)
            || match self.scalar(path) {
                Some(Shape::Quantity) => {
                    Quantity::of(live).is_some_and(|amount| Quantity::of(target) == Some(amount))
                }
                Some(Shape::Duration) => match (live.as_str(), target.as_str()) {
                    (Some(live), Some(target)) => {
                        nanoseconds(live).is_some_and(|span| nanoseconds(target) == Some(span))
                    }
                    _ => false,
                },
                _ => false,
            }
    }

    /// Whether a server that is sent this value shows nothing. `applied` says that we did send it: then that
    /// it is not there is proof.
    pub(super) fn dropped(&self, path: &[&str], target: &Value, applied: bool) -> bool {
        let name = path.last().copied().unwrap_or_default();
        match target {
            Value::Null => true,
            _ if Self::is_key(name) => false,
            Value::Array(items) => items.is_empty() && (applied || self.built_in),
            Value::Object(map) => {
                map.is_empty() && (applied || (self.built_in && DROPPED_WHEN_EMPTY.contains(&name)))
            }
            Value::String(text) => {
                text.is_empty() && (applied || (self.built_in && !KEPT_WHEN_EMPTY.contains(&name)))
            }
            Value::Bool(true) => false,
            Value::Bool(false) | Value::Number(_) => {
                (target == &Value::Bool(false) || target.as_f64() == Some(0.0))
                    && (applied || (self.built_in && DROPPED_WHEN_ZERO.contains(&name)))
            }
        }
    }

    /// Whether a server writes this by itself into what is replaced as a whole. For kinds that are not
    /// Kubernetes' own nobody can say, so everything counts.
    pub(super) fn is_default(&self, name: &str, value: &Value) -> bool {
        if !self.built_in {
            return true;
        }
        match value {
            Value::Null => true,
            Value::Object(map) => map.is_empty() || name == "status",
            Value::Array(items) => items.is_empty(),
            Value::String(text) => DEFAULTS.iter().any(|(known, default)| *known == name && default == text),
            Value::Number(number) => match name {
                "defaultMode" => number.as_i64() == Some(420),
                "port" => number.as_i64() == Some(443),
                _ => false,
            },
            Value::Bool(_) => false,
        }
    }
}

/// Whether two values are the same, numbers by what they are.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    compare(left, right).is_eq()
}
