//! A tree of files in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::{Files, Place};
use crate::path;

/// Files by their absolute, clean paths. There are no links.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
    folders: BTreeSet<String>,
}

impl Memory {
    /// A tree with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, and the folders that lead to it.
    pub fn add(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        let path = path::join("/", path);
        let mut folder = path.as_str();
        while let Some((parent, _)) = folder.rsplit_once('/') {
            self.folders.insert(if parent.is_empty() { "/".to_owned() } else { parent.to_owned() });
            folder = parent;
        }
        self.files.insert(path, content.into());
    }

    /// Whether a file stands where a folder is needed.
    fn blocked<'p>(&self, path: &'p str) -> Option<&'p str> {
        let slashes = path.char_indices().filter(|(at, letter)| *letter == '/' && *at > 0);
        slashes.filter_map(|(at, _)| path.get(..at)).find(|parent| self.files.contains_key(*parent))
    }
}

impl Files for Memory {
    fn place(&self, path: &str) -> Result<Place, String> {
        let full = path::join("/", path);
        if self.folders.contains(&full) || full == "/" {
            return Ok(Place { folder: full, file: None });
        }
        if self.files.contains_key(&full) {
            let (folder, file) = full.rsplit_once('/').unwrap_or(("", &full));
            let folder = if folder.is_empty() { "/" } else { folder };
            return Ok(Place { folder: folder.to_owned(), file: Some(file.to_owned()) });
        }
        Err(match self.blocked(&full) {
            Some(file) => format!("unable to clean: '{file}' is not a directory"),
            None => format!("'{path}' doesn't exist"),
        })
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let full = path::join("/", path);
        if let Some(content) = self.files.get(&full) {
            let fits = u64::try_from(content.len()).is_ok_and(|size| size <= most);
            return Ok(fits.then(|| content.clone()));
        }
        Err(if self.folders.contains(&full) {
            "cannot read content from non-file '/'".to_owned()
        } else if let Some(file) = self.blocked(&full) {
            format!("'{file}' is not a directory")
        } else {
            format!("'{path}' doesn't exist")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_their_folders_are_found() {
        let mut files = Memory::new();
        files.add("a/b.yaml", "x");
        assert_eq!(files.place("/a").unwrap(), Place { folder: "/a".into(), file: None });
        let place = Place { folder: "/a".into(), file: Some("b.yaml".into()) };
        assert_eq!(files.place("a/../a/b.yaml").unwrap(), place);
        assert_eq!(files.read("a/b.yaml", 1).unwrap().unwrap(), b"x");
        assert_eq!(files.place("c").unwrap_err(), "'c' doesn't exist");
        assert_eq!(files.place("a/b.yaml/c").unwrap_err(), "unable to clean: '/a/b.yaml' is not a directory");
    }
}
