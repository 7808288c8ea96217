//! Where files come from: a disk, a tree in memory, or either of them with some files encrypted.
//!
//! In: a path as text. Out: the real place that it leads to, or bytes. Whether a path may be read at all is
//! for the loader to say.

use crate::path;

mod decrypted;
mod disk;
mod memory;

pub use decrypted::Decrypted;
pub use disk::Disk;
pub use memory::Memory;

/// Where a path leads once all links are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder, absolute and without links.
    pub folder: String,
    /// The file in it; none where the path is the folder itself.
    pub file: Option<String>,
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use<'a> {
    /// Objects: resources, and the configuration of generators, transformers and validators.
    Resource,
    /// A patch.
    Patch,
    /// The value of a key of a generated Secret.
    Secret {
        /// The key.
        key: &'a str,
    },
    /// An env file of a generated Secret.
    SecretEnv,
    /// The value of a key of a generated ConfigMap.
    ConfigMap {
        /// The key.
        key: &'a str,
    },
    /// An env file of a generated ConfigMap.
    ConfigMapEnv,
}

/// A tree of files.
pub trait Files: Sync {
    /// Follows a path; the error says what was not there.
    fn place(&self, path: &str) -> Result<Place, String>;

    /// Follows a name in a folder that is already free of links; the same answer, sooner.
    fn place_in(&self, folder: &str, name: &str) -> Result<Place, String> {
        self.place(&path::join(folder, name))
    }

    /// All bytes of a file; none if they are more than `most`.
    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, String>;

    /// The bytes to use for those that were read; for trees in which some files are encrypted.
    fn decrypt(&self, path: &str, purpose: Use<'_>, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let _ = (path, purpose);
        Ok(bytes)
    }
}
