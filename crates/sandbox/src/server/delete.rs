//! Deleting: preconditions, finalizers, and what becomes of dependants.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::define::CLEANUP;
use super::metadata::{finalizers, is_leaving, metadata, of, stamp};
use super::read::prefix;
use super::settle::Due;
use super::{List, Reply, Server, bytes};
use crate::kinds::{Kind, TableId, text};
use crate::refusal::{Refusal, deleted};
use crate::request::{Address, Request};
use crate::select::Selector;
use crate::store::{Record, key};

/// Holds an owner until its dependants have gone.
pub(super) const FOREGROUND: &str = "foregroundDeletion";
/// Holds an owner until its dependants have no owner any more.
pub(super) const ORPHAN: &str = "orphan";

/// Kinds of which a deletion answers with the object itself.
const SHOWN: &[&str] = &[
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ResourceQuota",
    "Service",
    "ServiceAccount",
];

/// How to delete.
#[derive(Clone, Debug, Default)]
struct Options {
    uid: String,
    version: String,
    policy: String,
    dry_run: bool,
}

impl Options {
    fn of(request: &Request) -> Result<Self, Refusal> {
        let body: Value = match request.body.first() {
            None => Value::Null,
            Some(_) => serde_json::from_slice(&request.body)
                .map_err(|error| Refusal::bad_request(error.to_string()))?,
        };
        let given = |pointer: &str| text(body.pointer(pointer)).to_owned();
        let or = |given: String, name: &str| {
            if given.is_empty() { request.parameter(name).to_owned() } else { given }
        };
        Ok(Self {
            uid: given("/preconditions/uid"),
            version: given("/preconditions/resourceVersion"),
            policy: or(given("/propagationPolicy"), "propagationPolicy"),
            dry_run: request.is_dry_run() || body.pointer("/dryRun/0") == Some(&json!("All")),
        })
    }
}

impl Server {
    pub(super) fn delete(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let options = Options::of(request)?;
        let key = key(&address.namespace, &address.name);
        let record =
            self.store.get(kind.table, &key).ok_or_else(|| Refusal::not_found(kind, &address.name))?;
        let object = record.value();
        check(kind, &object, &options)?;
        let uid = of(&object, "uid").to_owned();
        if options.dry_run {
            return Ok(Reply::Json(200, deleted(kind, &address.name, &uid)));
        }
        let last = self.retire(kind, &key, &options.policy, now);
        let shown = kind.gvk.group.is_empty() && SHOWN.contains(&kind.gvk.kind.as_str());
        Ok(match last {
            Left::Holding(record) => Reply::Bytes(200, bytes(kind, &record, request.shown())),
            Left::Gone(record) if shown => Reply::Bytes(200, bytes(kind, &record, request.shown())),
            Left::Gone(_) | Left::Nothing => Reply::Json(200, deleted(kind, &address.name, &uid)),
        })
    }

    pub(super) fn delete_all(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let options = Options::of(request)?;
        let selector =
            Selector::parse(kind, request.parameter("labelSelector"), request.parameter("fieldSelector"))?;
        let table = self.store.table(kind.table);
        let chosen =
            table.list(None, &prefix(address), "", usize::MAX, |key, record| selector.takes(key, record));
        let mut records = Vec::new();
        for (key, record) in chosen.map(|listed| listed.found).unwrap_or_default() {
            if !options.dry_run {
                self.retire(kind, &key, &options.policy, now);
            }
            records.push(record);
        }
        let (version, token) = (self.store.version(), String::new());
        Ok(Reply::List(List {
            kind: kind.clone(),
            shown: request.shown(),
            version,
            token,
            remaining: None,
            records,
        }))
    }

    /// Sends an object away: at once, or when nothing holds it any more.
    pub(super) fn retire(&mut self, kind: &Arc<Kind>, key: &str, policy: &str, now: Timestamp) -> Left {
        let Some(record) = self.store.get(kind.table, key).cloned() else { return Left::Nothing };
        let before = record.value();
        let mut object = before.clone();
        let hold = match policy {
            "Foreground" => Some(FOREGROUND),
            "Orphan" => Some(ORPHAN),
            _ => None,
        };
        let definition = kind.is("apiextensions.k8s.io", "CustomResourceDefinition");
        let cleanup = definition.then_some(CLEANUP);
        for hold in hold.into_iter().chain(cleanup).filter(|hold| !finalizers(&before).contains(hold)) {
            let list = metadata(&mut object).entry("finalizers").or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(hold.into());
            }
        }
        let namespace = kind.is("", "Namespace");
        if finalizers(&object).is_empty() && !namespace {
            return self.remove(kind.table, key).map_or(Left::Nothing, Left::Gone);
        }
        if !is_leaving(&before) {
            let fields = metadata(&mut object);
            fields.insert("deletionTimestamp".into(), stamp(now).into());
            if !namespace {
                fields.insert("deletionGracePeriodSeconds".into(), 0.into());
            }
            if let Some(generation) = fields.get("generation").and_then(Value::as_u64) {
                fields.insert("generation".into(), (generation + 1).into());
            }
            if let (true, Some(status)) = (namespace, object.get_mut("status").and_then(Value::as_object_mut))
            {
                status.insert("phase".into(), "Terminating".into());
            }
        }
        self.due.push_back(Due::Leaving(kind.table, key.into()));
        if object == before {
            return Left::Holding(record);
        }
        Left::Holding(self.store.put(kind.table, key, object))
    }

    /// Takes an object away for good.
    pub(super) fn remove(&mut self, table: TableId, key: &str) -> Option<Arc<Record>> {
        let last = self.store.remove(table, key)?;
        self.due.push_back(Due::Gone(table, last.clone()));
        Some(last)
    }
}

/// What a deletion leaves.
pub(super) enum Left {
    /// The object, on its way out.
    Holding(Arc<Record>),
    /// It has gone; its last state.
    Gone(Arc<Record>),
    /// It was not there.
    Nothing,
}

fn check(kind: &Kind, object: &Value, options: &Options) -> Result<(), Refusal> {
    let differs = |wanted: &str, name: &str| !wanted.is_empty() && wanted != of(object, name);
    let refuse = |what: &str, wanted: &str, found: &str, perhaps: &str| {
        let why = format!(
            "the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). The object might have been {perhaps}"
        );
        Err(Refusal::other(kind, of(object, "name"), &why))
    };
    if differs(&options.uid, "uid") {
        return refuse("UID", &options.uid, of(object, "uid"), "deleted and then recreated");
    }
    if differs(&options.version, "resourceVersion") {
        return refuse("ResourceVersion", &options.version, of(object, "resourceVersion"), "modified");
    }
    Ok(())
}
