//! The files of this machine.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use super::{Files, Place};
use crate::path;

/// Files on disk, reached from the current folder.
#[derive(Clone, Debug)]
pub struct Disk {
    current: String,
}

impl Disk {
    /// Relative paths begin in `current`, which must be absolute.
    pub fn at(current: &Path) -> Self {
        Self { current: current.to_string_lossy().into_owned() }
    }

    fn absolute(&self, path: &str) -> String {
        if path.starts_with('/') { path::clean(path) } else { path::join(&self.current, path) }
    }
}

impl Files for Disk {
    fn place(&self, path: &str) -> Result<Place, String> {
        let absolute = self.absolute(path);
        let real = fs::canonicalize(&absolute).map_err(|error| {
            format!("evalsymlink failure on '{path}' : {}", missing(Path::new(&absolute), &error))
        })?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        if real.is_dir() {
            return Ok(Place { folder: text(&real), file: None });
        }
        let folder = real.parent().map(text).unwrap_or_default();
        Ok(Place { folder, file: real.file_name().map(|name| name.to_string_lossy().into_owned()) })
    }

    fn place_in(&self, folder: &str, name: &str) -> Result<Place, String> {
        let path = path::join(folder, name);
        match fs::symlink_metadata(&path) {
            // No link, so nothing has to be followed.
            Ok(found) if found.is_file() => {
                Ok(Place { folder: folder.to_owned(), file: Some(name.to_owned()) })
            }
            Ok(_) => self.place(&path),
            Err(error) => Err(format!("evalsymlink failure on '{path}' : {}", said("lstat", &path, &error))),
        }
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let absolute = self.absolute(path);
        let open = |error| said("open", path, &error);
        // Opening a pipe would wait for whoever writes to it.
        let kind = fs::metadata(&absolute).map_err(open)?.file_type();
        if kind.is_dir() {
            return Err(format!("read {path}: is a directory"));
        }
        if !kind.is_file() {
            return Err(format!("read {path}: not a regular file"));
        }
        let file = fs::File::open(&absolute).map_err(open)?;
        let size = file.metadata().map_err(open)?.len();
        if size > most {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        // It may have grown since.
        file.take(most.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| said("read", path, &error))?;
        Ok(u64::try_from(bytes.len()).is_ok_and(|size| size <= most).then_some(bytes))
    }
}

/// Which part of a path could not be followed.
fn missing(path: &Path, error: &io::Error) -> String {
    let mut so_far = PathBuf::new();
    for component in path.components() {
        so_far.push(component);
        if matches!(component, Component::Normal(_)) && fs::symlink_metadata(&so_far).is_err() {
            return said("lstat", &so_far.to_string_lossy(), error);
        }
    }
    said("lstat", &path.to_string_lossy(), error)
}

/// An error in the words of Go's library.
fn said(verb: &str, path: &str, error: &io::Error) -> String {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::NotADirectory => "not a directory",
        _ => return format!("{verb} {path}: {error}"),
    };
    format!("{verb} {path}: {reason}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        fs::write(root.join("real/a"), "x").unwrap();
        symlink(root.join("real"), root.join("link")).unwrap();
        let files = Disk::at(&root);
        let place = files.place("link/a").unwrap();
        assert_eq!(place.folder, root.join("real").to_string_lossy());
        assert_eq!(place.file.as_deref(), Some("a"));
        assert_eq!(files.read("link/a", 1).unwrap().unwrap(), b"x");
        assert_eq!(files.read("link/a", 0).unwrap(), None);
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let files = Disk::at(folder.path());
        let error = files.place("no/way").unwrap_err();
        let missing = folder.path().join("no");
        assert_eq!(
            error,
            format!(
                "evalsymlink failure on 'no/way' : lstat {}: no such file or directory",
                missing.display()
            )
        );
    }

    #[test]
    fn folders_and_devices_are_not_read() {
        let files = Disk::at(Path::new("/"));
        assert!(files.read("/tmp", 9).unwrap_err().ends_with("is a directory"));
        assert!(files.read("/dev/zero", 9).unwrap_err().ends_with("not a regular file"));
    }
}
