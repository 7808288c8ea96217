//! Kubernetes-dialect YAML in and out, with the line of every value.
//!
//! In: bytes that someone wrote. Out: [`Document`]s, each a JSON value with the line of every field in it, or
//! an [`Error`] that names line, column and what to do. The dialect is that of kubectl: YAML 1.1 as go-yaml v2
//! reads it, turned into JSON as sigs.k8s.io/yaml does. The other way, [`to_string`] writes a value byte for
//! byte as those do. Never any file, clock or network, and never more memory than [`Limits`] allow.
//!
//! ```text
//! bytes -> input -> scan -> parse -> build -> documents      value -> emit -> text
//!          text     tokens  tree     value and lines
//! ```
//!
//! Where this reader is stricter than kubectl on purpose: a key written twice is an error (kubectl keeps the
//! last), text behind the end of a document is an error (it is ignored), collections may be nested 127 deep
//! (10,000), and what aliases expand to is limited in bytes as well. Where it is more generous: documents may
//! start on their `---` line, directives may stand before it, and JSON may have escapes that YAML 1.1 lacks.
//! The writer differs from Go's only for the key `<<`, which it quotes. `cargo xtask conformance yaml` holds
//! all this against the real libraries.

mod budget;
mod build;
mod document;
mod emit;
mod error;
mod input;
mod json;
mod lines;
mod node;
mod number;
mod parse;
mod resolve;
mod scan;
mod timestamp;
mod tree;

pub use document::{Document, Limits, documents, first_document};
pub use emit::to_string;
pub use error::{Error, Kind};
pub use lines::Lines;
pub use node::{
    Content, Dialect, Entry, Key, Node, Style, Tag, WriteError, is_yaml_1_1_non_string, read, write,
    write_to, write_v3,
};
pub use number::{format_float, positional, shortest_digits};
