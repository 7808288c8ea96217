//! Following a collection: what is there now, then every change, for as long as somebody listens.
//!
//! ```text
//! list ──► Reset ──► watch ──► Applied / Deleted ...
//!  ▲                   │ ended: watch again from the last version seen
//!  └── 410, or broken ─┘
//! ```

use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use towpath_object::Resource;

use crate::call::Call;
use crate::error::parse_status;
use crate::lines::Lines;
use crate::read::in_words;
use crate::{Cluster, Error, Selection, path};

/// What a follower sees.
#[derive(Debug)]
pub enum Seen {
    /// All there is at this moment. What was known before and is not among it has gone.
    Reset(Vec<Value>),
    /// An object is new or has changed.
    Applied(Value),
    /// An object has gone.
    Deleted(Value),
    /// The collection cannot be followed; this is the last message.
    Failed(Error),
}

/// A collection being followed. Dropping it stops.
pub struct Follow {
    seen: mpsc::Receiver<Seen>,
    task: JoinHandle<()>,
}

impl Follow {
    /// The next thing seen; nothing after [`Seen::Failed`].
    pub async fn next(&mut self) -> Option<Seen> {
        self.seen.recv().await
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Cluster {
    /// Follows the selected objects of a kind.
    pub fn follow(&self, resource: &Resource, selection: Selection) -> Follow {
        let (sender, seen) = mpsc::channel(64);
        let follower = Follower { cluster: self.clone(), resource: resource.clone(), selection, sender };
        Follow { seen, task: tokio::spawn(follower.run()) }
    }
}

struct Follower {
    cluster: Cluster,
    resource: Resource,
    selection: Selection,
    sender: mpsc::Sender<Seen>,
}

/// Why a watch ended.
enum Ended {
    /// Normally, or by a broken connection: go on from here.
    At(String),
    /// The version is too old: list again.
    Expired,
    /// Nobody listens any more.
    Unheard,
}

impl Follower {
    async fn run(self) {
        loop {
            let mut version = match self.list().await {
                Ok(Some(version)) => version,
                Ok(None) => return,
                Err(error) => {
                    let _ = self.sender.send(Seen::Failed(error)).await;
                    return;
                }
            };
            loop {
                match self.watch(version).await {
                    Ok(Ended::At(next)) => version = next,
                    Ok(Ended::Expired) => break,
                    Ok(Ended::Unheard) => return,
                    Err(error) if error.is_closed_door() && error.code() != 0 => {
                        let _ = self.sender.send(Seen::Failed(error)).await;
                        return;
                    }
                    Err(error) => {
                        tracing::debug!(%error, "the watch broke; list again");
                        tokio::time::sleep(Duration::from_millis(200)).await;
                        break;
                    }
                }
            }
        }
    }

    async fn list(&self) -> Result<Option<String>, Error> {
        let mut objects = Vec::new();
        let version =
            self.cluster.list(&self.resource, &self.selection, |object| objects.push(object)).await?;
        Ok(self.sender.send(Seen::Reset(objects)).await.is_ok().then_some(version))
    }

    async fn watch(&self, mut version: String) -> Result<Ended, Error> {
        let what = format!("watch {}", in_words(&self.resource, &self.selection.namespace));
        let collection = path::collection(&self.resource, &self.selection.namespace);
        let mut query = self.selection.query();
        query.push(("watch", "true".into()));
        query.push(("allowWatchBookmarks", "true".into()));
        query.push(("timeoutSeconds", "290".into()));
        query.push(("resourceVersion", version.clone()));
        let call = Call::get(path::with_query(&collection, &query), what.clone());
        let response = match self.cluster.open(&call).await {
            Ok(response) => response,
            Err(error) if error.is_gone() => return Ok(Ended::Expired),
            Err(error) => return Err(error),
        };
        let mut answer = Lines::new(response);
        while let Some(lines) = answer.next().await {
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                match event(line, &what)? {
                    Event::Bookmark(newer) => version = newer,
                    Event::Expired => return Ok(Ended::Expired),
                    Event::Seen(newer, seen) => {
                        version = newer;
                        if self.sender.send(seen).await.is_err() {
                            return Ok(Ended::Unheard);
                        }
                    }
                }
            }
        }
        Ok(Ended::At(version))
    }
}

/// One line of a watch.
enum Event {
    Seen(String, Seen),
    Bookmark(String),
    Expired,
}

fn event(line: &[u8], what: &str) -> Result<Event, Error> {
    let nonsense = |message: String| Error::Nonsense { what: what.into(), message };
    let mut wire: Value = serde_json::from_slice(line).map_err(|error| nonsense(error.to_string()))?;
    let object = wire.get_mut("object").map(Value::take).unwrap_or_default();
    let version =
        object.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default().to_string();
    match wire.get("type").and_then(Value::as_str) {
        Some("ADDED" | "MODIFIED") => Ok(Event::Seen(version, Seen::Applied(object))),
        Some("DELETED") => Ok(Event::Seen(version, Seen::Deleted(object))),
        Some("BOOKMARK") => Ok(Event::Bookmark(version)),
        Some("ERROR") => {
            let code = object.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
            if code == Some(410) {
                return Ok(Event::Expired);
            }
            let status = parse_status(code.unwrap_or(500), None, object.to_string().as_bytes());
            Err(Error::Refused { what: what.into(), status: Box::new(status), note: None })
        }
        other => Err(nonsense(format!("an event of type {other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_events() {
        let applied =
            event(br#"{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"7"}}}"#, "w").unwrap();
        assert!(matches!(applied, Event::Seen(version, Seen::Applied(_)) if version == "7"));
        let expired = event(br#"{"type":"ERROR","object":{"kind":"Status","code":410}}"#, "w").unwrap();
        assert!(matches!(expired, Event::Expired));
        assert!(event(b"{\"type\":", "w").is_err());
    }
}
