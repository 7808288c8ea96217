//! A server in trouble: slow, busy, failing, cutting connections. Passing faults are survived, without a double write
//! and without a hand.

use std::time::Duration;

use anyhow::{Result, ensure};
use towpath_testkit::{Fault, FaultProxy, Rule, shared};

use crate::shop;
use crate::support::{Folder, deploy, inventory, labelled};

/// Deploys a small app while the rule is in force; it must come out whole.
async fn survives(name: &str, rules: Vec<Rule>) -> Result<FaultProxy> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace(name).await?;
    let group = format!("{name}.example.com");
    let mut objects = vec![shop::definition(&group), shop::basket(&group, &namespace, "one", 1)];
    objects.extend(shop::part(&namespace, "web"));
    let folder = Folder::of(&objects)?;
    for rule in rules {
        proxy.add(rule);
    }
    deploy(proxy.kubeconfig_path(), &folder, name, &namespace, &["--wait", "--timeout", "60s"])
        .await?
        .expect(0)?;
    let there = labelled(plane, name, Some((&group, "baskets"))).await?;
    ensure!(there.len() == 7, "{there:?}");
    ensure!(inventory(&plane.api(), name, &namespace).await? == there);
    ensure!(proxy.seen().iter().any(|seen| seen.faulted), "the fault never came to pass");
    deploy(&plane.kubeconfig_path(), &folder, name, &namespace, &["--exit-code"]).await?.expect(0)?;
    Ok(proxy)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server() -> Result<()> {
    survives("busy", vec![Rule::new(Fault::too_many_requests(1)).times(6)]).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_server() -> Result<()> {
    survives(
        "failing",
        vec![Rule::new(Fault::status(500)).times(5), Rule::new(Fault::status(503)).skip(2).times(5)],
    )
    .await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_cut_before_the_server_sees_a_write() -> Result<()> {
    survives("cut-before", vec![Rule::new(Fault::CutBefore).writes().times(8)]).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_cut_after_the_server_has_carried_out_a_write() -> Result<()> {
    survives("cut-after", vec![Rule::new(Fault::CutAfter).writes().times(8)]).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_network_and_answers_that_break_off() -> Result<()> {
    let slow = Rule::new(Fault::Latency(Duration::from_millis(150))).skip(4).times(10);
    survives("slow", vec![Rule::new(Fault::TruncatedBody { after: 10 }).times(4), slow]).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn watches_that_expire() -> Result<()> {
    let expired = Rule::new(Fault::WatchExpired { after: 0 }).watches().times(2);
    let refused = Rule::new(Fault::status(410)).watches().skip(1).times(1);
    survives("expired", vec![expired, refused]).await?;
    Ok(())
}

/// A user who may read and write single objects, but neither list nor watch, can still deploy and wait.
#[tokio::test(flavor = "multi_thread")]
async fn listing_and_watching_are_forbidden() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("narrow").await?;
    let objects: Vec<_> = (0..4).flat_map(|index| shop::part(&namespace, &format!("web-{index}"))).collect();
    let folder = Folder::of(&objects)?;
    proxy.add(Rule::new(Fault::status(403)).path("limit=500"));
    proxy.add(Rule::new(Fault::status(403)).watches());
    for expected in ["20 created, 0 updated", "0 created, 0 updated"] {
        let done =
            deploy(proxy.kubeconfig_path(), &folder, "narrow", &namespace, &["--wait", "--timeout", "60s"])
                .await?
                .expect(0)?;
        ensure!(done.stdout.contains(expected), "{}", done.stdout);
    }
    Ok(())
}
