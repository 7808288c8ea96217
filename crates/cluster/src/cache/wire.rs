//! Lines of a watch and items of a list, as what the index takes in.

use serde::Deserialize;
use serde_json::Value;

use super::definition::{self, Definition};
use super::observe::{Metadata, Observed, observe};
use super::{CacheSettings, GroupKind};
use crate::Error;
use crate::error::parse_status;

/// Something that came from the server.
pub(super) enum Item {
    Seen(Box<Observed>, Option<Definition>),
    Gone {
        namespace: String,
        name: String,
        uid: String,
    },
    /// So far everything has been told; with `all_told` the initial objects are complete.
    Bookmark {
        all_told: bool,
    },
    /// The version that we watch from is too old.
    Expired,
    Failed(Error),
}

/// How lines of one kind are read.
pub(super) struct Reader<'a> {
    pub(super) kind: &'a GroupKind,
    pub(super) settings: &'a CacheSettings,
    pub(super) what: &'a str,
}

#[derive(Deserialize)]
struct Line {
    r#type: String,
    object: Partial,
}

#[derive(Deserialize)]
struct Partial {
    #[serde(default)]
    metadata: Metadata,
}

impl Reader<'_> {
    /// One line, and the version that the server is at after it.
    pub(super) fn line(&self, line: &[u8]) -> Result<(Item, String), Error> {
        let nonsense =
            |error: serde_json::Error| Error::Nonsense { what: self.what.into(), message: error.to_string() };
        let whole = || {
            let mut line: Value = serde_json::from_slice(line).ok()?;
            line.get_mut("object").map(Value::take)
        };
        let Line { r#type, object } = serde_json::from_slice(line).map_err(nonsense)?;
        let version = object.metadata.resource_version.clone();
        let item = match r#type.as_str() {
            "ADDED" | "MODIFIED" => self.seen(object.metadata, whole),
            "DELETED" => {
                let Metadata { namespace, name, uid, .. } = object.metadata;
                Item::Gone { namespace, name, uid }
            }
            "BOOKMARK" => {
                let mark = whole().and_then(|object| {
                    object
                        .get("metadata")?
                        .get("annotations")?
                        .get("k8s.io/initial-events-end")?
                        .as_str()
                        .map(Into::into)
                });
                Item::Bookmark { all_told: mark == Some("true".to_string()) }
            }
            "ERROR" => self.failed(&whole().unwrap_or_default()),
            other => {
                return Err(Error::Nonsense {
                    what: self.what.into(),
                    message: format!("an event of type {other:?}"),
                });
            }
        };
        Ok((item, version))
    }

    /// One item of a list.
    pub(super) fn object(&self, object: &Value) -> Result<Item, Error> {
        let metadata = Metadata::deserialize(object.get("metadata").unwrap_or(&Value::Null))
            .map_err(|error| Error::Nonsense { what: self.what.into(), message: error.to_string() })?;
        Ok(self.seen(metadata, || Some(object.clone())))
    }

    fn seen(&self, metadata: Metadata, whole: impl Fn() -> Option<Value>) -> Item {
        let definition = if definition::defines(self.kind) {
            whole().and_then(|object| definition::read(self.kind, &object))
        } else {
            None
        };
        Item::Seen(Box::new(observe(self.kind, metadata, self.settings, whole)), definition)
    }

    fn failed(&self, status: &Value) -> Item {
        let code = status
            .get("code")
            .and_then(Value::as_u64)
            .and_then(|code| u16::try_from(code).ok())
            .unwrap_or(500);
        if code == 410 {
            return Item::Expired;
        }
        let status = Box::new(parse_status(code, None, status.to_string().as_bytes()));
        Item::Failed(Error::Refused { what: self.what.into(), status, note: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(Item, String), Error> {
        let (kind, settings) = (GroupKind::new("", "Pod"), CacheSettings::default());
        Reader { kind: &kind, settings: &settings, what: "watch Pod" }.line(line.as_bytes())
    }

    #[test]
    fn lines() {
        let (item, version) =
            read(r#"{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"},"spec":[]}}"#)
                .unwrap();
        assert!(matches!(item, Item::Seen(seen, None) if seen.name == "a") && version == "7");
        let (item, _) = read(r#"{"type":"DELETED","object":{"metadata":{"name":"a","uid":"u"}}}"#).unwrap();
        assert!(matches!(item, Item::Gone { uid, .. } if uid == "u"));
        let end = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
        let (item, version) = read(end).unwrap();
        assert!(matches!(item, Item::Bookmark { all_told: true }) && version == "9");
        let (item, _) = read(r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}"#).unwrap();
        assert!(matches!(item, Item::Bookmark { all_told: false }));
        let (item, _) =
            read(r#"{"type":"ERROR","object":{"kind":"Status","metadata":{},"code":410}}"#).unwrap();
        assert!(matches!(item, Item::Expired));
        let (item, _) =
            read(r#"{"type":"ERROR","object":{"kind":"Status","metadata":{},"code":500,"message":"no"}}"#)
                .unwrap();
        assert!(matches!(item, Item::Failed(error) if error.code() == 500));
        assert!(read("{\"type\":").is_err() && read(r#"{"type":"ODD","object":{}}"#).is_err());
    }
}
