//! Kubernetes-dialect YAML in and out, with the line of every value.
//!
//! In: bytes that someone wrote. Out: [`Document`]s, each a JSON value with the line of every field in it, or
//! an [`Error`] that names line, column and what to do. The dialect is that of kubectl: YAML 1.1 as go-yaml v2
//! reads it, turned into JSON as sigs.k8s.io/yaml does. Never any file, clock or network, and never more
//! memory than [`Limits`] allow.
//!
//! ```text
//! bytes -> input -> scan -> parse -> build -> documents
//!          text     tokens  tree     value and lines
//! ```
//!
//! Where this reader is deliberately stricter than Go's: a key written twice is an error (Go keeps the last),
//! text behind the end of a document is an error (Go ignores it), collections may be nested 127 deep (10,000),
//! and what aliases expand to is limited in bytes as well.

mod build;
mod document;
mod emit;
mod error;
mod input;
mod json;
mod lines;
mod number;
mod parse;
mod resolve;
mod scan;
mod timestamp;
mod tree;

pub use document::{Document, Limits, documents};
pub use emit::to_string;
pub use error::{Error, Kind};
pub use lines::Lines;
