//! What the server says no with: a `Status`, in the words of the real one.

use serde_json::{Map, Value, json};
use towpath_merge::Operation;

use crate::fields::Conflict;
use crate::kinds::Kind;

/// A refusal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: u16,
    reason: &'static str,
    message: String,
    details: Map<String, Value>,
}

impl Refusal {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Map::new() }
    }

    fn about(mut self, kind: &Kind, name: &str) -> Self {
        self.details.insert("kind".into(), json!(kind.plural));
        if !kind.gvk.group.is_empty() {
            self.details.insert("group".into(), json!(kind.gvk.group));
        }
        if !name.is_empty() {
            self.details.insert("name".into(), json!(name));
        }
        self
    }

    pub(crate) fn not_found(kind: &Kind, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} {name:?} not found", kind.resource())).about(kind, name)
    }

    pub(crate) fn no_namespace(name: &str) -> Self {
        let mut refusal = Self::new(404, "NotFound", format!("namespaces {name:?} not found"));
        refusal.details = details(json!({"name": name, "kind": "namespaces"}));
        refusal
    }

    pub(crate) fn no_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource")
    }

    pub(crate) fn no_method() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message)
    }

    pub(crate) fn exists(kind: &Kind, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{} {name:?} already exists", kind.resource()))
            .about(kind, name)
    }

    /// Somebody else was faster, or a precondition does not hold.
    pub(crate) fn conflict(kind: &Kind, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", kind.resource());
        Self::new(409, "Conflict", message).about(kind, name)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(crate) fn media_type(message: impl Into<String>) -> Self {
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// A JSON patch that does not fit.
    pub(crate) fn patch(message: impl Into<String>) -> Self {
        Self::new(422, "Invalid", message)
    }

    pub(crate) fn terminating(kind: &Kind, name: &str, namespace: &str) -> Self {
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let mut refusal =
            Self::new(403, "Forbidden", format!("{} {name:?} is forbidden: {why}", kind.resource()))
                .about(kind, name);
        let cause = json!({"reason": "NamespaceTerminating", "field": "metadata.namespace",
            "message": format!("namespace {namespace} is being terminated")});
        refusal.details.insert("causes".into(), json!([cause]));
        refusal
    }

    /// A field has a value that it must not have.
    pub(crate) fn invalid(kind: &Kind, name: &str, cause: &Cause) -> Self {
        let message =
            format!("{} {name:?} is invalid: {}: {}", kind_in_words(kind), cause.field, cause.message);
        let mut refusal = Self::new(422, "Invalid", message).about(kind, name);
        refusal.details.insert("kind".into(), json!(kind.gvk.kind));
        let cause = json!({"reason": cause.reason, "message": cause.message, "field": cause.field});
        refusal.details.insert("causes".into(), json!([cause]));
        refusal
    }

    /// The parameters of an apply are not enough.
    pub(crate) fn invalid_options(cause: &Cause) -> Self {
        let message = format!("PatchOptions.meta.k8s.io \"\" is invalid: {}: {}", cause.field, cause.message);
        let mut refusal = Self::new(422, "Invalid", message);
        let cause = json!({"reason": cause.reason, "message": cause.message, "field": cause.field});
        refusal.details = details(json!({"group": "meta.k8s.io", "kind": "PatchOptions", "causes": [cause]}));
        refusal
    }

    /// A custom resource does not fit its schema.
    pub(crate) fn violated(kind: &Kind, name: &str, field: &str, why: &str) -> Self {
        let message = format!("{} {name:?} is invalid: {field}: {why}", kind_in_words(kind));
        let mut refusal = Self::new(422, "Invalid", message).about(kind, name);
        refusal.details.insert("kind".into(), json!(kind.gvk.kind));
        refusal
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
            lines.push(match fields.as_slice() {
                [only] => format!("conflict with {by}: {only}"),
                several => format!("conflicts with {by}:\n- {}", several.join("\n- ")),
            });
        }
        let count = causes.len();
        let s = if count == 1 { "" } else { "s" };
        let message = format!("Apply failed with {count} conflict{s}: {}", lines.join("\n"));
        let mut refusal = Self::new(409, "Conflict", message);
        refusal.details.insert("causes".into(), causes.into());
        refusal
    }

    /// As the body of an answer.
    pub(crate) fn body(&self) -> Value {
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message,
            "reason": self.reason, "details": self.details, "code": self.code})
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

fn details(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
