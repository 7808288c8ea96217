//! Each fault and each stop point, seen by a plain client.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use towpath_testkit::{Api, Fault, FaultProxy, Rule, eventually, shared, status};

/// A proxy, its client, and the path of the config maps in a fresh namespace.
async fn bed() -> Result<(FaultProxy, Api, String)> {
    let plane = shared().await?;
    let namespace = plane.namespace("faults").await?;
    let proxy = FaultProxy::start(plane)?;
    let api = proxy.api();
    Ok((proxy, api, format!("/api/v1/namespaces/{namespace}/configmaps")))
}

fn config_map(name: &str) -> Value {
    json!({ "metadata": { "name": name }, "data": { "text": "x".repeat(2000) } })
}

async fn direct_names(path: &str) -> Result<Vec<String>> {
    let items = shared().await?.api().list(path).await?;
    let names = items.iter().filter_map(|item| item.pointer("/metadata/name")?.as_str().map(str::to_owned));
    Ok(names.filter(|name| name != "kube-root-ca.crt").collect())
}

#[tokio::test]
async fn without_rules_it_hands_everything_on_and_records_it() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    api.post(&path, &config_map("a")).await?;
    api.get(&format!("{path}/a?pretty=false")).await?;
    assert_eq!(proxy.writes(), [(Method::POST, path.clone())]);
    let seen = proxy.seen();
    assert_eq!(seen[1].query, "pretty=false");
    assert_eq!((seen[0].status, seen[1].status), (Some(201), Some(200)));
    Ok(())
}

#[tokio::test]
async fn it_acts_as_another_user() -> Result<()> {
    let proxy = FaultProxy::start_as(shared().await?, "jane", &["testers"])?;
    let error = proxy.api().get("/api/v1/namespaces").await.expect_err("jane has no rights");
    assert_eq!(status(&error), Some(StatusCode::FORBIDDEN));
    assert!(error.to_string().contains("jane"), "{error}");
    Ok(())
}

#[tokio::test]
async fn latency_delays() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.add(Rule::new(Fault::Latency(Duration::from_millis(300))).times(1));
    let start = Instant::now();
    api.get(&path).await?;
    assert!(start.elapsed() >= Duration::from_millis(300));
    let start = Instant::now();
    api.get(&path).await?;
    assert!(start.elapsed() < Duration::from_millis(300));
    Ok(())
}

#[tokio::test]
async fn statuses_are_answered_in_the_servers_words() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.add(Rule::new(Fault::too_many_requests(7)).method(Method::POST).times(1));
    proxy.add(Rule::new(Fault::status(503)).method(Method::POST).times(1));
    for code in [429, 503] {
        let error = api.post(&path, &config_map("a")).await.expect_err("a fault was asked for");
        assert_eq!(status(&error).map(|status| status.as_u16()), Some(code));
    }
    api.post(&path, &config_map("a")).await?;
    assert!(proxy.seen()[0].faulted && !proxy.seen()[2].faulted);
    Ok(())
}

#[tokio::test]
async fn a_cut_before_leaves_no_trace_and_a_cut_after_does() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.add(Rule::new(Fault::CutBefore).writes().times(1));
    api.post(&path, &config_map("before")).await.expect_err("the connection is cut");
    assert_eq!(direct_names(&path).await?, Vec::<String>::new());
    proxy.reset();
    proxy.add(Rule::new(Fault::CutAfter).writes().times(1));
    api.post(&path, &config_map("after")).await.expect_err("the connection is cut");
    assert_eq!(direct_names(&path).await?, ["after"]);
    Ok(())
}

#[tokio::test]
async fn bodies_come_slowly_or_in_part() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    api.post(&path, &config_map("a")).await?;
    let path = format!("{path}/a");
    proxy.add(Rule::new(Fault::SlowBody { piece: 500, pause: Duration::from_millis(50) }).times(1));
    let start = Instant::now();
    assert_eq!(api.get(&path).await?["metadata"]["name"], "a");
    assert!(start.elapsed() >= Duration::from_millis(200), "2000 bytes in pieces of 500");
    proxy.add(Rule::new(Fault::TruncatedBody { after: 100 }).times(1));
    let error = api.get(&path).await.expect_err("the body is cut");
    assert!(format!("{error:#}").starts_with("read the answer"), "the status came through: {error:#}");
    api.get(&path).await?;
    Ok(())
}

#[tokio::test]
async fn a_watch_expires_after_its_events() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    for name in ["a", "b", "c"] {
        api.post(&path, &config_map(name)).await?;
    }
    proxy.add(Rule::new(Fault::WatchExpired { after: 2 }).watches());
    let answer = api.send(Method::GET, &format!("{path}?watch=true"), "", Bytes::new()).await?;
    assert_eq!(answer.status(), StatusCode::OK);
    let events: Vec<Value> = String::from_utf8(answer.body().to_vec())?
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds, ["ADDED", "ADDED", "ERROR"]);
    assert_eq!(events[2]["object"]["code"], 410);
    assert_eq!(events[2]["object"]["reason"], "Expired");
    Ok(())
}

#[tokio::test]
async fn stopping_before_a_write_holds_it_and_what_follows() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.stop_before_write(2);
    let (writer, target) = (api.clone(), path.clone());
    let client = tokio::spawn(async move {
        for name in ["a", "b", "c"] {
            writer.post(&target, &config_map(name)).await?;
        }
        anyhow::Ok(())
    });
    proxy.stopped().await;
    assert_eq!(direct_names(&path).await?, ["a"]);
    assert_eq!(proxy.writes().len(), 2, "the second arrived and is held");
    let held = tokio::time::timeout(Duration::from_millis(200), api.get(&path)).await;
    assert!(held.is_err(), "reads are held as well");
    proxy.reset();
    client.await?.expect_err("what was held is cut");
    assert_eq!(direct_names(&path).await?, ["a"]);
    Ok(())
}

#[tokio::test]
async fn stopping_after_a_write_keeps_its_answer_from_the_client() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.stop_after_write(2);
    let (writer, target) = (api.clone(), path.clone());
    let client = tokio::spawn(async move {
        let mut told = 0;
        for name in ["a", "b", "c"] {
            if writer.post(&target, &config_map(name)).await.is_err() {
                break;
            }
            told += 1;
        }
        told
    });
    proxy.stopped().await;
    assert_eq!(direct_names(&path).await?, ["a", "b"]);
    proxy.reset();
    assert_eq!(client.await?, 1);
    Ok(())
}

#[tokio::test]
async fn writes_under_way_are_carried_out_before_the_stop_is_told() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.stop_before_write(9);
    proxy.add(Rule::new(Fault::Latency(Duration::from_millis(200))).writes());
    for number in 0..12 {
        let (api, path) = (api.clone(), path.clone());
        tokio::spawn(async move { api.post(&path, &config_map(&format!("m{number}"))).await });
    }
    tokio::time::timeout(Duration::from_secs(20), proxy.stopped()).await.context("never stopped")?;
    assert_eq!(direct_names(&path).await?.len(), 8);
    Ok(())
}

#[tokio::test]
async fn a_killed_clients_held_write_never_arrives() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.stop_before_write(1);
    let (writer, target) = (api.clone(), path.clone());
    let client = tokio::spawn(async move { writer.post(&target, &config_map("held")).await });
    proxy.stopped().await;
    client.abort();
    proxy.reset();
    api.post(&path, &config_map("next")).await?;
    assert_eq!(direct_names(&path).await?, ["next"]);
    assert_eq!(proxy.writes().len(), 1, "the record starts anew with the reset");
    Ok(())
}

#[tokio::test]
async fn a_killed_clients_write_under_way_is_carried_out() -> Result<()> {
    let (proxy, api, path) = bed().await?;
    proxy.add(Rule::new(Fault::Latency(Duration::from_millis(200))));
    let target = path.clone();
    let client = tokio::spawn(async move { api.post(&target, &config_map("sent")).await });
    let patience = Duration::from_secs(5);
    eventually("the proxy has it", patience, async || Ok((proxy.writes().len() == 1).then_some(()))).await?;
    client.abort();
    eventually("the server has it", patience, async || {
        Ok((direct_names(&path).await? == ["sent"]).then_some(()))
    })
    .await
}
