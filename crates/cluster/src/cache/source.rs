//! The requests of one kind in one place: stream, page, watch.

use http::Method;
use serde_json::{Value, json};
use tokio::time::timeout;
use towpath_object::Resource;

use super::backoff;
use crate::call::Call;
use crate::lines::Lines;
use crate::read::{complete, in_words};
use crate::{Cluster, Error, Selection, path};

/// Only the metadata of objects, where the server can.
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const METADATA_LIST: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const WHOLE: &str = "application/json";

/// Where objects come from.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) cluster: Cluster,
    pub(super) resource: Resource,
    pub(super) selection: Selection,
    pub(super) metadata_only: bool,
}

/// A part of a list.
pub(super) struct Page {
    pub(super) objects: Vec<Value>,
    /// What to ask for the next part with; empty at the end.
    pub(super) token: String,
    pub(super) version: String,
}

impl Source {
    /// Everything as it is now, and then what changes: a list that the server streams from its cache.
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists>
    pub(super) async fn stream(&self) -> Result<Lines, Error> {
        let query = [("sendInitialEvents", "true"), ("resourceVersionMatch", "NotOlderThan")];
        self.open("stream", &query).await
    }

    /// What changes from that version on.
    pub(super) async fn watch(&self, from: &str) -> Result<Lines, Error> {
        self.open("watch", &[("resourceVersion", from)]).await
    }

    /// A part of everything as it is now. Servers from 1.34 on answer from their cache.
    pub(super) async fn page(&self, size: usize, token: &str) -> Result<Page, Error> {
        let mut query = self.selection.query();
        query.push(("limit", size.to_string()));
        if !token.is_empty() {
            query.push(("continue", token.to_string()));
        }
        let what = self.in_words("list");
        let accept = if self.metadata_only { METADATA_LIST } else { WHOLE };
        let call = Call { accept, ..Call::get(path::with_query(&self.path(), &query), what.clone()) };
        let mut page = self.cluster.attempt(&call).await?.json(&what)?;
        let text = |page: &Value, field: &str| {
            page.get("metadata")
                .and_then(|metadata| metadata.get(field)?.as_str())
                .unwrap_or_default()
                .to_string()
        };
        let (token, version) = (text(&page, "continue"), text(&page, "resourceVersion"));
        let mut objects = match page.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        for object in &mut objects {
            complete(&self.resource, object);
        }
        Ok(Page { objects, token, version })
    }

    /// Whether the server says that we may list this.
    pub(super) async fn may_list(&self) -> Result<bool, Error> {
        let what = format!("ask whether we may {}", self.in_words("list"));
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {
                "verb": "list", "group": self.resource.gvk.group, "version": self.resource.gvk.version,
                "resource": self.resource.plural, "namespace": self.selection.namespace,
            }},
        });
        let call = Call {
            method: Method::POST,
            path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews".into(),
            body: Some(("application/json", review.to_string().into())),
            accept: WHOLE,
            what: what.clone(),
        };
        let answer = self.cluster.attempt(&call).await?.json(&what)?;
        Ok(answer.pointer("/status/allowed").and_then(Value::as_bool) == Some(true))
    }

    pub(super) fn in_words(&self, verb: &str) -> String {
        format!("{verb} {}", in_words(&self.resource, &self.selection.namespace))
    }

    async fn open(&self, verb: &str, more: &[(&'static str, &str)]) -> Result<Lines, Error> {
        let mut query = self.selection.query();
        query.extend(more.iter().map(|(name, value)| (*name, (*value).to_string())));
        query.push(("watch", "true".into()));
        query.push(("allowWatchBookmarks", "true".into()));
        query.push(("timeoutSeconds", backoff::spread(290).to_string()));
        let accept = if self.metadata_only { METADATA } else { WHOLE };
        let what = self.in_words(verb);
        let call = Call { accept, ..Call::get(path::with_query(&self.path(), &query), what.clone()) };
        let deadline = self.cluster.shared.deadline;
        match timeout(deadline, self.cluster.open(&call)).await {
            Ok(answer) => answer.map(Lines::new),
            Err(_) => Err(Error::Deadline { what, seconds: deadline.as_secs() }),
        }
    }

    fn path(&self) -> String {
        path::collection(&self.resource, &self.selection.namespace)
    }
}
