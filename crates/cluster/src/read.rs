//! Reading: one object, or a collection page by page.

use serde_json::{Value, json};
use towpath_object::Resource;

use crate::call::Call;
use crate::{Cluster, Error, path};

/// Which objects of a kind: without anything, all of them in all namespaces.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only those in this namespace.
    pub namespace: String,
    /// Only those with these labels: `app=shop,tier!=test`.
    pub labels: String,
    /// Only the one with this name.
    pub name: String,
}

impl Selection {
    /// Everything in a namespace.
    pub fn in_namespace(namespace: &str) -> Self {
        Self { namespace: namespace.into(), ..Self::default() }
    }

    /// One object.
    pub fn one(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into(), ..Self::default() }
    }

    /// The same, with these labels only.
    #[must_use]
    pub fn labelled(self, labels: &str) -> Self {
        Self { labels: labels.into(), ..self }
    }

    /// As parameters of a request.
    pub(crate) fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        if !self.labels.is_empty() {
            query.push(("labelSelector", self.labels.clone()));
        }
        if !self.name.is_empty() {
            query.push(("fieldSelector", format!("metadata.name={}", self.name)));
        }
        query
    }
}

/// How many objects the server sends at a time.
const PAGE: &str = "500";

impl Cluster {
    /// The object, or nothing when it is not there.
    pub async fn get(
        &self,
        resource: &Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, Error> {
        let what = format!("read {}", resource.key(namespace, name));
        match self.call(&Call::get(path::object(resource, namespace, name), what.clone())).await {
            Ok(reply) => reply.json(&what).map(Some),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands every selected object to `each`, page by page so that a large collection is never held whole, and
    /// returns the resource version of the list.
    pub async fn list(
        &self,
        resource: &Resource,
        selection: &Selection,
        mut each: impl FnMut(Value),
    ) -> Result<String, Error> {
        let collection = path::collection(resource, &selection.namespace);
        let what = format!("list {}", in_words(resource, &selection.namespace));
        let mut token = String::new();
        loop {
            let mut query = selection.query();
            query.push(("limit", PAGE.into()));
            if !token.is_empty() {
                query.push(("continue", token));
            }
            let call = Call::get(path::with_query(&collection, &query), what.clone());
            let mut page = self.call(&call).await?.json(&what)?;
            for mut item in
                page.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default()
            {
                complete(resource, &mut item);
                each(item);
            }
            let metadata = |field: &str| {
                page.pointer(&format!("/metadata/{field}"))
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_string()
            };
            token = metadata("continue");
            if token.is_empty() {
                return Ok(metadata("resourceVersion"));
            }
        }
    }
}

/// `Deployment in web`.
pub(crate) fn in_words(resource: &Resource, namespace: &str) -> String {
    let kind = &resource.gvk.kind;
    if namespace.is_empty() { kind.clone() } else { format!("{kind} in {namespace}") }
}

/// Items of a list leave out what the list says for all of them.
pub(crate) fn complete(resource: &Resource, item: &mut Value) {
    if let Some(fields) = item.as_object_mut() {
        fields.entry("apiVersion").or_insert_with(|| json!(resource.gvk.api_version()));
        fields.entry("kind").or_insert_with(|| json!(resource.gvk.kind));
    }
}
