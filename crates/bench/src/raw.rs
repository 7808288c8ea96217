//! The limit: server-side apply over plain HTTP, bodies ready made, nothing but the requests.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::Method;
use serde_json::json;
use towpath_testkit::Api;

use crate::figures::rate_of;
use crate::objects::{Placed, units};

/// The fastest of several numbers of connections.
pub async fn best(api: &Api, connections: &[usize], units: usize) -> Result<usize> {
    let mut best = (1, Duration::MAX);
    for count in connections {
        let time = raw(api, &format!("try-{count}"), units, *count).await?;
        eprintln!("raw, {count:>2} connections: {:>6.0} objects/s", rate_of(units * 4, time));
        if time < best.1 {
            best = (*count, time);
        }
    }
    Ok(best.0)
}

/// A new namespace and the objects for it.
pub async fn prepare(api: &Api, namespace: &str, count: usize) -> Result<Vec<Placed>> {
    let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
    api.post("/api/v1/namespaces", &object).await?;
    Ok(units(namespace, count))
}

/// The time of applying so many units in a new namespace.
pub async fn raw(api: &Api, namespace: &str, units: usize, connections: usize) -> Result<Duration> {
    let requests: Vec<(String, Bytes)> = prepare(api, namespace, units)
        .await?
        .into_iter()
        .map(|placed| {
            (format!("{}?fieldManager=raw&force=true", placed.path), Bytes::from(placed.object.to_string()))
        })
        .collect();
    let start = Instant::now();
    stream::iter(requests)
        .map(|(path, body)| async move {
            let answer = api.send(Method::PATCH, &path, "application/apply-patch+yaml", body).await?;
            ensure!(answer.status() == 201, "{path}: {}", answer.status());
            Ok(())
        })
        .buffer_unordered(connections)
        .try_collect::<()>()
        .await?;
    Ok(start.elapsed())
}
