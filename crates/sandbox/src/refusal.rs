//! What the server says no with: a `Status`, in the words of the real one.

use serde_json::{Map, Value, json};
use towpath_merge::Operation;
use towpath_schema::{Kind as Wrong, Violation};

use crate::fields::Conflict;
use crate::kinds::Kind;

/// A refusal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: u16,
    reason: &'static str,
    message: String,
    /// What it is about; some refusals have nothing there, some an empty mapping.
    details: Option<Map<String, Value>>,
}

impl Refusal {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None }
    }

    fn about(mut self, kind: &Kind, name: &str) -> Self {
        let details = self.details.get_or_insert_default();
        details.insert("kind".into(), json!(kind.plural));
        if !kind.gvk.group.is_empty() {
            details.insert("group".into(), json!(kind.gvk.group));
        }
        if !name.is_empty() {
            details.insert("name".into(), json!(name));
        }
        self
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        self.details.get_or_insert_default().insert(name.into(), value);
        self
    }

    fn with_details(self) -> Self {
        Self { details: Some(self.details.unwrap_or_default()), ..self }
    }

    pub(crate) fn not_found(kind: &Kind, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} {name:?} not found", kind.resource())).about(kind, name)
    }

    pub(crate) fn no_namespace(name: &str) -> Self {
        let refusal = Self::new(404, "NotFound", format!("namespaces {name:?} not found"));
        refusal.with("name", json!(name)).with("kind", json!("namespaces"))
    }

    pub(crate) fn no_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").with_details()
    }

    pub(crate) fn no_method() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with_details()
    }

    pub(crate) fn exists(kind: &Kind, name: &str, leaving: bool) -> Self {
        let leaving = if leaving { "object is being deleted: " } else { "" };
        let message = format!("{leaving}{} {name:?} already exists", kind.resource());
        Self::new(409, "AlreadyExists", message).about(kind, name)
    }

    /// The object that is to be deleted is another one, or in another state.
    pub(crate) fn other(kind: &Kind, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", kind_in_words(kind));
        Self::new(409, "Conflict", message).about(kind, name).with("kind", json!(kind.gvk.kind))
    }

    /// What is on its way out cannot be held by more.
    pub(crate) fn late_finalizers(kind: &Kind, name: &str, new: &[&str]) -> Self {
        let names: Vec<String> = new.iter().map(|name| format!("{name:?}")).collect();
        let message = format!(
            "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            names.join(", ")
        );
        let cause = Cause { reason: "FieldValueForbidden", field: "metadata.finalizers", message };
        let refusal = Self::invalid(kind, name, &cause);
        // The real server finds it twice.
        let cause = json!({"reason": cause.reason, "message": cause.message, "field": cause.field});
        refusal.with("causes", json!([cause, cause]))
    }

    /// A custom resource is replaced under its version only.
    pub(crate) fn no_version(kind: &Kind, name: &str) -> Self {
        let (field, why) = ("metadata.resourceVersion", "Invalid value: 0: must be specified for an update");
        let message = format!("{} {name:?} is invalid: {field}: {why}", kind.resource());
        let cause = json!({"reason": "FieldValueInvalid", "message": why, "field": field});
        Self::new(422, "Invalid", message).about(kind, name).with("causes", json!([cause]))
    }

    /// What a patch makes of an object cannot be read.
    pub(crate) fn unreadable_patch(why: &str) -> Self {
        let message = format!("Invalid value: {why}");
        let cause = json!({"reason": "FieldValueInvalid", "message": message, "field": "patch"});
        let message = format!(" \"\" is invalid: patch: {message}");
        Self::new(422, "Invalid", message).with("causes", json!([cause]))
    }

    /// What it says.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Somebody else was faster, or a precondition does not hold.
    pub(crate) fn conflict(kind: &Kind, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", kind.resource());
        Self::new(409, "Conflict", message).about(kind, name)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// What the real server answers to without having meant to.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    pub(crate) fn media_type(kind: &Kind) -> Self {
        if !kind.custom {
            return Self::new(415, "UnsupportedMediaType", "415: Unsupported Media Type").with_details();
        }
        let known = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {known}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// A JSON patch that does not fit. The real server does not say why.
    pub(crate) fn patch() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message).with_details()
    }

    pub(crate) fn terminating(kind: &Kind, name: &str, namespace: &str) -> Self {
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let refusal =
            Self::new(403, "Forbidden", format!("{} {name:?} is forbidden: {why}", kind.resource()))
                .about(kind, name);
        let cause = json!({"reason": "NamespaceTerminating", "field": "metadata.namespace",
            "message": format!("namespace {namespace} is being terminated")});
        refusal.with("causes", json!([cause]))
    }

    /// A field has a value that it must not have.
    pub(crate) fn invalid(kind: &Kind, name: &str, cause: &Cause) -> Self {
        let message =
            format!("{} {name:?} is invalid: {}: {}", kind_in_words(kind), cause.field, cause.message);
        let refusal = Self::new(422, "Invalid", message).about(kind, name);
        let refusal = refusal.with("kind", json!(kind.gvk.kind));
        let cause = json!({"reason": cause.reason, "message": cause.message, "field": cause.field});
        refusal.with("causes", json!([cause]))
    }

    /// The parameters of an apply are not enough.
    pub(crate) fn invalid_options(cause: &Cause) -> Self {
        let message = format!("PatchOptions.meta.k8s.io \"\" is invalid: {}: {}", cause.field, cause.message);
        let refusal = Self::new(422, "Invalid", message);
        let cause = json!({"reason": cause.reason, "message": cause.message, "field": cause.field});
        let refusal = refusal.with("group", json!("meta.k8s.io")).with("kind", json!("PatchOptions"));
        refusal.with("causes", json!([cause]))
    }

    /// A custom resource does not fit its schema.
    pub(crate) fn violated(kind: &Kind, name: &str, found: &Violation) -> Self {
        let (reason, why) = match found.kind {
            Wrong::Missing => ("FieldValueRequired", "Required value".to_owned()),
            Wrong::UnknownValue => {
                ("FieldValueNotSupported", format!("Unsupported value: {}", found.message))
            }
            _ => ("FieldValueTypeInvalid", format!("Invalid value: {}", found.message)),
        };
        let message = format!("{} {name:?} is invalid: {}: {why}", kind_in_words(kind), found.path);
        let refusal = Self::new(422, "Invalid", message).about(kind, name);
        let cause = json!({"reason": reason, "message": why, "field": found.path});
        refusal.with("kind", json!(kind.gvk.kind)).with("causes", json!([cause]))
    }

    /// The version is too old.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// Fields that an apply would take from others.
    pub(crate) fn contested(conflicts: &[Conflict]) -> Self {
        let mut causes = Vec::new();
        let mut lines: Vec<String> = Vec::new();
        for conflict in conflicts {
            let by = by(conflict);
            let fields: Vec<String> =
                conflict.fields.leaves().iter().map(|path| format!(".{path}")).collect();
            for field in &fields {
                causes.push(json!({"reason": "FieldManagerConflict", "message": format!("conflict with {by}"), "field": field}));
            }
            lines.push(format!("conflicts with {by}:\n- {}", fields.join("\n- ")));
            if let ([only], [_]) = (fields.as_slice(), conflicts) {
                lines = vec![format!("conflict with {by}: {only}")];
            }
        }
        let count = causes.len();
        let s = if count == 1 { "" } else { "s" };
        let message = format!("Apply failed with {count} conflict{s}: {}", lines.join("\n"));
        let refusal = Self::new(409, "Conflict", message);
        refusal.with("causes", causes.into())
    }

    /// As the body of an answer.
    pub(crate) fn body(&self) -> Value {
        let mut status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code});
        if let (false, Some(fields)) = (self.reason.is_empty(), status.as_object_mut()) {
            fields.insert("reason".into(), json!(self.reason));
        }
        if let (Some(details), Some(fields)) = (&self.details, status.as_object_mut()) {
            fields.insert("details".into(), Value::Object(details.clone()));
        }
        status
    }
}

/// Why a field is refused.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) reason: &'static str,
    pub(crate) field: &'static str,
    pub(crate) message: String,
}

/// The answer to a deletion that is complete.
pub(crate) fn deleted(kind: &Kind, name: &str, uid: &str) -> Value {
    let mut about = json!({"name": name, "kind": kind.plural, "uid": uid});
    if let (false, Some(about)) = (kind.gvk.group.is_empty(), about.as_object_mut()) {
        about.insert("group".into(), json!(kind.gvk.group));
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": about})
}

fn by(conflict: &Conflict) -> String {
    let sub = if conflict.subresource.is_empty() {
        String::new()
    } else {
        format!(" with subresource {:?}", conflict.subresource)
    };
    match conflict.operation {
        Operation::Apply => format!("{:?}{sub}", conflict.manager),
        Operation::Update => format!("{:?}{sub} using {}", conflict.manager, conflict.api_version),
    }
}

fn kind_in_words(kind: &Kind) -> String {
    if kind.gvk.group.is_empty() {
        kind.gvk.kind.clone()
    } else {
        format!("{}.{}", kind.gvk.kind, kind.gvk.group)
    }
}
