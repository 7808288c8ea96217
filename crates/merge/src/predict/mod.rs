//! What an object would be after an apply, without asking the server.
//!
//! In: the target, the live object with its managed fields, and what is known of its kind ([`Facts`]). Out: the
//! live object as it would be ([`predict`]). Three-way by ownership, as the server does it: what the target says
//! is set, what we applied before and no longer want goes, what others own or nobody wrote stays. Where we have
//! not applied before, what `kubectl apply` wrote down counts as ours. [`answered`] gives the same of a server's
//! own answer, without what webhooks and defaults add to it.
//!
//! The server's defaults are not known here. They cannot disturb: a field that the target does not mention and
//! that is not ours stays as it is live. Quantities, durations and numbers are compared by what they are, and
//! what a server drops because it is empty is not missed.
//!
//! ```
//! use serde_json::json;
//! use towpath_merge::predict::{Options, predict};
//!
//! let live = json!({
//!     "apiVersion": "apps/v1", "kind": "Deployment",
//!     "metadata": {"name": "web", "labels": {"old": "1", "theirs": "1"}, "managedFields": [{
//!         "manager": "towpath", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1",
//!         "fieldsV1": {"f:metadata": {"f:labels": {"f:old": {}}}, "f:spec": {"f:replicas": {}}},
//!     }, {
//!         "manager": "other", "operation": "Update", "apiVersion": "apps/v1", "fieldsType": "FieldsV1",
//!         "fieldsV1": {"f:metadata": {"f:labels": {"f:theirs": {}}}},
//!     }]},
//!     "spec": {"replicas": 1, "revisionHistoryLimit": 10},
//! });
//! let target = json!({
//!     "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2},
//! });
//! let after = predict(&target, &live, &Options::of("towpath"));
//! assert_eq!(after["metadata"]["labels"], json!({"theirs": "1"}));
//! assert_eq!(after["spec"], json!({"replicas": 2, "revisionHistoryLimit": 10}));
//! ```

mod answer;
mod duration;
mod facts;
mod lists;
mod normal;
mod owned;
mod quantity;
mod scalar;
mod walk;

use std::fmt;

use serde_json::Value;

pub use answer::answered;
pub use facts::{Facts, Shape};
pub(crate) use normal::normal;
pub(crate) use owned::LAST_APPLIED;
pub(crate) use scalar::same;

use facts::Known;
use owned::Owned;
use walk::{Spot, Walk};

/// How to predict.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Our name among the managers.
    pub manager: &'a str,
    /// What is known of the kind; nothing by default.
    pub facts: &'a dyn Facts,
    /// The rules of a role that collects those of others are none of ours.
    pub ignore_aggregated_roles: bool,
    /// Fields that people have added by hand count as differences.
    pub strict: bool,
}

impl<'a> Options<'a> {
    /// The usual ones for a manager.
    pub fn of(manager: &'a str) -> Self {
        Self { manager, facts: &(), ignore_aggregated_roles: false, strict: false }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("manager", &self.manager)
            .field("ignore_aggregated_roles", &self.ignore_aggregated_roles)
            .field("strict", &self.strict)
            .finish_non_exhaustive()
    }
}

/// The live object as it would be after an apply of `target`. Predicting twice changes nothing more.
pub fn predict(target: &Value, live: &Value, options: &Options<'_>) -> Value {
    let (mut target, live) = (normal(&without_nulls(target.clone()), options), normal(live, options));
    forget_server_fields(&mut target);
    let known = Known::of(&live, options.facts);
    let owned = Owned::of(&live, options.manager, &known);
    let walk = Walk { known: &known };
    let spot = Spot { ours: &owned.ours, others: &owned.others, exact: false };
    normal(&walk.value(&mut Vec::new(), Some(&live), &target, spot), options)
}

/// What says which object it is, and what the server alone writes: nothing that an apply changes.
const NOT_OURS: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["status"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "generateName"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
    &["metadata", "uid"],
    &["metadata", "generation"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
];

fn forget_server_fields(target: &mut Value) {
    for path in NOT_OURS {
        let Some((name, above)) = path.split_last() else { continue };
        let parent = above.iter().try_fold(&mut *target, |value, name| value.get_mut(name));
        if let Some(map) = parent.and_then(Value::as_object_mut) {
            map.remove(*name);
        }
    }
}

/// A target as the server would take it: nulls in mappings are as good as absent.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let fields = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}
