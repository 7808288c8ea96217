//! Lists and watches, written out piece by piece: what is not read is not made.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use serde_json::json;
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::serve::Body;
use crate::refusal::Refusal;
use crate::request::Shown;
use crate::server::{List, Watch, render};
use crate::store::{Event, Record, What};

/// How much is written at a time.
const PIECE: usize = 64 * 1024;
/// How many events are taken at a time.
const EVENTS: usize = 512;
/// How often a client is told that nothing has happened, as the real server does.
const BOOKMARK: Duration = Duration::from_secs(60);
/// A watch without an end has one.
const LONGEST: u64 = 1800;

fn body(pieces: impl Stream<Item = Vec<u8>> + Send + 'static) -> Body {
    StreamBody::new(pieces.map(|piece| Ok(Frame::data(Bytes::from(piece))))).boxed_unsync()
}

/// A list as it is sent.
pub(super) fn list(list: List) -> Body {
    let (kind, shown) = (list.kind, list.shown);
    let (name, api_version) = match shown {
        Shown::Whole => (format!("{}List", kind.gvk.kind), kind.gvk.api_version()),
        Shown::Metadata => ("PartialObjectMetadataList".into(), "meta.k8s.io/v1".into()),
    };
    let mut metadata = json!({"resourceVersion": list.version.to_string()});
    // A list of a custom kind always says how it goes on.
    if let (true, Some(fields)) = (kind.custom && shown == Shown::Whole, metadata.as_object_mut()) {
        fields.insert("continue".into(), "".into());
    }
    if let (false, Some(fields)) = (list.token.is_empty(), metadata.as_object_mut()) {
        fields.insert("continue".into(), list.token.into());
        if let Some(remaining) = list.remaining {
            fields.insert("remainingItemCount".into(), remaining.into());
        }
    }
    let head =
        format!("{{\"kind\":\"{name}\",\"apiVersion\":\"{api_version}\",\"metadata\":{metadata},\"items\":[");
    // Of Kubernetes' own kinds the items of a list do not repeat their type.
    let bare = shown == Shown::Whole && !kind.custom;
    // What the next piece begins with; nothing when the list is complete.
    let state = (list.records.into_iter(), Some(head.into_bytes()), false);
    body(stream::unfold(state, move |(mut records, begun, mut comma)| {
        let kind = kind.clone();
        async move {
            let mut piece = begun?;
            while piece.len() < PIECE {
                let Some(record) = records.next() else {
                    piece.extend_from_slice(b"]}\n");
                    return Some((piece, (records, None, comma)));
                };
                if comma {
                    piece.push(b',');
                }
                comma = true;
                if bare {
                    piece.extend_from_slice(&record.text);
                } else {
                    render(&kind, &record, shown, &mut piece);
                }
            }
            Some((piece, (records, Some(Vec::new()), comma)))
        }
    }))
}

/// A watch as it is sent.
pub(super) fn watch(shared: Arc<Shared>, watch: Watch) -> Body {
    let news = shared.server().store.table(watch.kind.table).news();
    let end = Instant::now() + Duration::from_secs(watch.seconds.unwrap_or(LONGEST).min(LONGEST));
    let bookmark = Instant::now() + BOOKMARK;
    let watcher = Watcher { shared, watch, told: 0, news, end, bookmark, over: false };
    body(stream::unfold(watcher, |mut watcher| async move { Some((watcher.next().await?, watcher)) }))
}

struct Watcher {
    shared: Arc<Shared>,
    watch: Watch,
    /// How many of the initial objects have been told.
    told: usize,
    news: Receiver<u64>,
    end: Instant,
    bookmark: Instant,
    over: bool,
}

impl Watcher {
    /// The next piece; nothing at the end.
    async fn next(&mut self) -> Option<Vec<u8>> {
        if self.over {
            return None;
        }
        if let Some(piece) = self.initial() {
            return Some(piece);
        }
        loop {
            self.news.borrow_and_update();
            let Some(events) = self.take() else {
                self.over = true;
                let message = format!("too old resource version: {}", self.watch.from);
                let status = Refusal::expired(message).body();
                return Some(format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n").into_bytes());
            };
            let some = !events.is_empty();
            let mut piece = Vec::new();
            for event in &events {
                self.tell(event, &mut piece);
            }
            if !piece.is_empty() {
                return Some(piece);
            }
            if some {
                continue;
            }
            tokio::select! {
                biased;
                () = sleep_until(self.end) => return None,
                changed = self.news.changed() => if changed.is_err() { return None },
                () = sleep_until(self.bookmark), if self.watch.bookmarks => {
                    self.bookmark = Instant::now() + BOOKMARK;
                    if let Some(version) = self.quiet_at() {
                        return Some(self.mark(version, false));
                    }
                }
            }
        }
    }

    /// What is there at the beginning, and its end.
    fn initial(&mut self) -> Option<Vec<u8>> {
        let mut piece = Vec::new();
        while let Some(record) = self.watch.initial.get(self.told) {
            self.line("ADDED", record, &mut piece);
            self.told += 1;
            if piece.len() >= PIECE {
                return Some(piece);
            }
        }
        self.watch.initial = Vec::new();
        self.told = 0;
        if std::mem::take(&mut self.watch.mark) {
            piece.extend(self.mark(self.watch.from, true));
        }
        (!piece.is_empty()).then_some(piece)
    }

    /// The next events; nothing where we are too far behind.
    fn take(&mut self) -> Option<Vec<Event>> {
        let server = self.shared.server();
        let events = server.store.table(self.watch.kind.table).since(self.watch.from).ok()?;
        let events: Vec<Event> = events.take(EVENTS).cloned().collect();
        if let Some(last) = events.last() {
            self.watch.from = last.record.version;
        }
        Some(events)
    }

    /// The version of the server, if everything up to it has been told.
    fn quiet_at(&mut self) -> Option<u64> {
        let server = self.shared.server();
        let mut events = server.store.table(self.watch.kind.table).since(self.watch.from).ok()?;
        if events.next().is_some() {
            return None;
        }
        drop(events);
        self.watch.from = server.store.version();
        Some(self.watch.from)
    }

    /// One event as this watcher sees it: what leaves its selection is deleted to it.
    fn tell(&self, event: &Event, piece: &mut Vec<u8>) {
        if !event.key.starts_with(&self.watch.prefix) {
            return;
        }
        let takes = |record: &Record| self.watch.selector.takes(&event.key, record);
        let before = event.before.as_deref().is_some_and(takes);
        let after = event.what != What::Deleted && takes(&event.record);
        match (before, after) {
            (false, true) => self.line("ADDED", &event.record, piece),
            (true, true) => self.line("MODIFIED", &event.record, piece),
            (true, false) if event.what == What::Deleted => self.line("DELETED", &event.record, piece),
            // It leaves the selection as it was in it, at the version of that.
            (true, false) => {
                let last = event.before.as_deref().map(|before| before.at(event.record.version));
                if let Some(last) = last {
                    self.line("DELETED", &last, piece);
                }
            }
            (false, false) => {}
        }
    }

    fn line(&self, what: &str, record: &Record, piece: &mut Vec<u8>) {
        piece.extend_from_slice(format!("{{\"type\":\"{what}\",\"object\":").as_bytes());
        render(&self.watch.kind, record, self.watch.shown, piece);
        piece.extend_from_slice(b"}\n");
    }

    fn mark(&self, version: u64, all_told: bool) -> Vec<u8> {
        let gvk = &self.watch.kind.gvk;
        let mut metadata = json!({"resourceVersion": version.to_string()});
        if let (true, Some(fields)) = (all_told, metadata.as_object_mut()) {
            fields.insert("annotations".into(), json!({"k8s.io/initial-events-end": "true"}));
        }
        let object = json!({"kind": gvk.kind, "apiVersion": gvk.api_version(), "metadata": metadata});
        format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n").into_bytes()
    }
}
