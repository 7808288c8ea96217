//! Manifests from files, folders and pipes, with the line of everything for messages.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use towpath_plan::{Manifest, Origin};
use towpath_settings::MAX_FILE;
use towpath_yaml::{Document, Limits, documents};

use crate::report::Problem;

/// Something that cannot be read, and where.
#[derive(Clone, Debug)]
pub struct Complaint {
    file: Arc<str>,
    line: Option<u32>,
    message: String,
    pub hint: Option<String>,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// The lines of fields, by the object they belong to.
#[derive(Debug, Default)]
pub struct Lines {
    documents: BTreeMap<Origin, (Arc<towpath_yaml::Lines>, Vec<String>)>,
}

impl Lines {
    /// The line of `field` (`spec.containers[0].image`) of the object that was written at `origin`, or of the
    /// nearest field around it that was written.
    pub fn of(&self, origin: &Origin, field: &str) -> Option<u32> {
        let (lines, prefix) = self.documents.get(origin)?;
        nearest(lines, prefix, field)
    }
}

/// The line of `field` below `prefix`, or of what is nearest around it.
fn nearest(lines: &towpath_yaml::Lines, prefix: &[String], field: &str) -> Option<u32> {
    let mut path = prefix.to_vec();
    path.extend(field_parts(field));
    lines.nearest(&path)
}

/// `spec.containers[0].image` to its parts.
fn field_parts(field: &str) -> Vec<String> {
    let parts = field.split(['.', '[', ']']).filter(|part| !part.is_empty());
    parts.map(|part| part.trim_matches('"').to_string()).collect()
}

/// Reads all manifests below `paths`, or says everything that is wrong with them.
pub fn read(paths: &[PathBuf]) -> Result<(Vec<Manifest>, Lines), Problem> {
    let mut reader = Reader::default();
    for path in paths {
        if path.as_os_str() == "-" {
            reader.pipe();
        } else {
            reader.path(path, true);
        }
    }
    if reader.complaints.is_empty() && reader.manifests.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        reader.complain(
            &names.join(", ").into(),
            None,
            "there is no manifest in it",
            Some("an empty folder would mean an empty app; `towpath delete` removes an app"),
        );
    }
    if reader.complaints.is_empty() {
        Ok((reader.manifests, reader.lines))
    } else {
        Err(Problem::Files(reader.complaints))
    }
}

#[derive(Default)]
struct Reader {
    manifests: Vec<Manifest>,
    lines: Lines,
    complaints: Vec<Complaint>,
}

impl Reader {
    fn path(&mut self, path: &Path, named: bool) {
        let shown: Arc<str> = path.display().to_string().into();
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => return self.complain(&shown, None, &error.to_string(), None),
        };
        if metadata.is_dir() {
            return self.folder(path, &shown);
        }
        if metadata.len() > MAX_FILE {
            let message = format!("the file is {} bytes; at most {MAX_FILE} are read", metadata.len());
            return self.complain(&shown, None, &message, None);
        }
        if named || is_manifest(path) {
            match std::fs::read(path) {
                Ok(bytes) => self.text(&shown, &bytes),
                Err(error) => self.complain(&shown, None, &error.to_string(), None),
            }
        }
    }

    /// Everything below a folder, in the order of the names. Hidden files are left out, and so are links that
    /// lead out of the folder: what is deployed is what is in it.
    fn folder(&mut self, folder: &Path, shown: &Arc<str>) {
        let entries: Result<Vec<PathBuf>, _> = std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.complain(shown, None, &error.to_string(), None),
        };
        entries.sort();
        for entry in entries {
            let hidden = entry.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            let linked_folder = entry.is_symlink() && entry.is_dir();
            if !hidden && !linked_folder {
                self.path(&entry, false);
            }
        }
    }

    fn pipe(&mut self) {
        let mut bytes = Vec::new();
        match std::io::stdin().lock().take(MAX_FILE).read_to_end(&mut bytes) {
            Ok(_) => self.text(&"stdin".into(), &bytes),
            Err(error) => self.complain(&"stdin".into(), None, &error.to_string(), None),
        }
    }

    fn text(&mut self, file: &Arc<str>, bytes: &[u8]) {
        match documents(bytes, &Limits::default()) {
            Ok(documents) => {
                for document in documents {
                    self.document(file, document);
                }
            }
            Err(error) => self.complain(file, Some(error.line), &error.message, error.hint),
        }
    }

    /// A document is an object, or a list of objects as `kubectl get -o yaml` prints them.
    fn document(&mut self, file: &Arc<str>, mut document: Document) {
        let is_list =
            document.value.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
        let lines = Arc::new(document.lines);
        match document.value.get_mut("items").and_then(Value::as_array_mut) {
            Some(items) if is_list => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.object(file, item.take(), &lines, vec!["items".into(), index.to_string()]);
                }
            }
            _ => self.object(file, document.value, &lines, Vec::new()),
        }
    }

    fn object(
        &mut self,
        file: &Arc<str>,
        value: Value,
        lines: &Arc<towpath_yaml::Lines>,
        prefix: Vec<String>,
    ) {
        let line = lines.nearest(&prefix).unwrap_or(1);
        let origin = Origin { file: file.clone(), line };
        match Manifest::new(value, origin.clone()) {
            Ok(manifest) => {
                self.lines.documents.insert(origin, (lines.clone(), prefix));
                self.manifests.push(manifest);
            }
            Err(invalid) => {
                let at = nearest(lines, &prefix, invalid.field()).unwrap_or(line);
                self.complain(file, Some(at), &invalid.to_string(), None);
            }
        }
    }

    fn complain(&mut self, file: &Arc<str>, line: Option<u32>, message: &str, hint: Option<&str>) {
        let complaint =
            Complaint { file: file.clone(), line, message: message.into(), hint: hint.map(Into::into) };
        self.complaints.push(complaint);
    }
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml" || extension == "json")
}
