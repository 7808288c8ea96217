//! Where files come from: a disk, or a tree in memory.
//!
//! In: a path as text. Out: the real place that it leads to, or bytes. Whether a path may be read at all is
//! for the loader to say.

mod disk;
mod memory;

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

/// A tree of files.
pub trait Files: Sync {
    /// Follows a path; the error says what was not there.
    fn place(&self, path: &str) -> Result<Place, String>;

    /// All bytes of a file.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
}
