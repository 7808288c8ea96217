//! A sequence of requests, as data.

use http::Method;
use serde_json::Value;

/// Requests that are sent one after the other, in a namespace of their own (`NAMESPACE` in paths and bodies).
///
/// `${field:n}` stands for a field of the metadata in the answer to step `n`: its `uid`, its `resourceVersion`.
pub struct Sequence {
    /// What kind of request it is about.
    pub class: &'static str,
    pub name: &'static str,
    pub steps: Vec<Step>,
}

/// One request.
pub struct Step {
    pub method: Method,
    pub path: String,
    pub form: &'static str,
    pub accept: &'static str,
    pub body: Value,
}

pub const JSON: &str = "application/json";
pub const APPLY: &str = "application/apply-patch+yaml";
pub const MERGE: &str = "application/merge-patch+json";
pub const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub const PATCH: &str = "application/json-patch+json";

impl Sequence {
    pub fn new(class: &'static str, name: &'static str) -> Self {
        Self { class, name, steps: Vec::new() }
    }

    pub fn send(mut self, method: Method, path: &str, form: &'static str, body: Value) -> Self {
        self.steps.push(Step { method, path: path.into(), form, accept: JSON, body });
        self
    }

    pub fn get(self, path: &str) -> Self {
        self.send(Method::GET, path, "", Value::Null)
    }

    pub fn accepting(mut self, path: &str, accept: &'static str) -> Self {
        self.steps.push(Step { method: Method::GET, path: path.into(), form: "", accept, body: Value::Null });
        self
    }

    pub fn post(self, path: &str, body: Value) -> Self {
        self.send(Method::POST, path, JSON, body)
    }

    pub fn put(self, path: &str, body: Value) -> Self {
        self.send(Method::PUT, path, JSON, body)
    }

    pub fn delete(self, path: &str, body: Value) -> Self {
        self.send(Method::DELETE, path, JSON, body)
    }

    pub fn patch(self, path: &str, form: &'static str, body: Value) -> Self {
        self.send(Method::PATCH, path, form, body)
    }

    /// An apply that does not take what others own.
    pub fn apply(self, path: &str, manager: &str, body: Value) -> Self {
        self.send(Method::PATCH, &format!("{path}?fieldManager={manager}"), APPLY, body)
    }

    pub fn force(self, path: &str, manager: &str, body: Value) -> Self {
        self.send(Method::PATCH, &format!("{path}?fieldManager={manager}&force=true"), APPLY, body)
    }
}
