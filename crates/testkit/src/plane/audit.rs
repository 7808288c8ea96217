//! The API server's audit log: who asked for what.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// Every request once, when it is complete, without bodies.
pub(super) const POLICY: &str = r#"{
  "apiVersion": "audit.k8s.io/v1", "kind": "Policy",
  "omitStages": ["RequestReceived", "ResponseStarted"],
  "rules": [{ "level": "Metadata" }]
}"#;

/// A part of the audit log: from the moment at which it was asked for.
#[derive(Clone, Debug)]
pub struct AuditLog {
    path: PathBuf,
    offset: u64,
}

/// One completed request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: String,
    /// Path and query.
    #[serde(rename = "requestURI")]
    pub uri: String,
    /// Who asked.
    pub user: AuditUser,
    /// With which program.
    #[serde(default)]
    pub user_agent: String,
    /// `ResponseComplete`, or `Panic`.
    pub stage: String,
    /// How it was answered.
    #[serde(default)]
    pub response_status: AuditStatus,
}

/// The user of an [`AuditEvent`].
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AuditUser {
    /// The user's name.
    #[serde(default)]
    pub username: String,
}

/// The answer of an [`AuditEvent`].
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AuditStatus {
    /// The HTTP status.
    #[serde(default)]
    pub code: u16,
}

impl AuditEvent {
    /// Whether it asked for a change that is kept (a dry run is not).
    pub fn is_write(&self) -> bool {
        let verbs = ["create", "update", "patch", "delete", "deletecollection"];
        verbs.contains(&self.verb.as_str()) && !self.uri.contains("dryRun=")
    }
}

impl AuditLog {
    pub(super) fn from_now(path: &Path) -> Self {
        let offset = std::fs::metadata(path).map_or(0, |found| found.len());
        Self { path: path.to_path_buf(), offset }
    }

    /// The whole log's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The requests completed since, in order. The event of a large answer (several KiB) may come a moment after the
    /// client has read it; that of a small one is there.
    pub fn events(&self) -> Result<Vec<AuditEvent>> {
        let name = || format!("read the audit log {}", self.path.display());
        let mut file = std::fs::File::open(&self.path).with_context(name)?;
        // An event that was half written when we began belongs to what was before, so the rest of its line is passed
        // over; of a whole one only its line feed is left.
        file.seek(SeekFrom::Start(self.offset.saturating_sub(1))).with_context(name)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(name)?;
        let text = String::from_utf8_lossy(&bytes);
        let text = match self.offset {
            0 => &*text,
            _ => text.split_once('\n').map_or("", |(_, lines)| lines),
        };
        // The last line may be half written.
        let complete = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
        complete.lines().map(|line| serde_json::from_str(line).with_context(name)).collect()
    }

    /// The changes that this user asked for since.
    pub fn writes_by(&self, user: &str) -> Result<Vec<AuditEvent>> {
        let mut events = self.events()?;
        events.retain(|event| event.user.username == user && event.is_write());
        Ok(events)
    }
}

/// Takes off an event that the API server was writing when it was killed.
pub(super) fn mend(path: &Path) -> Result<()> {
    let name = || format!("mend the audit log {}", path.display());
    let bytes = std::fs::read(path).with_context(name)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let file = std::fs::File::options().write(true).open(path).with_context(name)?;
    file.set_len(whole as u64).with_context(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_being_written_is_read_from_its_next_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let event = |verb: &str| {
            format!("{{\"verb\":\"{verb}\",\"requestURI\":\"/é\",\"user\":{{}},\"stage\":\"x\"}}\n")
        };
        let whole = [event("get"), event("list"), event("watch")].concat();
        for written in 0..whole.len() {
            std::fs::write(&path, whole.as_bytes().split_at(written).0).unwrap();
            let log = AuditLog::from_now(&path);
            assert_eq!(log.events().unwrap().len(), 0);
            std::fs::write(&path, &whole).unwrap();
            // What is complete, or half written, is of the past.
            let past = whole.as_bytes().split_at(written).0.split_inclusive(|byte| *byte == b'\n').count();
            assert_eq!(log.events().unwrap().len(), 3 - past, "{written}");
            std::fs::write(&path, whole.as_bytes().split_at(written).0).unwrap();
            mend(&path).unwrap();
            assert!(AuditLog { path: path.clone(), offset: 0 }.events().unwrap().len() <= past);
            assert!(std::fs::read(&path).unwrap().last().is_none_or(|byte| *byte == b'\n'));
        }
    }
}
