//! A kustomization tree to manifests, byte for byte as kustomize 5.8.1 builds it.
//!
//! In: a tree of files ([`Files`]: a disk or memory), the folder to begin in, [`Options`]. Out: an [`Output`]
//! with the objects as text or as one file each, and what there was to warn of; or an [`Error`] in upstream's
//! words. Never the network, and never a program unless the caller brings what runs it ([`Functions`]): what is
//! remote or needs a plugin is refused. Nothing is global, so builds run side by side.
//!
//! ```text
//! files -> loader -> spec -> target: read, generate, transform, recursively -> accumulator
//!                                                                                   |
//!      output <- sort, labels, annotations <- variables <- name references <- hashes
//! ```

mod accumulator;
mod budget;
mod build;
mod config;
mod configure;
mod decode;
mod error;
mod fieldpath;
mod files;
mod function;
mod generate;
mod id;
mod kinds;
mod loader;
mod origin;
mod output;
mod path;
mod plugin;
mod read;
mod remote;
mod resource;
mod resources;
mod selector;
mod spec;
mod target;
mod transform;
mod tree;
mod walk;

pub use budget::Limits;
pub use build::{Options, Reorder, build};
pub use error::Error;
pub use files::{Decrypted, Disk, Files, Memory, Place, Use};
pub use function::{Call, Functions};
pub use loader::Restriction;
pub use output::Output;
