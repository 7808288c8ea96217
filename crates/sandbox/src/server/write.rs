//! Creating and changing objects: what every write has in common, whatever its form.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};
use towpath_merge::Operation;

use super::known::{begin, keep};
use super::metadata::{check_name, counts, finalizers, is_counted, is_leaving, metadata, of, stamp};
use super::settle::Due;
use super::{Reply, Server, bytes};
use crate::fields::{Managers, Writer};
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::request::{Address, Request};
use crate::store::{Record, key};

/// How something is written.
#[derive(Clone, Debug)]
pub(super) struct Write {
    manager: String,
    /// The part of the object; empty for all but the status.
    pub(super) part: String,
    dry_run: bool,
    strict: bool,
    apply: bool,
    pub(super) now: Timestamp,
}

impl Write {
    pub(super) fn of(request: &Request, address: &Address, now: Timestamp) -> Self {
        Self {
            manager: request.manager(),
            part: address.subresource.clone(),
            dry_run: request.is_dry_run(),
            strict: request.parameter("fieldValidation") == "Strict",
            apply: request.content_type().starts_with("application/apply-patch"),
            now,
        }
    }

    /// By a part of the server itself.
    pub(super) fn by_us(manager: &str, now: Timestamp) -> Self {
        Self {
            manager: manager.into(),
            part: String::new(),
            dry_run: false,
            strict: false,
            apply: false,
            now,
        }
    }

    /// Whether it is an apply.
    pub(super) fn applies(&self) -> bool {
        self.apply
    }

    /// Whether unknown fields are refused.
    pub(super) fn is_strict(&self) -> bool {
        self.strict
    }

    pub(super) fn writer(&self, kind: &Kind, operation: Operation) -> Writer {
        Writer {
            manager: self.manager.clone(),
            operation,
            api_version: kind.gvk.api_version(),
            subresource: self.part.clone(),
            time: stamp(self.now),
        }
    }
}

impl Server {
    pub(super) fn create(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let object = decode(kind, &request.body)?;
        let write = Write::of(request, address, now);
        let record = self.create_object(kind, &address.namespace, object, &write)?;
        Ok(Reply::Bytes(201, bytes(kind, &record, request.shown())))
    }

    /// Creates an object that somebody sent.
    pub(super) fn create_object(
        &mut self,
        kind: &Arc<Kind>,
        namespace: &str,
        object: Value,
        write: &Write,
    ) -> Result<Arc<Record>, Refusal> {
        self.check(kind, &object, write)?;
        let mut object = self.fit(kind, object);
        fit_namespace(kind, namespace, &mut object)?;
        drop_status(kind, &mut object);
        let empty = Value::Object(Map::from_iter([("metadata".to_owned(), Value::Object(Map::new()))]));
        let writer = write.writer(kind, Operation::Update);
        let place = self.kinds.place(&kind.gvk);
        let managers = Managers::default().after_update(&empty, &without_managers(&object), place, &writer);
        self.prepare_new(kind, &mut object, write)?;
        managers.write(&mut object);
        self.add(kind, object, write)
    }

    /// What every new object goes through once its managers are known.
    pub(super) fn prepare_new(
        &mut self,
        kind: &Arc<Kind>,
        object: &mut Value,
        write: &Write,
    ) -> Result<(), Refusal> {
        if !of(object, "resourceVersion").is_empty() {
            return Err(Refusal::internal("resourceVersion should not be set on objects to be created"));
        }
        let generated = of(object, "generateName").to_owned();
        if of(object, "name").is_empty() && !generated.is_empty() {
            let uid = self.uid();
            let tail = uid.get(..5).unwrap_or_default();
            metadata(object).insert("name".into(), format!("{generated}{tail}").into());
        }
        let name = of(object, "name").to_owned();
        self.admit(kind, of(object, "namespace"), &name)?;
        check_name(kind, &name)?;
        let uid = self.uid();
        let fields = metadata(object);
        for name in
            ["managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"]
        {
            fields.remove(name);
        }
        fields.insert("uid".into(), uid.into());
        fields.insert("creationTimestamp".into(), stamp(write.now).into());
        if is_counted(kind) {
            fields.insert("generation".into(), 1.into());
        }
        begin(kind, object);
        Ok(())
    }

    /// Stores a new object that is ready.
    pub(super) fn add(
        &mut self,
        kind: &Arc<Kind>,
        object: Value,
        write: &Write,
    ) -> Result<Arc<Record>, Refusal> {
        let key = key(of(&object, "namespace"), of(&object, "name"));
        if let Some(record) = self.store.get(kind.table, &key) {
            return Err(Refusal::exists(kind, of(&object, "name"), is_leaving(&record.value())));
        }
        if write.dry_run {
            return Ok(Arc::new(Record::unstored(&object)));
        }
        let record = self.store.put(kind.table, &key, object);
        self.due.push_back(Due::Changed(kind.table, key));
        Ok(record)
    }

    pub(super) fn replace(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let new = decode(kind, &request.body)?;
        let write = Write::of(request, address, now);
        if of(&new, "name") != address.name {
            let message = format!(
                "the name of the object ({}) does not match the name on the URL ({})",
                of(&new, "name"),
                address.name
            );
            return Err(Refusal::bad_request(message));
        }
        let key = key(&address.namespace, &address.name);
        let old =
            self.store.get(kind.table, &key).ok_or_else(|| Refusal::not_found(kind, &address.name))?.value();
        if kind.custom && of(&new, "resourceVersion").is_empty() {
            return Err(Refusal::no_version(kind, &address.name));
        }
        let record = self.update(kind, address, &old, new, &write)?;
        Ok(Reply::Bytes(200, bytes(kind, &record, request.shown())))
    }

    /// Changes an object to what somebody sent, or made of it.
    pub(super) fn update(
        &mut self,
        kind: &Arc<Kind>,
        address: &Address,
        old: &Value,
        mut new: Value,
        write: &Write,
    ) -> Result<Arc<Record>, Refusal> {
        self.check(kind, &new, write)?;
        check_same(kind, old, &new)?;
        if new.get("type").is_none()
            && let (true, Some(before), Some(fields)) =
                (kind.is("", "Secret"), old.get("type"), new.as_object_mut())
        {
            fields.insert("type".into(), before.clone());
        }
        let mut new = self.fit(kind, new);
        fit_namespace(kind, &address.namespace, &mut new)?;
        let mut new = merged(kind, old, new, &write.part);
        keep(kind, old, &mut new);
        let place = self.kinds.place(&kind.gvk);
        let (bare_old, bare_new) = (without_managers(old), without_managers(&new));
        let writer = write.writer(kind, Operation::Update);
        Managers::of(old).after_change(&bare_old, &bare_new, place, &writer).write(&mut new);
        self.change(kind, address, old, new, write)
    }

    /// Stores a changed object that is ready.
    pub(super) fn change(
        &mut self,
        kind: &Arc<Kind>,
        address: &Address,
        old: &Value,
        mut new: Value,
        write: &Write,
    ) -> Result<Arc<Record>, Refusal> {
        if is_counted(kind) && counts(kind, old, &new) {
            let generation = old.pointer("/metadata/generation").and_then(Value::as_u64).unwrap_or(0);
            metadata(&mut new).insert("generation".into(), (generation + 1).into());
        }
        let key = key(&address.namespace, &address.name);
        if without_times(old) == without_times(&new) {
            return self
                .store
                .get(kind.table, &key)
                .cloned()
                .ok_or_else(|| Refusal::not_found(kind, &address.name));
        }
        if write.dry_run {
            return Ok(Arc::new(Record::unstored(&new)));
        }
        let (leaving, held) = (is_leaving(&new), !finalizers(&new).is_empty());
        let record = self.store.put(kind.table, &key, new);
        self.due.push_back(Due::Changed(kind.table, key.clone()));
        if leaving && !held {
            self.due.push_back(Due::Leaving(kind.table, key));
        }
        Ok(record)
    }

    /// Stores an object without asking it anything; of its metadata what is missing is filled in.
    pub(crate) fn put_as_it_is(&mut self, kind: &Arc<Kind>, mut object: Value, now: Timestamp) {
        if of(&object, "uid").is_empty() {
            let uid = self.uid();
            let fields = metadata(&mut object);
            fields.insert("uid".into(), uid.into());
            fields.entry("creationTimestamp").or_insert_with(|| stamp(now).into());
        }
        let key = key(of(&object, "namespace"), of(&object, "name"));
        self.store.put(kind.table, &key, object);
        self.due.push_back(Due::Changed(kind.table, key));
        self.settle(now);
    }

    /// Whether the namespace takes new objects.
    fn admit(&self, kind: &Kind, namespace: &str, name: &str) -> Result<(), Refusal> {
        if !kind.namespaced {
            return Ok(());
        }
        let namespaces = self.kinds.find("", "v1", "namespaces").map_or(0, |kind| kind.table);
        let Some(record) = self.store.get(namespaces, &key("", namespace)) else {
            return Err(Refusal::no_namespace(namespace));
        };
        if is_leaving(&record.value()) {
            return Err(Refusal::terminating(kind, name, namespace));
        }
        Ok(())
    }
}

impl Record {
    fn unstored(object: &Value) -> Self {
        Self { version: 0, text: serde_json::to_vec(object).unwrap_or_default().into() }
    }
}

/// The body as an object, without its type, which must be the one that it is sent to.
pub(super) fn decode(kind: &Kind, body: &[u8]) -> Result<Value, Refusal> {
    let unreadable = |why: String| {
        let (name, version) = (&kind.gvk.kind, &kind.gvk.version);
        Refusal::bad_request(format!("{name} in version {version:?} cannot be handled as a {name}: {why}"))
    };
    let mut object = if body.first() == Some(&b'{') {
        serde_json::from_slice(body).map_err(|error| unreadable(error.to_string()))?
    } else {
        let documents = towpath_yaml::documents(body, &towpath_yaml::Limits::default());
        let mut documents = documents.map_err(|error| unreadable(error.to_string()))?;
        documents.pop().map(|document| document.value).unwrap_or_default()
    };
    let Value::Object(fields) = &mut object else { return Err(unreadable("it is not an object".into())) };
    let (version, expected) = (fields.remove("apiVersion"), kind.gvk.api_version());
    let name = fields.remove("kind");
    let (version, given) = (crate::kinds::text(version.as_ref()), crate::kinds::text(name.as_ref()));
    let known = &kind.gvk.kind;
    if !version.is_empty() && version != expected {
        return Err(Refusal::bad_request(format!(
            "{known} in version {version:?} cannot be handled as a {known}: no kind {known:?} is registered for version {version:?} in scheme \"pkg/runtime/scheme.go:111\""
        )));
    }
    if !given.is_empty() && given != known {
        let (own, group) =
            (&kind.gvk.version, if kind.gvk.group.is_empty() { "core" } else { &kind.gvk.group });
        return Err(Refusal::bad_request(format!(
            "{given} in version {own:?} cannot be handled as a {known}: converting ({own}.{given}) to ({group}.{known}): unknown conversion"
        )));
    }
    Ok(object)
}

/// Fills in the namespace of the path, or refuses another one.
pub(super) fn fit_namespace(kind: &Kind, namespace: &str, object: &mut Value) -> Result<(), Refusal> {
    let given = of(object, "namespace").to_owned();
    if !kind.namespaced {
        metadata(object).remove("namespace");
        return Ok(());
    }
    if !given.is_empty() && given != namespace {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Refusal::bad_request(message));
    }
    metadata(object).insert("namespace".into(), namespace.into());
    Ok(())
}

/// Refuses a change that is based on another state or another object.
fn check_same(kind: &Kind, old: &Value, new: &Value) -> Result<(), Refusal> {
    let (name, version, uid) = (of(old, "name"), of(new, "resourceVersion"), of(new, "uid"));
    if !uid.is_empty() && uid != of(old, "uid") {
        let group = if kind.custom { format!("{}/", kind.gvk.group) } else { String::new() };
        let place = format!("{group}{}/{}/{name}", kind.plural, of(old, "namespace"));
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{place}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
            of(old, "uid")
        );
        return Err(Refusal::conflict(kind, name, &why));
    }
    let new_finalizers: Vec<&str> =
        finalizers(new).into_iter().filter(|hold| !finalizers(old).contains(hold)).collect();
    if is_leaving(old) && !new_finalizers.is_empty() {
        return Err(Refusal::late_finalizers(kind, name, &new_finalizers));
    }
    if !version.is_empty() && version != of(old, "resourceVersion") {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        return Err(Refusal::conflict(kind, name, why));
    }
    Ok(())
}

/// The new object with what a write to this part cannot change as it was.
pub(super) fn merged(kind: &Kind, old: &Value, mut new: Value, part: &str) -> Value {
    if part == "status" {
        let mut kept = old.clone();
        if let (Some(fields), Some(status)) = (kept.as_object_mut(), new.get_mut("status")) {
            fields.insert("status".into(), status.take());
        }
        return kept;
    }
    for name in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
    ] {
        let before = old.get("metadata").and_then(|metadata| metadata.get(name)).cloned();
        let fields = metadata(&mut new);
        match before {
            Some(value) => fields.insert(name.into(), value),
            None => fields.remove(name),
        };
    }
    if let (true, Some(fields)) = (kind.status, new.as_object_mut()) {
        match old.get("status") {
            Some(status) => fields.insert("status".into(), status.clone()),
            None => fields.remove("status"),
        };
    }
    new
}

pub(super) fn without_managers(object: &Value) -> Value {
    let mut object = object.clone();
    metadata(&mut object).remove("managedFields");
    object
}

/// What is created has no status yet.
pub(super) fn drop_status(kind: &Kind, object: &mut Value) {
    if let (true, Some(fields)) = (kind.status, object.as_object_mut()) {
        fields.remove("status");
    }
}

/// For comparing: a write that changes nothing but times is none.
fn without_times(object: &Value) -> Value {
    let mut object = object.clone();
    let entries = metadata(&mut object).get_mut("managedFields").and_then(Value::as_array_mut);
    for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    object
}
