//! The objects, as compact text, and what happened to them of late.
//!
//! In: writes of whole objects. Out: reads, lists as of a version, and events since a version. Every write has the
//! next version of one counter. Each table remembers its newest events and no more, and each of them with the state
//! before it: so a list can be read as it was a while ago, and a watcher that falls too far behind is told so and
//! costs nothing meanwhile.

mod owners;
mod table;

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::kinds::TableId;
use owners::Owners;
pub(crate) use table::{Event, Listed, Table, What};

/// One state of an object.
#[derive(Debug)]
pub(crate) struct Record {
    /// The version of the write that made it.
    pub(crate) version: u64,
    /// The object as JSON.
    pub(crate) text: Box<[u8]>,
}

impl Record {
    /// The object.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.text).unwrap_or_default()
    }

    /// The same state under another version.
    pub(crate) fn at(&self, version: u64) -> Self {
        Self::of(&mut self.value(), version)
    }

    /// A state of an object, with its version in it.
    fn of(object: &mut Value, version: u64) -> Self {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("resourceVersion".into(), version.to_string().into());
        }
        Self { version, text: serde_json::to_vec(object).unwrap_or_default().into_boxed_slice() }
    }
}

/// Where an object is: `namespace/name`, or `/name` for what lives in no namespace. In the order of the server's
/// lists.
pub(crate) fn key(namespace: &str, name: &str) -> Box<str> {
    format!("{namespace}/{name}").into()
}

/// All objects of a server.
#[derive(Debug)]
pub(crate) struct Store {
    version: u64,
    tables: Vec<Table>,
    owners: Owners,
    /// How many events a table remembers.
    memory: usize,
}

impl Store {
    pub(crate) fn new(memory: usize) -> Self {
        Self { version: table::START, tables: Vec::new(), owners: Owners::default(), memory }
    }

    /// The newest version.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Makes room for so many kinds.
    pub(crate) fn reserve(&mut self, tables: usize) {
        if self.tables.len() < tables {
            self.tables.resize_with(tables, Table::default);
        }
    }

    pub(crate) fn table(&self, id: TableId) -> &Table {
        static NONE: LazyLock<Table> = LazyLock::new(Table::default);
        self.tables.get(id).unwrap_or(&NONE)
    }

    pub(crate) fn get(&self, table: TableId, key: &str) -> Option<&Arc<Record>> {
        self.table(table).get(key)
    }

    /// Writes an object and gives it the next version, which it returns with the record.
    pub(crate) fn put(&mut self, table: TableId, key: &str, mut object: Value) -> Arc<Record> {
        let record = self.record(&mut object);
        self.owners.note(table, key, &object);
        let memory = self.memory;
        self.table_mut(table).put(key, record.clone(), memory);
        record
    }

    /// Takes an object away; its last state has the version of that.
    pub(crate) fn remove(&mut self, table: TableId, key: &str) -> Option<Arc<Record>> {
        let mut object = self.get(table, key)?.value();
        let record = self.record(&mut object);
        self.owners.forget(table, key);
        let memory = self.memory;
        self.table_mut(table).remove(key, record.clone(), memory);
        Some(record)
    }

    /// The objects that name this uid among their owners.
    pub(crate) fn dependants(&self, uid: &str) -> Vec<(TableId, Box<str>)> {
        self.owners.below(uid)
    }

    /// Forgets all events: a watch from an older version is told that it is too old.
    pub(crate) fn compact(&mut self) {
        let version = self.version;
        self.tables.iter_mut().for_each(|table| table.forget(version));
    }

    /// The object with the next version in it.
    fn record(&mut self, object: &mut Value) -> Arc<Record> {
        self.version += 1;
        Arc::new(Record::of(object, self.version))
    }

    fn table_mut(&mut self, id: TableId) -> &mut Table {
        self.reserve(id + 1);
        self.tables.get_mut(id).expect("it was just made long enough")
    }
}
