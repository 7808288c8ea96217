//! Who owns which fields of an object, in which fields two objects differ, and what an apply would change.
//!
//! In: JSON values as people write them and as a server returns them. Out: a [`FieldSet`] (what a manager owns,
//! from `metadata.managedFields`), the part of an object that a set owns ([`extract`]), the [`Change`]s between
//! two objects ([`diff`]); what is left alone by rule ([`ignore`]), what an object would be after an apply
//! ([`predict`]), and why it is not yet ([`explain`]). Pure, and without schemas: what a list is keyed by is
//! told by the caller, read from a set, or known of Kubernetes' own kinds.
//!
//! Whether something of ours was changed, without asking the server anything:
//!
//! ```
//! use serde_json::json;
//! use towpath_merge::{extract, managers};
//!
//! // What the server returned when we applied: two fields are ours, the default is not.
//! let applied = json!({
//!     "metadata": {"managedFields": [{
//!         "manager": "towpath", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1",
//!         "fieldsV1": {"f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:containers": {
//!             "k:{\"name\":\"web\"}": {".": {}, "f:name": {}, "f:image": {}}}}}}},
//!     }]},
//!     "spec": {"replicas": 2, "revisionHistoryLimit": 10,
//!         "template": {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}},
//! });
//! let ours = &managers(&applied)?[0].fields;
//! let recorded = extract(ours, &applied);
//!
//! // Somebody adds a container and changes a field that is not ours: the same to us.
//! let mut live = applied.clone();
//! live["spec"]["revisionHistoryLimit"] = json!(3);
//! live["spec"]["template"]["spec"]["containers"] =
//!     json!([{"name": "proxy", "image": "proxy:1"}, {"name": "web", "image": "web:1"}]);
//! assert_eq!(extract(ours, &live), recorded);
//!
//! // Somebody changes our image: drift.
//! live["spec"]["template"]["spec"]["containers"][1]["image"] = json!("web:2");
//! assert_ne!(extract(ours, &live), recorded);
//! # Ok::<(), towpath_merge::FieldsError>(())
//! ```

mod diff;
pub mod explain;
mod fields;
pub mod ignore;
pub mod json6902;
mod literal;
mod managers;
mod path;
pub mod predict;
pub mod strategic;

pub use diff::{Change, Kind, diff};
pub use fields::{FieldSet, FieldsError, extract};
pub use literal::Literal;
pub use managers::{ManagerEntry, Operation, managers};
pub use path::{Element, ListKey, Path};
