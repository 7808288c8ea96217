//! Changing the cluster: server-side apply, delete, and create or replace under a precondition.

use bytes::Bytes;
use http::Method;
use serde_json::{Map, Value, json};
use towpath_object::{Key, Object, Resource};

use crate::call::{Call, Reply};
use crate::{Cluster, Error, path};

/// How to apply.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The name under which the fields are owned.
    pub manager: String,
    /// Take fields that others own.
    pub force: bool,
    /// Only say what would come of it.
    pub dry_run: bool,
}

/// What came of an apply.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The object as it is now.
    pub object: Value,
    /// True when it was not there before.
    pub created: bool,
    /// What the server wants the person to know.
    pub warnings: Vec<String>,
}

/// What came of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It is gone, was not there, or is another object of the same name by now.
    Gone,
    /// It is on its way out: something still holds it, a grace period or finalizers.
    Leaving,
    /// Nothing was deleted: it is not in the state that was meant any more.
    Changed,
}

/// What a deletion is about. Empty fields say nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Only<'a> {
    /// That very object, and no other of its name.
    pub uid: &'a str,
    /// In that very state.
    pub version: &'a str,
}

impl Cluster {
    /// Server-side apply.
    pub async fn apply(
        &self,
        resource: &Resource,
        object: &Object,
        options: &Apply,
    ) -> Result<Applied, Error> {
        let mut query = vec![("fieldManager", options.manager.as_str())];
        if options.force {
            query.push(("force", "true"));
        }
        if options.dry_run {
            query.push(("dryRun", "All"));
        }
        query.push(("fieldValidation", "Strict"));
        let what = format!("apply {}", object.key());
        let path = path::with_query(&path::object(resource, object.namespace(), object.name()), &query);
        // JSON is YAML; the server insists on the YAML media type.
        let reply =
            self.send(Method::PATCH, path, "application/apply-patch+yaml", object.value(), &what).await?;
        Ok(Applied { object: reply.json(&what)?, created: reply.code == 201, warnings: reply.warnings })
    }

    /// Creates; an object of that name that is already there is a conflict.
    pub async fn create(&self, resource: &Resource, object: &Object) -> Result<Value, Error> {
        let what = format!("create {}", object.key());
        let path =
            path::with_query(&path::collection(resource, object.namespace()), &[("fieldManager", "towpath")]);
        self.send(Method::POST, path, "application/json", object.value(), &what).await?.json(&what)
    }

    /// Only asks whether the object could be created.
    pub async fn check_create(&self, resource: &Resource, object: &Object) -> Result<(), Error> {
        let what = format!("create {}", object.key());
        let query = [("fieldManager", "towpath"), ("dryRun", "All")];
        let path = path::with_query(&path::collection(resource, object.namespace()), &query);
        self.send(Method::POST, path, "application/json", object.value(), &what).await?;
        Ok(())
    }

    /// Replaces; if the object carries a resource version that is no longer the newest it is a conflict.
    pub async fn replace(&self, resource: &Resource, object: &Object) -> Result<Value, Error> {
        let what = format!("replace {}", object.key());
        let path = path::object(resource, object.namespace(), object.name());
        let path = path::with_query(&path, &[("fieldManager", "towpath")]);
        self.send(Method::PUT, path, "application/json", object.value(), &what).await?.json(&what)
    }

    /// Changes the object by a JSON patch, which may carry its own preconditions.
    pub async fn patch(&self, resource: &Resource, key: &Key, patch: &Value) -> Result<(), Error> {
        let what = format!("change {key}");
        let address = path::object(resource, &key.namespace, &key.name);
        self.send(Method::PATCH, address, "application/json-patch+json", patch, &what).await?;
        Ok(())
    }

    /// Changes the object, or a subresource of it, by a JSON merge patch; what it changes is `manager`'s. With a resource
    /// version that is no longer the newest it is a conflict.
    pub async fn merge(
        &self,
        resource: &Resource,
        key: &Key,
        subresource: Option<&str>,
        patch: &Value,
        manager: &str,
    ) -> Result<Value, Error> {
        let what = format!("change {key}");
        let mut address = path::object(resource, &key.namespace, &key.name);
        if let Some(subresource) = subresource {
            address = format!("{address}/{subresource}");
        }
        let address = path::with_query(&address, &[("fieldManager", manager)]);
        self.send(Method::PATCH, address, "application/merge-patch+json", patch, &what).await?.json(&what)
    }

    /// Asks the server to delete the object, dependants in the background; with a uid only that very object.
    pub async fn delete(&self, resource: &Resource, key: &Key, uid: &str) -> Result<Deletion, Error> {
        self.delete_only(resource, key, Only { uid, version: "" }, "Background").await
    }

    /// Deletes only what is meant, with a word for what becomes of dependants: `Foreground`, `Background` or `Orphan`.
    pub async fn delete_only(
        &self,
        resource: &Resource,
        key: &Key,
        only: Only<'_>,
        propagation: &str,
    ) -> Result<Deletion, Error> {
        let given = [("uid", only.uid), ("resourceVersion", only.version)].into_iter();
        let preconditions: Map<String, Value> = given
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let options = json!({
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            "propagationPolicy": propagation,
            "preconditions": preconditions,
        });
        let what = format!("delete {key}");
        let path = path::object(resource, &key.namespace, &key.name);
        match self.send(Method::DELETE, path, "application/json", &options, &what).await {
            Ok(reply) => {
                let leaving = reply.json(&what)?.pointer("/metadata/deletionTimestamp").is_some();
                Ok(if leaving { Deletion::Leaving } else { Deletion::Gone })
            }
            Err(error) if error.is_not_found() => Ok(Deletion::Gone),
            Err(error) if error.is_conflict() && !only.version.is_empty() => Ok(Deletion::Changed),
            // A conflict here is the uid: the object that we meant is gone and another has its name.
            Err(error) if error.is_conflict() && !only.uid.is_empty() => Ok(Deletion::Gone),
            Err(error) => Err(error),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: String,
        content_type: &'static str,
        body: &Value,
        what: &str,
    ) -> Result<Reply, Error> {
        let bytes = serde_json::to_vec(body)
            .map_err(|error| Error::Nonsense { what: what.into(), message: error.to_string() })?;
        let body = Some((content_type, Bytes::from(bytes)));
        self.call(&Call { method, path, body, accept: "application/json", what: what.into() }).await
    }
}
