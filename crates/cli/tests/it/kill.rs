//! Killed between any two writes, and run again: converged, nothing orphaned. Every point is tried, not samples.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::Value;
use towpath_testkit::{ControlPlane, FaultProxy, shared};

use crate::shop;
use crate::support::{Folder, command, deploy, finish, inventory, labelled};

/// Where a run is killed.
#[derive(Clone, Copy, Debug)]
pub enum Point {
    /// The n-th write has not reached the server.
    Before(usize),
    /// The n-th write was carried out and its answer has not reached us.
    After(usize),
}

/// Runs the program through the proxy and kills it at the point; false when it ended before.
pub async fn killed(proxy: &FaultProxy, point: Point, arguments: &[&str]) -> Result<bool> {
    proxy.reset();
    match point {
        Point::Before(n) => proxy.stop_before_write(n),
        Point::After(n) => proxy.stop_after_write(n),
    }
    let mut child = command(proxy.kubeconfig_path(), arguments).spawn()?;
    let reached = tokio::select! {
        () = proxy.stopped() => true,
        _ = child.wait() => false,
    };
    if reached {
        child.kill().await?;
    } else {
        finish(child).await?;
    }
    proxy.reset();
    Ok(reached)
}

/// What is labelled as the app's is named in its inventory. The one thing that is there before the inventory is the
/// namespace it lives in; its labels lead the next run to it.
async fn nothing_orphaned(plane: &ControlPlane, app: &str, namespace: &str, group: &str) -> Result<()> {
    let named = inventory(&plane.api(), app, namespace).await?;
    let mut there = labelled(plane, app, Some((group, "baskets"))).await?;
    if named.is_empty() {
        there.remove(&format!("Namespace {namespace}"));
    }
    let orphans: Vec<_> = there.difference(&named).collect();
    ensure!(orphans.is_empty(), "not in the inventory: {orphans:?}");
    Ok(())
}

/// A first version of the app: its own namespace, a definition and its objects, and a service.
fn first_version(namespace: &str, group: &str) -> Vec<Value> {
    let mut objects = vec![
        shop::namespace(namespace),
        shop::definition(group),
        shop::basket(group, namespace, "one", 1),
        shop::basket(group, namespace, "two", 2),
        shop::secret(namespace, "password", "hunter2"),
    ];
    objects.extend(shop::part(namespace, "web"));
    objects
}

/// A second one: some objects changed, some gone, some new.
fn second_version(namespace: &str, group: &str) -> Vec<Value> {
    vec![
        shop::namespace(namespace),
        shop::definition(group),
        shop::basket(group, namespace, "two", 3),
        shop::secret(namespace, "password", "hunter3"),
        shop::account(namespace, "web"),
        shop::config(namespace, "web", "two"),
        shop::config(namespace, "new", "one"),
        shop::deployment(namespace, "web", 0),
    ]
}

/// Tries `step` at every point until it ends before it is reached.
pub async fn at_every_point(
    mut step: impl AsyncFnMut(Point, String) -> Result<bool>,
    prefix: &str,
) -> Result<usize> {
    for n in 1.. {
        let before = step(Point::Before(n), format!("{prefix}-b{n}")).await?;
        let after = step(Point::After(n), format!("{prefix}-a{n}")).await?;
        ensure!(n < 100, "a small app does not need a hundred writes");
        if !before && !after {
            return Ok(n - 1);
        }
    }
    Ok(0)
}

async fn converges(
    kubeconfig: &Path,
    folder: &Folder,
    app: &str,
    expected: usize,
    plane: &ControlPlane,
) -> Result<()> {
    let group = format!("{app}.example.com");
    deploy(kubeconfig, folder, app, app, &["--prune"]).await?.expect(0)?;
    let there = labelled(plane, app, Some((&group, "baskets"))).await?;
    ensure!(there.len() == expected, "{there:?}");
    ensure!(inventory(&plane.api(), app, app).await? == there);
    let again = deploy(kubeconfig, folder, app, app, &["--prune", "--exit-code"]).await?;
    again.expect(0)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_deployment() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let step = async |point: Point, app: String| {
        let group = format!("{app}.example.com");
        let folder = Folder::of(&first_version(&app, &group))?;
        let reached = killed(
            &proxy,
            point,
            &["deploy", "-f", folder.path(), "--app", &app, "-n", &app, "--yes", "--prune"],
        )
        .await?;
        nothing_orphaned(plane, &app, &app, &group).await?;
        converges(proxy.kubeconfig_path(), &folder, &app, 10, plane).await?;
        Ok(reached)
    };
    let points = at_every_point(step, "killa").await?;
    // The namespace, the inventory, nine more objects, the inventory again.
    ensure!(points == 12, "{points} writes");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_with_pruning() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let step = async |point: Point, app: String| {
        let group = format!("{app}.example.com");
        let first = Folder::of(&first_version(&app, &group))?;
        deploy(&plane.kubeconfig_path(), &first, &app, &app, &[]).await?.expect(0)?;
        let second = Folder::of(&second_version(&app, &group))?;
        let reached = killed(
            &proxy,
            point,
            &["deploy", "-f", second.path(), "--app", &app, "-n", &app, "--yes", "--prune"],
        )
        .await?;
        nothing_orphaned(plane, &app, &app, &group).await?;
        converges(proxy.kubeconfig_path(), &second, &app, 8, plane).await?;
        Ok(reached)
    };
    let points = at_every_point(step, "killb").await?;
    // The inventory, three changes and one new object, three deletions, the inventory again.
    ensure!(points == 9, "{points} writes");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removal() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let step = async |point: Point, app: String| {
        let group = format!("{app}.example.com");
        // The namespace is not the app's own here: see `two_hundred_mixed_objects` for that.
        plane.api().post("/api/v1/namespaces", &shop::namespace(&app)).await?;
        let objects: Vec<Value> = first_version(&app, &group).into_iter().skip(1).collect();
        let folder = Folder::of(&objects)?;
        deploy(&plane.kubeconfig_path(), &folder, &app, &app, &[]).await?.expect(0)?;
        let reached = killed(&proxy, point, &["delete", &app, "-n", &app, "--yes"]).await?;
        nothing_orphaned(plane, &app, &app, &group).await?;
        let again =
            crate::support::towpath(proxy.kubeconfig_path(), &["delete", &app, "-n", &app, "--yes"]).await?;
        // Nothing may be left to delete, but then nothing may be left.
        ensure!(matches!(again.code, 0 | 1), "{again:?}");
        ensure!(again.code == 0 || again.stderr.contains("there is no app"), "{again:?}");
        ensure!(labelled(plane, &app, Some((&group, "baskets"))).await?.is_empty());
        ensure!(inventory(&plane.api(), &app, &app).await?.is_empty());
        Ok(reached)
    };
    let points = at_every_point(step, "killc").await?;
    ensure!(points == 10, "{points} writes");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_says_what_to_do() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("interrupt").await?;
    let folder = Folder::of(&shop::part(&namespace, "web"))?;
    proxy.stop_before_write(3);
    let arguments = ["deploy", "-f", folder.path(), "--app", "interrupt", "-n", &namespace, "--yes"];
    let child = command(proxy.kubeconfig_path(), &arguments).spawn()?;
    proxy.stopped().await;
    let process = child.id().unwrap_or_default().to_string();
    ensure!(std::process::Command::new("kill").args(["-INT", &process]).status()?.success());
    let done = finish(child).await?.expect(130)?;
    ensure!(
        done.stderr.contains("interrupted; what was done is recorded, run it again to go on"),
        "{}",
        done.stderr
    );
    proxy.reset();
    deploy(proxy.kubeconfig_path(), &folder, "interrupt", &namespace, &[]).await?.expect(0)?;
    Ok(())
}
