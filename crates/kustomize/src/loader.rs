//! Reading files for one kustomization, within what it may read.

use std::rc::Rc;

use serde_json::Value;

use crate::budget::{Budget, Limits};
use crate::error::Error;
use crate::files::{Files, Use};
use crate::kinds::Kinds;
use crate::resource::Resource;
use crate::{path, read, remote};

/// Which files a kustomization may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restriction {
    /// Those in its own folder and below it, links followed.
    #[default]
    RootOnly,
    /// All.
    None,
}

/// Reads on behalf of the kustomization in one folder, and knows who asked for that folder.
#[derive(Clone)]
pub struct Loader<'f> {
    files: &'f dyn Files,
    restriction: Restriction,
    root: Rc<str>,
    kinds: Kinds,
    budget: Budget,
    referrer: Option<Rc<Loader<'f>>>,
}

impl<'f> Loader<'f> {
    /// For the folder that the build begins in.
    pub fn new(files: &'f dyn Files, restriction: Restriction, target: &str) -> Result<Self, Error> {
        if remote::is_repository(target) {
            return Err(Error::Remote(target.to_owned()));
        }
        let root = confirm(files, target, target)?;
        Ok(Self {
            files,
            restriction,
            root: root.into(),
            kinds: Kinds::default(),
            budget: Budget::new(&Limits::default()),
            referrer: None,
        })
    }

    /// With another budget.
    pub fn within(self, budget: &Budget) -> Self {
        Self { budget: budget.clone(), ..self }
    }

    /// For a folder that this one refers to.
    pub fn folder(&self, target: &str) -> Result<Self, Error> {
        if target.is_empty() {
            return Err(Error::invalid("new root cannot be empty"));
        }
        if remote::is_repository(target) {
            return Err(Error::Remote(target.to_owned()));
        }
        if target.starts_with('/') {
            return Err(Error::invalid(format!("new root '{target}' cannot be absolute")));
        }
        let joined = path::join(&self.root, target);
        let root = confirm(self.files, &joined, &joined)?;
        self.refuse_cycle(&root)?;
        Ok(Self {
            files: self.files,
            restriction: self.restriction,
            root: root.into(),
            kinds: self.kinds.clone(),
            budget: self.budget.clone(),
            referrer: Some(Rc::new(self.clone())),
        })
    }

    /// The folder.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// What the build knows of kinds.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// What the build may still cost.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The objects in a text.
    pub fn objects(&self, text: &[u8]) -> Result<Vec<Resource>, Error> {
        let objects = read::objects(text, &self.kinds, &self.budget.of_text())?;
        self.budget.spend_values(text, objects.iter().map(|object| &object.node))?;
        Ok(objects)
    }

    /// The value in a file that the kustomization names: a configuration, or replacements.
    pub fn value(&self, file: &str) -> Result<Value, Error> {
        read::value(&self.load(file)?, &self.budget.of_text())
    }

    fn refuse_cycle(&self, candidate: &str) -> Result<(), Error> {
        let mut visited = Some(self);
        while let Some(loader) = visited {
            if path::is_within(&loader.root, candidate) {
                return Err(Error::invalid(format!(
                    "cycle detected: candidate root '{candidate}' contains visited root '{}'",
                    loader.root
                )));
            }
            visited = loader.referrer.as_deref();
        }
        Ok(())
    }

    /// Reads a file that the kustomization names and that may be encrypted.
    pub fn input(&self, file: &str, purpose: Use<'_>) -> Result<Vec<u8>, Error> {
        let (path, bytes) = self.read(file)?;
        let open = self.files.decrypt(&path, purpose, bytes);
        open.map_err(|reason| Error::Encrypted { path, reason })
    }

    /// Reads a file that the kustomization names.
    pub fn load(&self, file: &str) -> Result<Vec<u8>, Error> {
        Ok(self.read(file)?.1)
    }

    /// The real path of a file, and its bytes.
    fn read(&self, file: &str) -> Result<(String, Vec<u8>), Error> {
        if remote::is_url(file) {
            return Err(Error::Remote(file.to_owned()));
        }
        let full = if file.starts_with('/') { file.to_owned() } else { path::join(&self.root, file) };
        if self.restriction == Restriction::None {
            return self.take(full);
        }
        let plain = !file.contains('/') && !matches!(file, "" | "." | "..");
        let place = if plain { self.files.place_in(&self.root, file) } else { self.files.place(&full) };
        let place = place.map_err(Error::Unreadable)?;
        let Some(name) = place.file else {
            return Err(Error::Unreadable(format!("'{full}' must resolve to a file")));
        };
        if !path::is_within(&place.folder, &self.root) {
            return Err(Error::Unreadable(format!(
                "security; file '{full}' is not in or below '{}'",
                self.root
            )));
        }
        let path = path::join(&place.folder, &name);
        self.take(path)
    }

    fn take(&self, path: String) -> Result<(String, Vec<u8>), Error> {
        match self.files.read(&path, self.budget.file()).map_err(Error::Unreadable)? {
            Some(bytes) => {
                self.budget.spend_file(bytes.len())?;
                Ok((path, bytes))
            }
            None => Err(self.budget.too_large(&path)),
        }
    }
}

fn confirm(files: &dyn Files, target: &str, shown: &str) -> Result<String, Error> {
    if target.is_empty() {
        return Err(Error::invalid("must build at directory: directory path cannot be empty"));
    }
    let place = files.place(target).map_err(|error| {
        Error::Unreadable(format!("must build at directory: not a valid directory: {error}"))
    })?;
    match place.file {
        None => Ok(place.folder),
        Some(_) => {
            Err(Error::Unreadable(format!("must build at directory: '{shown}': file is not directory")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    fn tree() -> Memory {
        let mut files = Memory::new();
        for file in ["a/x.yaml", "a/b/y.yaml", "c/z.yaml"] {
            files.add(file, file);
        }
        files
    }

    #[test]
    fn only_what_is_below_is_read() {
        let files = tree();
        let loader = Loader::new(&files, Restriction::RootOnly, "/a").unwrap();
        assert_eq!(loader.load("b/y.yaml").unwrap(), b"a/b/y.yaml");
        let error = loader.load("../c/z.yaml").unwrap_err().to_string();
        assert_eq!(error, "security; file '/c/z.yaml' is not in or below '/a'");
        let free = Loader::new(&files, Restriction::None, "/a").unwrap();
        assert_eq!(free.load("../c/z.yaml").unwrap(), b"c/z.yaml");
    }

    #[test]
    fn cycles_and_absolute_folders_are_refused() {
        let files = tree();
        let loader = Loader::new(&files, Restriction::RootOnly, "a").unwrap();
        let error = |target| loader.folder(target).err().unwrap().to_string();
        assert_eq!(error("."), "cycle detected: candidate root '/a' contains visited root '/a'");
        assert_eq!(error(".."), "cycle detected: candidate root '/' contains visited root '/a'");
        assert_eq!(error("/c"), "new root '/c' cannot be absolute");
        assert_eq!(error("x.yaml"), "must build at directory: '/a/x.yaml': file is not directory");
        assert!(matches!(loader.folder("github.com/a/b"), Err(Error::Remote(_))));
        assert_eq!(loader.folder("b").unwrap().root(), "/a/b");
        assert_eq!(loader.folder("../c").unwrap().root(), "/c");
    }
}
