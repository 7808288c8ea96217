//! Patches in their four forms: JSON, merge, strategic merge, and apply.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};
use towpath_merge::Operation;
use towpath_schema::{Identity, Place};

use super::known::keep;
use super::metadata::{metadata, of};
use super::write::{Write, decode, drop_status, fit_namespace, merged, without_managers};
use super::{Reply, Server, bytes};
use crate::fields::Managers;
use crate::json_patch;
use crate::kinds::Kind;
use crate::refusal::{Cause, Refusal};
use crate::request::{Address, Request};
use crate::store::{Record, key};

impl Server {
    pub(super) fn patch(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let write = Write::of(request, address, now);
        let form = request.content_type();
        if matches!(form, "application/apply-patch+yaml" | "application/apply-patch+json") {
            return self.apply(request, kind, address, &write);
        }
        let key = key(&address.namespace, &address.name);
        let old =
            self.store.get(kind.table, &key).ok_or_else(|| Refusal::not_found(kind, &address.name))?.value();
        let patch: Value =
            serde_json::from_slice(&request.body).map_err(|error| Refusal::bad_request(error.to_string()))?;
        let mut new = match form {
            "application/json-patch+json" => json_patch::apply(&old, &patch).map_err(|error| {
                tracing::debug!(%error, "a patch does not fit");
                Refusal::patch()
            })?,
            "application/merge-patch+json" => json_patch::merge(old.clone(), &patch),
            "application/strategic-merge-patch+json" if !kind.custom => {
                strategic(&old, &patch, self.kinds.place(&kind.gvk))
            }
            _ => return Err(Refusal::media_type(kind)),
        };
        if let Some(fields) = new.as_object_mut() {
            fields.remove("apiVersion");
            fields.remove("kind");
        }
        if let (false, false, Err(refusal)) = (kind.custom, write.is_strict(), self.check(kind, &new, &write))
        {
            return Err(Refusal::unreadable_patch(refusal.message()));
        }
        let record = self.update(kind, address, &old, new, &write)?;
        Ok(Reply::Bytes(200, bytes(kind, &record, request.shown())))
    }

    fn apply(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        write: &Write,
    ) -> Result<Reply, Refusal> {
        let applied = decode(kind, &request.body)?;
        check_applied(request, address, &applied)?;
        self.check(kind, &applied, write)?;
        let writer = write.writer(kind, Operation::Apply);
        let key = key(&address.namespace, &address.name);
        let force = request.says("force");
        let Some(old) = self.store.get(kind.table, &key).map(|record| record.value()) else {
            if !write.part.is_empty() {
                return Err(Refusal::not_found(kind, &address.name));
            }
            let record = self.apply_new(kind, address, applied, write)?;
            return Ok(Reply::Bytes(201, bytes(kind, &record, request.shown())));
        };
        let version = of(&applied, "resourceVersion");
        if !version.is_empty() && version != of(&old, "resourceVersion") {
            let why =
                "the object has been modified; please apply your changes to the latest version and try again";
            return Err(Refusal::conflict(kind, &address.name, why));
        }
        let applied = dropped(kind, &applied, &write.part);
        let (bare, place) = (without_managers(&old), self.kinds.place(&kind.gvk));
        let (result, managers) = Managers::of(&old)
            .after_apply(&bare, &applied, place, &writer, force)
            .map_err(|conflicts| Refusal::contested(&conflicts))?;
        let mut new = merged(kind, &old, self.fit(kind, result), &write.part);
        keep(kind, &old, &mut new);
        managers.write(&mut new);
        let record = self.change(kind, address, &old, new, write)?;
        Ok(Reply::Bytes(200, bytes(kind, &record, request.shown())))
    }
}

impl Server {
    /// An apply of what is not there yet.
    fn apply_new(
        &mut self,
        kind: &Arc<Kind>,
        address: &Address,
        applied: Value,
        write: &Write,
    ) -> Result<Arc<Record>, Refusal> {
        let wanted = dropped(kind, &applied, "");
        let (place, empty) = (self.kinds.place(&kind.gvk), Value::Object(Map::new()));
        let (_, managers) = Managers::default()
            .after_apply(&empty, &wanted, place, &write.writer(kind, Operation::Apply), false)
            .map_err(|conflicts| Refusal::contested(&conflicts))?;
        let mut object = self.fit(kind, applied);
        metadata(&mut object).insert("name".into(), address.name.clone().into());
        fit_namespace(kind, &address.namespace, &mut object)?;
        drop_status(kind, &mut object);
        self.prepare_new(kind, &mut object, write)?;
        managers.write(&mut object);
        self.add(kind, object, write)
    }
}

/// Refuses an apply that cannot be one.
fn check_applied(request: &Request, address: &Address, applied: &Value) -> Result<(), Refusal> {
    if request.parameter("fieldManager").is_empty() {
        let cause = Cause {
            reason: "FieldValueRequired",
            field: "fieldManager",
            message: "Required value: is required for apply patch".into(),
        };
        return Err(Refusal::invalid_options(&cause));
    }
    if applied
        .pointer("/metadata/managedFields")
        .is_some_and(|list| list.as_array().is_some_and(|list| !list.is_empty()))
    {
        return Err(Refusal::bad_request("metadata.managedFields must be nil"));
    }
    let name = of(applied, "name");
    if !name.is_empty() && name != address.name {
        let message =
            format!("the name of the object ({name}) does not match the name on the URL ({})", address.name);
        return Err(Refusal::bad_request(message));
    }
    Ok(())
}

/// What of an apply counts: of the object all but its status, of the status only that.
fn dropped(kind: &Kind, applied: &Value, part: &str) -> Value {
    let mut applied = applied.clone();
    if let Some(fields) = applied.as_object_mut() {
        match part {
            "status" => fields.retain(|name, _| name == "status"),
            _ if kind.status => {
                fields.remove("status");
            }
            _ => {}
        }
    }
    applied
}

/// A strategic merge patch: lists are merged by their keys, and `$patch` says what else to do.
/// <https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md>
fn strategic(old: &Value, patch: &Value, place: Place<'_>) -> Value {
    let (Value::Object(before), Value::Object(changes)) = (old, patch) else { return patch.clone() };
    if changes.get("$patch").and_then(Value::as_str) == Some("replace") {
        return without_directives(patch);
    }
    let mut after = before.clone();
    for (name, change) in changes {
        if let Some(list) = name.strip_prefix("$deleteFromPrimitiveList/") {
            if let (Some(Value::Array(items)), Value::Array(gone)) = (after.get_mut(list), change) {
                items.retain(|item| !gone.contains(item));
            }
            continue;
        }
        if name.starts_with('$') {
            continue;
        }
        let below = place.field(name);
        let value = match (before.get(name), change) {
            (_, Value::Null) => {
                after.remove(name);
                continue;
            }
            (_, Value::Object(map)) if map.get("$patch").and_then(Value::as_str) == Some("delete") => {
                after.remove(name);
                continue;
            }
            (Some(old @ Value::Object(_)), Value::Object(_)) => strategic(old, change, below),
            (Some(Value::Array(old)), Value::Array(items)) => Value::Array(strategic_list(old, items, below)),
            _ => without_directives(change),
        };
        after.insert(name.clone(), value);
    }
    Value::Object(after)
}

fn strategic_list(old: &[Value], changes: &[Value], place: Place<'_>) -> Vec<Value> {
    let mut after = old.to_vec();
    match place.identity() {
        Identity::Atomic => return changes.iter().map(without_directives).collect(),
        Identity::Itself => {
            let new = changes.iter().filter(|item| !old.contains(item));
            after.extend(new.cloned());
        }
        Identity::Keys(keys) => {
            // The key of a patch is the first of those of an apply.
            let key = keys.first().copied().unwrap_or_default();
            if changes.iter().any(|item| item.get("$patch").and_then(Value::as_str) == Some("replace")) {
                return changes.iter().filter(|item| item.get("$patch").is_none()).cloned().collect();
            }
            // What is new comes first.
            let mut added = 0;
            for change in changes {
                let found =
                    after.iter().position(|item| item.get(key).is_some() && item.get(key) == change.get(key));
                let delete = change.get("$patch").and_then(Value::as_str) == Some("delete");
                match (found, delete) {
                    (Some(place), true) => {
                        after.remove(place);
                    }
                    (None, true) => {}
                    (Some(at), false) => {
                        if let Some(item) = after.get_mut(at) {
                            *item = strategic(item, change, place.items());
                        }
                    }
                    (None, false) => {
                        after.insert(added, without_directives(change));
                        added += 1;
                    }
                }
            }
        }
    }
    after
}

/// A new value, without what only tells how to merge it, and without nulls.
fn without_directives(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, value)| !name.starts_with('$') && !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_directives(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_directives).collect()),
        other => other.clone(),
    }
}
