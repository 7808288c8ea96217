//! A cluster's own schemas, and objects checked against them before anything is written.
//!
//! In: OpenAPI v3 documents as kube-apiserver serves them, CustomResourceDefinitions as people write them, and
//! objects. Out: [`Violation`]s, what a server-side apply of the object would be refused for. Pure: who fetches
//! the documents is not known here.
//!
//! The server is the judge, this is a forecast. It errs on one side only: what the server accepts is never
//! called wrong. So a kind that is not known has no violations, and rules that the server keeps elsewhere than
//! in its schemas (names, ranges, patterns, rules across fields) are left to it.
//!
//! ```
//! use serde_json::json;
//! use towpath_object::Gvk;
//! use towpath_schema::{Kind, Schemas};
//!
//! let mut schemas = Schemas::default();
//! schemas.add_definition(&json!({"spec": {
//!     "group": "shop.example.com", "names": {"kind": "Basket"},
//!     "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {
//!         "type": "object",
//!         "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
//!     }}}],
//! }}));
//! let basket = json!({"metadata": {"name": "mine"}, "spec": {"size": "three"}});
//! let found = schemas.check(&Gvk::new("shop.example.com/v1", "Basket"), &basket);
//! assert_eq!(found[0].to_string(), r#"spec.size: expected an integer, found the string "three""#);
//! assert_eq!(found[0].kind, Kind::WrongType);
//! ```

mod check;
mod enforced;
mod fit;
mod list;
mod names;
mod node;
mod place;
mod read;
mod schemas;
mod text;
mod violation;
mod wire;

pub use place::{Identity, Place};
pub use schemas::{Error, Schemas};
pub use violation::{Kind, Violation};
