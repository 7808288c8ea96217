//! What happens by itself after a write: definitions are served, what has no owner goes, namespaces empty themselves.
//!
//! On a cluster controllers do this soon; here it is done before the answer is sent, so that nobody has to wait.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::Server;
use super::define::CLEANUP;
use super::delete::{FOREGROUND, ORPHAN};
use super::metadata::{finalizers, is_leaving, metadata, of, stamp};
use crate::kinds::{Kind, TableId, items, text};
use crate::store::{Record, key};

/// Something to look after.
#[derive(Debug)]
pub(super) enum Due {
    /// An object is new or has changed.
    Changed(TableId, Box<str>),
    /// An object is on its way out.
    Leaving(TableId, Box<str>),
    /// An object has gone; its last state.
    Gone(TableId, Arc<Record>),
}

impl Server {
    /// Does what is due, and what becomes due by that.
    pub(super) fn settle(&mut self, now: Timestamp) {
        while let Some(due) = self.due.pop_front() {
            match due {
                Due::Changed(table, key) => {
                    if self
                        .kind_of(table)
                        .is_some_and(|kind| kind.is("apiextensions.k8s.io", "CustomResourceDefinition"))
                    {
                        self.define(table, &key, &stamp(now));
                    }
                }
                Due::Leaving(table, key) => self.leave(table, &key, now),
                Due::Gone(table, last) => self.gone(table, &last.value(), now),
            }
        }
    }

    fn kind_of(&self, table: TableId) -> Option<Arc<Kind>> {
        self.kinds.of_table(table).cloned()
    }

    /// Removes what holds an object, as far as that is ours to do.
    fn leave(&mut self, table: TableId, key: &str, now: Timestamp) {
        let (Some(kind), Some(record)) = (self.kind_of(table), self.store.get(table, key)) else { return };
        let object = record.value();
        if !is_leaving(&object) {
            return;
        }
        let (uid, name) = (of(&object, "uid").to_owned(), of(&object, "name").to_owned());
        if kind.is("", "Namespace") {
            if self.controllers && self.empty_namespace(&name, now) {
                self.remove(table, key);
            }
            return;
        }
        let mut holds: Vec<String> = finalizers(&object).into_iter().map(str::to_owned).collect();
        if holds.iter().any(|hold| hold == CLEANUP) && self.empty_definition(&object, now) {
            holds.retain(|hold| hold != CLEANUP);
        }
        if self.controllers && holds.iter().any(|hold| hold == ORPHAN) {
            self.orphan(&uid);
            holds.retain(|hold| hold != ORPHAN);
        }
        if self.controllers && holds.iter().any(|hold| hold == FOREGROUND) && self.empty_owner(&uid, now) {
            holds.retain(|hold| hold != FOREGROUND);
        }
        if holds.is_empty() {
            self.remove(table, key);
        } else if holds.len() != finalizers(&object).len() {
            let mut object = object;
            metadata(&mut object).insert("finalizers".into(), holds.into());
            self.store.put(table, key, object);
        }
    }

    /// Deletes what is in a namespace; true when nothing is left.
    fn empty_namespace(&mut self, name: &str, now: Timestamp) -> bool {
        let prefix = format!("{name}/");
        let kinds: Vec<Arc<Kind>> = self.kinds.each().filter(|kind| kind.namespaced).cloned().collect();
        self.empty(&kinds, &prefix, now)
    }

    /// Deletes the objects of a definition; true when none is left.
    fn empty_definition(&mut self, definition: &Value, now: Timestamp) -> bool {
        let (group, kind) =
            (text(definition.pointer("/spec/group")), text(definition.pointer("/spec/names/kind")));
        let kinds: Vec<Arc<Kind>> = self.kinds.named(group, kind).cloned().into_iter().collect();
        self.empty(&kinds, "", now)
    }

    fn empty(&mut self, kinds: &[Arc<Kind>], prefix: &str, now: Timestamp) -> bool {
        let mut left = false;
        for kind in kinds {
            let inside = |server: &Self| {
                let listed = server.store.table(kind.table).list(None, prefix, "", usize::MAX, |_, _| true);
                listed.map(|listed| listed.found).unwrap_or_default()
            };
            for (key, record) in inside(self) {
                if !is_leaving(&record.value()) {
                    self.retire(kind, &key, "", now);
                }
            }
            left |= !inside(self).is_empty();
        }
        !left
    }

    /// Deletes what hangs below an owner; true when nothing is left that blocks it.
    fn empty_owner(&mut self, uid: &str, now: Timestamp) -> bool {
        for (table, key) in self.store.dependants(uid) {
            let leaving = self.store.get(table, &key).is_none_or(|record| is_leaving(&record.value()));
            if let (false, Some(kind)) = (leaving, self.kind_of(table)) {
                self.retire(&kind, &key, "Foreground", now);
            }
        }
        self.store.dependants(uid).is_empty()
    }

    /// Takes an owner away from all that name it.
    fn orphan(&mut self, uid: &str) {
        for (table, key) in self.store.dependants(uid) {
            let Some(mut object) = self.store.get(table, &key).map(|record| record.value()) else { continue };
            let fields = metadata(&mut object);
            let owners = fields.get_mut("ownerReferences").and_then(Value::as_array_mut);
            if let Some(owners) = owners {
                owners.retain(|owner| text(owner.get("uid")) != uid);
                if owners.is_empty() {
                    fields.remove("ownerReferences");
                }
            }
            self.store.put(table, &key, object);
        }
    }

    /// What follows from the end of an object.
    fn gone(&mut self, table: TableId, last: &Value, now: Timestamp) {
        let Some(kind) = self.kind_of(table) else { return };
        if kind.is("apiextensions.k8s.io", "CustomResourceDefinition") {
            self.kinds.undefine(of(last, "name"));
        }
        if !self.controllers {
            return;
        }
        for (table, key) in self.store.dependants(of(last, "uid")) {
            let Some(object) = self.store.get(table, &key).map(|record| record.value()) else { continue };
            let owned = items(object.get("metadata").unwrap_or(&Value::Null), "ownerReferences")
                .any(|owner| self.exists(owner, of(&object, "namespace")));
            if let (false, false, Some(kind)) = (owned, is_leaving(&object), self.kind_of(table)) {
                self.retire(&kind, &key, "", now);
            }
        }
        // An owner that waits for this may go now, and so may its namespace or its definition.
        let namespace = of(last, "namespace");
        let owners = items(last.get("metadata").unwrap_or(&Value::Null), "ownerReferences");
        let waiting: Vec<Due> = owners
            .filter_map(|owner| self.owner(owner, namespace))
            .map(|(table, key)| Due::Leaving(table, key))
            .collect();
        self.due.extend(waiting);
        if let (false, Some(namespaces)) = (namespace.is_empty(), self.kinds.find("", "v1", "namespaces")) {
            self.due.push_back(Due::Leaving(namespaces.table, key("", namespace)));
        }
        if kind.custom
            && let Some(definitions) =
                self.kinds.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        {
            self.due.push_back(Due::Leaving(definitions.table, key("", &kind.resource())));
        }
    }

    /// Where an owner is.
    fn owner(&self, owner: &Value, namespace: &str) -> Option<(TableId, Box<str>)> {
        let group = text(owner.get("apiVersion")).rsplit_once('/').map_or("", |(group, _)| group);
        let kind = self.kinds.named(group, text(owner.get("kind")))?;
        let namespace = if kind.namespaced { namespace } else { "" };
        Some((kind.table, key(namespace, text(owner.get("name")))))
    }

    fn exists(&self, owner: &Value, namespace: &str) -> bool {
        let found = self.owner(owner, namespace).and_then(|(table, key)| self.store.get(table, &key));
        found.is_some_and(|record| of(&record.value(), "uid") == text(owner.get("uid")))
    }
}
