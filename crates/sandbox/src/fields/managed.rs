//! The managers of an object, and what a write makes of them.

use serde_json::{Map, Value, json};
use towpath_merge::{Element, FieldSet, ManagerEntry, Operation, Path, managers};
use towpath_schema::Place;

use super::{Comparison, compare, merge, set_of, without};

/// Who owns what was there before the first apply.
const FIRST: &str = "before-first-apply";

/// Who writes, and how.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    pub(crate) api_version: String,
    pub(crate) subresource: String,
    /// When, as the server writes times.
    pub(crate) time: String,
}

/// Fields that somebody else owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    pub(crate) subresource: String,
    pub(crate) api_version: String,
    pub(crate) fields: FieldSet,
}

/// The managers of one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Managers(Vec<(ManagerEntry, String)>);

impl Managers {
    /// Those that the object names; none where they cannot be read.
    pub(crate) fn of(object: &Value) -> Self {
        let entries = managers(object).unwrap_or_default();
        let times = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
        let times =
            times.map(|entry| entry.get("time").and_then(Value::as_str).unwrap_or_default().to_owned());
        Self(entries.into_iter().zip(times).collect())
    }

    /// After a change of an object that was there. Where nobody was written down, nobody is.
    pub(crate) fn after_change(self, old: &Value, new: &Value, place: Place<'_>, writer: &Writer) -> Self {
        if self.0.is_empty() { self } else { self.after_update(old, new, place, writer) }
    }

    /// After a write that made `new` of `old`, by whatever means but apply.
    pub(crate) fn after_update(
        mut self,
        old: &Value,
        new: &Value,
        place: Place<'_>,
        writer: &Writer,
    ) -> Self {
        let comparison = ours(&compare(old, new, place));
        let written = comparison.written();
        for (entry, _) in &mut self.0 {
            entry.fields = entry.fields.difference(&comparison.removed);
            if !writer.is(entry) {
                entry.fields = entry.fields.difference(&written);
            }
        }
        if !written.is_empty() {
            let own = self.own(writer);
            own.0.fields = own.0.fields.union(&written);
            own.1.clone_from(&writer.time);
        }
        self.drop_empty()
    }

    /// After an apply: the object as it will be and its managers, or who is in the way.
    pub(crate) fn after_apply(
        mut self,
        live: &Value,
        applied: &Value,
        place: Place<'_>,
        writer: &Writer,
        force: bool,
    ) -> Result<(Value, Self), Vec<Conflict>> {
        if self.0.is_empty() && live.get("metadata").is_some() {
            // Whoever wrote it before has a name, so that what is there has an owner.
            let before = Writer { manager: FIRST.into(), operation: Operation::Update, ..writer.clone() };
            self = self.after_update(&json!({"metadata": {}}), live, place, &before);
        }
        let wanted = of_people(&set_of(applied, place));
        let last = self.0.iter().find(|(entry, _)| writer.is(entry)).map(|(entry, _)| entry.fields.clone());
        let merged = merge(live, applied, place);
        let comparison = ours(&compare(live, &merged, place));
        let written = comparison.written();
        let mut conflicts = Vec::new();
        for (entry, _) in self.0.iter_mut().filter(|(entry, _)| !writer.is(entry)) {
            let shared = entry.fields.intersection(&written);
            if shared.is_empty() {
                continue;
            }
            entry.fields = entry.fields.difference(&shared);
            conflicts.push(Conflict {
                manager: entry.manager.clone(),
                operation: entry.operation,
                subresource: entry.subresource.clone(),
                api_version: entry.api_version.clone(),
                fields: shared,
            });
        }
        if !force && !conflicts.is_empty() {
            return Err(conflicts);
        }
        let others = self.0.iter().filter(|(entry, _)| !writer.is(entry));
        let owned = others.fold(wanted.clone(), |owned, (entry, _)| owned.union(&entry.fields));
        let gone = last.clone().unwrap_or_default().difference(&owned);
        let result = without(&merged, place, &gone, &owned);
        let removed = ours(&compare(&merged, &result, place)).removed;
        for (entry, _) in &mut self.0 {
            entry.fields = entry.fields.difference(&removed);
        }
        let own = self.own(writer);
        if last.as_ref() != Some(&wanted) {
            own.1.clone_from(&writer.time);
        }
        own.0.fields = wanted;
        Ok((result, self.drop_empty()))
    }

    /// Writes them into an object.
    pub(crate) fn write(&self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
        if self.0.is_empty() {
            metadata.remove("managedFields");
            return;
        }
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_by(|(left, left_time), (right, right_time)| {
            let order = |entry: &ManagerEntry| entry.operation == Operation::Update;
            (order(left), left_time, &left.manager, &left.subresource).cmp(&(
                order(right),
                right_time,
                &right.manager,
                &right.subresource,
            ))
        });
        metadata.insert("managedFields".into(), entries.into_iter().map(encode).collect());
    }

    fn own(&mut self, writer: &Writer) -> &mut (ManagerEntry, String) {
        let place = self.0.iter().position(|(entry, _)| writer.is(entry)).unwrap_or_else(|| {
            let entry = ManagerEntry {
                manager: writer.manager.clone(),
                operation: writer.operation,
                subresource: writer.subresource.clone(),
                api_version: writer.api_version.clone(),
                fields: FieldSet::default(),
            };
            self.0.push((entry, writer.time.clone()));
            self.0.len() - 1
        });
        self.0.get_mut(place).expect("it was found or pushed there")
    }

    fn drop_empty(mut self) -> Self {
        self.0.retain(|(entry, _)| !entry.fields.is_empty());
        self
    }
}

impl Writer {
    fn is(&self, entry: &ManagerEntry) -> bool {
        entry.manager == self.manager
            && entry.operation == self.operation
            && entry.subresource == self.subresource
            && (entry.api_version == self.api_version || self.operation == Operation::Apply)
    }
}

fn encode((entry, time): &(ManagerEntry, String)) -> Value {
    let mut fields = Map::new();
    fields.insert("apiVersion".into(), json!(entry.api_version));
    fields.insert("fieldsType".into(), json!("FieldsV1"));
    fields.insert("fieldsV1".into(), entry.fields.to_json());
    fields.insert("manager".into(), json!(entry.manager));
    fields.insert("operation".into(), json!(word(entry.operation)));
    if !entry.subresource.is_empty() {
        fields.insert("subresource".into(), json!(entry.subresource));
    }
    if !time.is_empty() {
        fields.insert("time".into(), json!(time));
    }
    Value::Object(fields)
}

fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::Apply => "Apply",
        Operation::Update => "Update",
    }
}

/// What says which object it is, and what the server alone writes: nobody owns it.
const NOBODYS: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["metadata", "clusterName"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
];

fn of_people(set: &FieldSet) -> FieldSet {
    let nobodys: FieldSet =
        NOBODYS.iter().map(|names| names.iter().map(|name| Element::field(name)).collect::<Path>()).collect();
    set.difference(&nobodys)
}

fn ours(comparison: &Comparison) -> Comparison {
    Comparison {
        added: of_people(&comparison.added),
        modified: of_people(&comparison.modified),
        removed: of_people(&comparison.removed),
    }
}
