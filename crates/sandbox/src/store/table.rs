//! The objects of one kind, and its newest events.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use tokio::sync::watch;

use super::Record;

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Added,
    Modified,
    Deleted,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) what: What,
    pub(crate) key: Arc<str>,
    /// The state after it; of a deletion the last.
    pub(crate) record: Arc<Record>,
    /// The state before it.
    pub(crate) before: Option<Arc<Record>>,
}

/// A version is too old: what happened since is no longer known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expired;

/// The version of a server that holds nothing: what was before it nobody knows.
pub(super) const START: u64 = 1;

/// An object and its key.
type Held<'a> = (&'a Arc<str>, &'a Arc<Record>);

/// The objects of one kind.
#[derive(Debug)]
pub(crate) struct Table {
    objects: BTreeMap<Arc<str>, Arc<Record>>,
    events: VecDeque<Event>,
    /// Events up to this version are forgotten.
    floor: u64,
    /// Says that there is something new, and of which version.
    news: watch::Sender<u64>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            events: VecDeque::new(),
            floor: START,
            news: watch::Sender::new(START),
        }
    }
}

impl Table {
    /// Hears of every write.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Arc<Record>> {
        self.objects.get(key)
    }

    pub(super) fn put(&mut self, key: &str, record: Arc<Record>, memory: usize) {
        let known = self.objects.get_key_value(key).map(|(key, _)| key.clone());
        let what = if known.is_some() { What::Modified } else { What::Added };
        let key = known.unwrap_or_else(|| key.into());
        let before = self.objects.insert(key.clone(), record.clone());
        self.note(Event { what, key, record, before }, memory);
    }

    pub(super) fn remove(&mut self, key: &str, last: Arc<Record>, memory: usize) {
        let Some((key, before)) = self.objects.remove_entry(key) else { return };
        self.note(Event { what: What::Deleted, key, record: last, before: Some(before) }, memory);
    }

    pub(super) fn forget(&mut self, version: u64) {
        self.events = VecDeque::new();
        self.floor = version;
        // Watchers that are behind have to hear that they are.
        self.news.send_replace(version);
    }

    fn note(&mut self, event: Event, memory: usize) {
        self.news.send_replace(event.record.version);
        self.events.push_back(event);
        while self.events.len() > memory
            && let Some(old) = self.events.pop_front()
        {
            self.floor = old.record.version;
        }
    }

    /// What happened after a version, or that this is no longer known.
    pub(crate) fn since(&self, version: u64) -> Result<impl Iterator<Item = &Event>, Expired> {
        if version < self.floor {
            return Err(Expired);
        }
        let first = self.events.partition_point(|event| event.record.version <= version);
        Ok(self.events.range(first..))
    }

    /// Up to `limit` objects as they are now, or were at that version, whose keys begin with `prefix` and come after
    /// `after`; and how many keys follow.
    pub(crate) fn list(
        &self,
        version: Option<u64>,
        prefix: &str,
        after: &str,
        limit: usize,
        keep: impl Fn(&str, &Record) -> bool,
    ) -> Result<Listed, Expired> {
        let mut was: BTreeMap<&str, Option<Held<'_>>> = BTreeMap::new();
        if let Some(version) = version {
            for event in self.since(version)? {
                was.entry(&event.key).or_insert(event.before.as_ref().map(|record| (&event.key, record)));
            }
        }
        let from = if after.is_empty() { Bound::Included(prefix) } else { Bound::Excluded(after) };
        let inside = |key: &str| key.starts_with(prefix);
        let now = self.objects.range::<str, _>((from, Bound::Unbounded)).take_while(|(key, _)| inside(key));
        let mut now = now.filter(|(key, _)| !was.contains_key(&***key)).peekable();
        let old = was.range::<str, _>((from, Bound::Unbounded)).take_while(|(key, _)| inside(key));
        let mut old = old.filter_map(|(_, record)| *record).peekable();
        let mut listed = Listed::default();
        loop {
            let next = match (now.peek(), old.peek()) {
                (Some((left, _)), Some((right, _))) if left < right => now.next(),
                (Some(_), None) => now.next(),
                (_, Some(_)) => old.next(),
                (None, None) => return Ok(listed),
            };
            let Some((key, record)) = next else { return Ok(listed) };
            if listed.found.len() == limit {
                listed.rest += 1;
            } else if keep(key, record) {
                listed.found.push((key.clone(), record.clone()));
            }
        }
    }
}

/// A part of a list.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) found: Vec<(Arc<str>, Arc<Record>)>,
    /// How many objects come after it, chosen or not.
    pub(crate) rest: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(version: u64) -> Arc<Record> {
        Arc::new(Record { version: START + version, text: Box::default() })
    }

    fn keys(
        table: &Table,
        version: Option<u64>,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, Expired> {
        let found =
            table.list(version.map(|version| START + version), "a/", after, limit, |_, _| true)?.found;
        Ok(found.into_iter().map(|(key, record)| (key.to_string(), record.version - START)).collect())
    }

    #[test]
    fn a_list_is_as_it_was_at_its_version() {
        let mut table = Table::default();
        for (version, key) in ["a/x", "a/y", "b/x"].into_iter().enumerate() {
            table.put(key, record(version as u64 + 1), 10);
        }
        table.put("a/w", record(4), 10);
        table.put("a/x", record(5), 10);
        table.remove("a/y", record(6), 10);
        let owned = |pairs: &[(&str, u64)]| {
            pairs.iter().map(|(key, version)| ((*key).to_owned(), *version)).collect::<Vec<_>>()
        };
        assert_eq!(keys(&table, None, "", 9), Ok(owned(&[("a/w", 4), ("a/x", 5)])));
        assert_eq!(keys(&table, Some(3), "", 9), Ok(owned(&[("a/x", 1), ("a/y", 2)])));
        assert_eq!(keys(&table, Some(3), "a/x", 9), Ok(owned(&[("a/y", 2)])));
        assert_eq!(keys(&table, None, "", 1), Ok(owned(&[("a/w", 4)])));
    }

    #[test]
    fn what_is_forgotten_is_said_to_be() {
        let mut table = Table::default();
        for version in 1..=5 {
            table.put("a/x", record(version), 2);
        }
        assert_eq!(table.since(START + 3).unwrap().count(), 2);
        assert_eq!(table.since(START + 5).unwrap().count(), 0);
        assert!(table.since(START + 2).is_err());
        assert_eq!(keys(&table, Some(2), "", 9), Err(Expired));
        table.forget(START + 9);
        assert!(table.since(START + 5).is_err() && table.since(START + 9).is_ok());
    }
}
