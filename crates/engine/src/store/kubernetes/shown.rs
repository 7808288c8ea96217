//! What a watch has shown: while one runs, units are read from memory, so that looking at them costs no call.
//!
//! ```text
//! the watch shows all ──► known ──── a write, a conflict, news from elsewhere ───► in doubt: the server is asked
//!                           ▲                                                        │
//!                           └── the watch shows what was heard, or the server says ──┘
//! ```
//!
//! Versions are compared only for being the same: Kubernetes promises no order. So whatever was heard beside the watch
//! is waited for, and until it has come the server is asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use towpath_cluster::Seen;

use super::record::{id_of, read, version_of};
use crate::store::{Stored, Version};
use crate::unit::UnitId;

/// A unit, and its ConfigMap without the texts, for writing it again.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) stored: Stored,
    pub(super) map: Value,
}

/// What a watch has shown.
#[derive(Clone, Default)]
pub(super) struct Shown {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// A watch feeds this.
    fed: bool,
    /// It has shown everything once.
    complete: bool,
    units: BTreeMap<UnitId, Result<Row, Version>>,
    doubts: BTreeMap<UnitId, Doubt>,
    /// Counts the doubts.
    moment: u64,
}

/// What is said of a unit: its version, or that it is gone.
type Heard = Option<Version>;

/// Why the server has to be asked.
#[derive(Default)]
struct Doubt {
    /// What was heard beside the watch, which has not shown it yet.
    awaited: Vec<Heard>,
    /// What is known is old: it takes a read to know better.
    old: bool,
    /// When the last reason came up.
    since: u64,
}

/// What is known of a unit.
pub(super) enum Known {
    /// This.
    Unit(Box<Row>),
    /// That there is none.
    Nothing,
    /// Too little: the server has to be asked.
    TooLittle,
}

/// The one watch that feeds. Without it nothing is known.
pub(super) struct Feeder {
    shown: Shown,
}

impl Drop for Feeder {
    fn drop(&mut self) {
        *self.shown.lock() = Inner::default();
    }
}

impl Shown {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a watch feed this; nothing if another does already, since two would overtake each other.
    pub(super) fn feed(&self) -> Option<Feeder> {
        let mut inner = self.lock();
        (!std::mem::replace(&mut inner.fed, true)).then(|| Feeder { shown: self.clone() })
    }

    pub(super) fn get(&self, id: &UnitId) -> Known {
        let inner = self.lock();
        if !inner.complete || inner.doubts.contains_key(id) {
            return Known::TooLittle;
        }
        match inner.units.get(id) {
            None => Known::Nothing,
            Some(Ok(row)) => Known::Unit(Box::new(row.clone())),
            // Whoever asks for a damaged unit hears from the server's answer what is wrong with it.
            Some(Err(_)) => Known::TooLittle,
        }
    }

    /// This moment: to be taken before the server is asked.
    pub(super) fn moment(&self) -> u64 {
        self.lock().moment
    }

    /// Takes notice of what the server has answered to a question of this moment. It settles all doubts from before.
    pub(super) fn answered(&self, id: &UnitId, heard: Heard, asked: u64) {
        let mut inner = self.lock();
        if inner.doubts.get(id).is_some_and(|doubt| doubt.since > asked) {
            return;
        }
        inner.doubts.remove(id);
        inner.heard(id, heard);
    }

    /// Takes notice of what was written, or told elsewhere.
    pub(super) fn heard(&self, id: &UnitId, heard: Heard) {
        self.lock().heard(id, heard);
    }

    /// What is known has turned out to be old.
    pub(super) fn doubt(&self, id: &UnitId) {
        if let Some(doubt) = self.lock().doubt(id) {
            doubt.old = true;
        }
    }
}

impl Inner {
    fn version(&self, id: &UnitId) -> Heard {
        self.units.get(id).map(|known| match known {
            Ok(row) => row.stored.version.clone(),
            Err(version) => version.clone(),
        })
    }

    fn put(&mut self, map: &Value) {
        let Some(id) = id_of(map) else { return };
        let row =
            read(map).map_err(|_| version_of(map)).map(|stored| Row { stored, map: without_texts(map) });
        self.units.insert(id.clone(), row);
        self.settle(&id);
    }

    fn heard(&mut self, id: &UnitId, heard: Heard) {
        if self.version(id) != heard
            && let Some(doubt) = self.doubt(id)
        {
            doubt.awaited.push(heard);
        }
    }

    /// A doubt about a unit; nothing while nothing is known anyway.
    fn doubt(&mut self, id: &UnitId) -> Option<&mut Doubt> {
        if !self.fed {
            return None;
        }
        self.moment += 1;
        let doubt = self.doubts.entry(id.clone()).or_default();
        doubt.since = self.moment;
        Some(doubt)
    }

    /// Ends a doubt if the watch has shown all that was heard.
    fn settle(&mut self, id: &UnitId) {
        let now = self.version(id);
        let Some(doubt) = self.doubts.get_mut(id) else { return };
        doubt.awaited.retain(|heard| *heard != now);
        if doubt.awaited.is_empty() && !doubt.old {
            self.doubts.remove(id);
        }
    }
}

impl Feeder {
    /// Takes what the watch has shown.
    pub(super) fn take(&self, seen: &Seen) {
        let mut inner = self.shown.lock();
        match seen {
            Seen::Applied(map) => inner.put(map),
            Seen::Deleted(map) => {
                if let Some(id) = id_of(map) {
                    inner.units.remove(&id);
                    inner.settle(&id);
                }
            }
            Seen::Reset(maps) => {
                let before = std::mem::take(&mut inner.units);
                for map in maps {
                    inner.put(map);
                }
                for id in before.keys() {
                    inner.settle(id);
                }
                inner.complete = true;
            }
            Seen::Failed(_) => {}
        }
    }
}

fn without_texts(map: &Value) -> Value {
    let mut map = map.clone();
    if let Some(fields) = map.as_object_mut() {
        fields.remove("data");
        fields.remove("binaryData");
    }
    map
}

#[cfg(test)]
mod tests {
    use super::super::record::{blank, write};
    use super::*;
    use crate::unit::Unit;
    use serde_json::json;

    fn map(version: &str) -> Value {
        let unit = Unit::new(UnitId("shop".into()), json!({}), "main", "web");
        let mut map = blank("home", &unit.id);
        write(&mut map, &unit, "1").unwrap();
        map["metadata"]["resourceVersion"] = version.into();
        map
    }

    /// The version that is known; `none`, or `?`.
    fn known(shown: &Shown) -> String {
        match shown.get(&UnitId("shop".into())) {
            Known::Unit(row) => row.stored.version.0,
            Known::Nothing => "none".into(),
            Known::TooLittle => "?".into(),
        }
    }

    fn version(text: &str) -> Version {
        Version(text.into())
    }

    fn fed() -> (Shown, Feeder, UnitId) {
        let shown = Shown::default();
        assert_eq!(known(&shown), "?", "nobody watches");
        let feeder = shown.feed().unwrap();
        assert!(shown.feed().is_none(), "one watch feeds");
        assert_eq!(known(&shown), "?", "nothing was shown");
        feeder.take(&Seen::Reset(vec![map("1")]));
        assert_eq!(known(&shown), "1");
        (shown, feeder, UnitId("shop".into()))
    }

    #[test]
    fn what_was_written_is_not_known_until_the_watch_has_shown_it() {
        let (shown, feeder, id) = fed();
        shown.heard(&id, Some(version("3")));
        feeder.take(&Seen::Applied(map("2")));
        assert_eq!(known(&shown), "?", "the watch is behind");
        feeder.take(&Seen::Applied(map("3")));
        assert_eq!(known(&shown), "3");
        feeder.take(&Seen::Applied(map("4")));
        shown.heard(&id, Some(version("4")));
        assert_eq!(known(&shown), "4", "the watch was faster than the answer");
        shown.heard(&id, Some(version("5")));
        feeder.take(&Seen::Reset(vec![map("4")]));
        assert_eq!(known(&shown), "?", "a list may be older than a write");
        feeder.take(&Seen::Reset(vec![map("5")]));
        assert_eq!(known(&shown), "5");
        shown.heard(&id, None);
        assert_eq!(known(&shown), "?", "deleted, and still shown");
        feeder.take(&Seen::Deleted(map("7")));
        assert_eq!(known(&shown), "none");
        drop(feeder);
        assert_eq!(known(&shown), "?", "nobody watches any more");
    }

    #[test]
    fn only_a_later_answer_ends_a_doubt() {
        let (shown, feeder, id) = fed();
        let before = shown.moment();
        shown.heard(&id, Some(version("2")));
        shown.answered(&id, Some(version("1")), before);
        assert_eq!(known(&shown), "?", "the question was older than the write");
        shown.answered(&id, Some(version("3")), shown.moment());
        feeder.take(&Seen::Applied(map("2")));
        assert_eq!(known(&shown), "?", "what was read once is not forgotten");
        feeder.take(&Seen::Applied(map("3")));
        assert_eq!(known(&shown), "3");

        shown.doubt(&id);
        feeder.take(&Seen::Applied(map("4")));
        assert_eq!(known(&shown), "?", "after a conflict only the server is believed");
        shown.answered(&id, Some(version("4")), shown.moment());
        assert_eq!(known(&shown), "4");
    }
}
