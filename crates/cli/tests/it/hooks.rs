//! Hooks, phases and waves of a deployment, under our names, Argo CD's and Helm's.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_testkit::{Api, AuditLog, ControlPlane, FaultProxy, eventually, shared};

use crate::kill::{Point, at_every_point, killed};
use crate::shop;
use crate::support::{Done, Folder, command, deploy, finish, inventory, towpath};

const HOOK: &str = "argocd.argoproj.io/hook";
const POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
const WAVE: &str = "argocd.argoproj.io/sync-wave";

/// The names of what was applied, in order.
fn applied(audit: &AuditLog, namespace: &str, names: &[&str]) -> Result<Vec<String>> {
    let mut order = Vec::new();
    for event in audit.events()? {
        let path = event.uri.split('?').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let ours = path.contains(&format!("/namespaces/{namespace}/")) && names.contains(&name);
        if ours && event.uri.contains("fieldManager=towpath") && !event.uri.contains("dryRun") {
            order.push(name.to_string());
        }
    }
    Ok(order)
}

/// A Job of Argo CD's before, waves of both names, a Job of Helm's after that goes when it has succeeded.
#[tokio::test(flavor = "multi_thread")]
async fn hooks_and_waves_in_their_order() -> Result<()> {
    let plane = ControlPlane::builder().nodes(1).audit(true).start().await?;
    let (api, audit, kubeconfig) = (plane.api(), plane.audit()?, plane.kubeconfig_path());
    let namespace = plane.namespace("hooks").await?;
    let after =
        [("helm.sh/hook", "post-install,post-upgrade"), ("helm.sh/hook-delete-policy", "hook-succeeded")];
    let version = |value: &str| {
        Folder::of(&[
            shop::annotated(shop::job(&namespace, "before"), &[(HOOK, "PreSync")]),
            shop::marked(&namespace, "early", value, &[(WAVE, "-1")]),
            shop::config(&namespace, "middle", "1"),
            shop::marked(&namespace, "late", "1", &[("towpath.dev/wave", "1")]),
            shop::annotated(shop::job(&namespace, "after"), &after),
            shop::marked(&namespace, "rescue", "1", &[(HOOK, "SyncFail")]),
        ])
    };
    let first = version("1")?;
    let shown = deploy(&kubeconfig, &first, "hooks", &namespace, &["--dry-run"]).await?.expect(0)?.stdout;
    ensure!(shown.starts_with("PHASE     WAVE  NAMESPACE"), "{shown}");
    ensure!(shown.contains("3 to create, 3 hooks to run"), "{shown}");
    let value =
        deploy(&kubeconfig, &first, "hooks", &namespace, &["--dry-run", "-o", "json"]).await?.json()?;
    let one = &value["changes"][0];
    ensure!(
        (&one["op"], &one["phase"], &one["hook"]) == (&json!("run"), &json!("PreSync"), &json!(true)),
        "{one}"
    );

    let names = ["before", "early", "middle", "late", "after", "rescue"];
    let done = deploy(&kubeconfig, &first, "hooks", &namespace, &[]).await?.expect(0)?;
    ensure!(done.stdout.contains("3 created, 0 updated, 0 deleted, 2 hooks run"), "{}", done.stdout);
    let order = applied(&audit, &namespace, &names)?;
    ensure!(order == ["before", "early", "middle", "late", "after"], "{order:?}");
    let jobs = format!("/apis/batch/v1/namespaces/{namespace}/jobs");
    eventually("the last hook is gone", Duration::from_secs(20), async || {
        Ok(api.find(&format!("{jobs}/after")).await?.is_none().then_some(()))
    })
    .await?;
    let before = api.get(&format!("{jobs}/before")).await?;
    ensure!(before.pointer("/metadata/finalizers").is_none(), "let go: {before}");
    let listed = inventory(&api, "hooks", &namespace).await?;
    ensure!(listed.len() == 4 && listed.contains(&format!("Job {namespace}/before")), "{listed:?}");

    // The same manifests again: nothing to do, no hook. Others: all hooks anew, the old one deleted before.
    deploy(&kubeconfig, &first, "hooks", &namespace, &["--exit-code"]).await?.expect(0)?;
    ensure!(applied(&audit, &namespace, &names)?.len() == 5);
    deploy(&kubeconfig, &version("2")?, "hooks", &namespace, &[]).await?.expect(0)?;
    let order = applied(&audit, &namespace, &names)?;
    ensure!(order.get(5..) == Some(&["before".into(), "early".into(), "after".into()]), "{order:?}");
    let again = api.get(&format!("{jobs}/before")).await?;
    ensure!(again.pointer("/metadata/uid") != before.pointer("/metadata/uid"));
    Ok(())
}

/// Starts a deployment, waits for its hook, and says how the hook ended.
async fn with_end(
    plane: &ControlPlane,
    folder: &Folder,
    namespace: &str,
    hook: &str,
    phase: &str,
) -> Result<Done> {
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let arguments = ["deploy", "-f", folder.path(), "--app", "demo", "-n", namespace, "--yes", "-o", "json"];
    let child = command(&kubeconfig, &arguments).spawn()?;
    let path = format!("/api/v1/namespaces/{namespace}/pods/{hook}");
    eventually("the hook runs", Duration::from_secs(30), async || running(&api, &path).await).await?;
    api.patch(&format!("{path}/status"), &json!({"status": {"phase": phase, "message": "so it is"}})).await?;
    finish(child).await
}

/// The hook, if it runs.
async fn running(api: &Api, path: &str) -> Result<Option<Value>> {
    let found = api.find(path).await?;
    let pending = |pod: &Value| pod.pointer("/status/phase").and_then(Value::as_str) == Some("Pending");
    Ok(found.filter(|pod| pending(pod) && pod.pointer("/metadata/deletionTimestamp").is_none()))
}

/// A hook that fails stops the rest, calls those that are for failures, is recorded, and is run again by the next run.
#[tokio::test(flavor = "multi_thread")]
async fn a_failing_hook_stops_the_rest() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("failing-hook").await?);
    let folder = Folder::of(&[
        shop::annotated(shop::pod(&namespace, "check"), &[(HOOK, "PreSync")]),
        shop::config(&namespace, "one", "1"),
        shop::marked(&namespace, "rescue", "1", &[("towpath.dev/hook", "SyncFail")]),
        shop::marked(&namespace, "never", "1", &[(HOOK, "PostSync")]),
    ])?;
    let configs = format!("/api/v1/namespaces/{namespace}/configmaps");
    let failed = with_end(plane, &folder, &namespace, "check", "Failed").await?.expect(1)?;
    let value = failed.json()?;
    let failure = &value["result"]["failures"][0];
    ensure!(failure["reason"] == "HookFailed" && failure["phase"] == "PreSync", "{value:#}");
    ensure!(failed.stderr.contains("the PreSync hook Pod/"), "{}", failed.stderr);
    ensure!(value["result"]["untried"].as_array().is_some_and(|rest| rest.len() == 2), "{value:#}");
    ensure!(api.find(&format!("{configs}/one")).await?.is_none());
    ensure!(api.find(&format!("{configs}/rescue")).await?.is_some());
    let map = api.get(&format!("{configs}/towpath-app-demo")).await?;
    let record: Value = serde_json::from_str(map["data"]["operation"].as_str().context("a record")?)?;
    ensure!(record["progress"]["outcome"]["end"] == "Failed", "{record:#}");
    let seen = towpath(&plane.kubeconfig_path(), &["inspect", "demo", "-n", &namespace]).await?;
    ensure!(seen.stdout.contains("the last run failed:"), "{seen:?}");
    ensure!(!inventory(&api, "demo", &namespace).await?.contains(&format!("ConfigMap {namespace}/never")));

    with_end(plane, &folder, &namespace, "check", "Succeeded").await?.expect(0)?;
    ensure!(api.find(&format!("{configs}/one")).await?.is_some());
    let map = api.get(&format!("{configs}/towpath-app-demo")).await?;
    ensure!(map["data"].get("operation").is_none() && map["data"]["delivered"].is_string(), "{map:#}");
    Ok(())
}

/// A last hook that fails is not forgotten because all objects are as wanted.
#[tokio::test(flavor = "multi_thread")]
async fn a_failing_last_hook_is_run_again() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("last-hook").await?;
    let folder = Folder::of(&[
        shop::config(&namespace, "one", "1"),
        shop::annotated(shop::pod(&namespace, "smoke"), &[(HOOK, "PostSync"), (POLICY, "HookFailed")]),
    ])?;
    with_end(plane, &folder, &namespace, "smoke", "Failed").await?.expect(1)?;
    let path = format!("/api/v1/namespaces/{namespace}/pods/smoke");
    eventually("it goes when it has failed", Duration::from_secs(20), async || {
        Ok(plane.api().find(&path).await?.is_none().then_some(()))
    })
    .await?;
    with_end(plane, &folder, &namespace, "smoke", "Succeeded").await?.expect(0)?;
    ensure!(plane.api().find(&path).await?.is_some(), "it stays when it has succeeded");
    let kubeconfig = plane.kubeconfig_path();
    deploy(&kubeconfig, &folder, "demo", &namespace, &["--exit-code"]).await?.expect(0)?;
    Ok(())
}

/// What is not waited for any longer goes on, and the next run takes it up.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_takes_its_time_is_taken_up_again() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("slow-hook").await?);
    let folder = Folder::of(&[
        shop::annotated(shop::pod(&namespace, "slow"), &[(HOOK, "PreSync")]),
        shop::config(&namespace, "one", "1"),
    ])?;
    let kubeconfig = plane.kubeconfig_path();
    let late = deploy(&kubeconfig, &folder, "demo", &namespace, &["--timeout", "2s"]).await?.expect(5)?;
    ensure!(late.stderr.contains("wait until the hook Pod/"), "{}", late.stderr);
    let path = format!("/api/v1/namespaces/{namespace}/pods/slow");
    let uid = api.get(&path).await?["metadata"]["uid"].clone();
    let done = with_end(plane, &folder, &namespace, "slow", "Succeeded").await?.expect(0)?;
    ensure!(done.json()?["summary"]["create"] == 1, "{}", done.stdout);
    ensure!(api.get(&path).await?["metadata"]["uid"] == uid, "the hook was run twice");
    Ok(())
}

/// A hook that an interrupted run left behind is held by its finalizer, and goes all the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_interrupted_run_left_behind_can_be_removed() -> Result<()> {
    let plane = shared().await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    for removed_by in ["pruning", "deleting"] {
        let namespace = plane.namespace(removed_by).await?;
        let rest = shop::config(&namespace, "one", "1");
        let hook = shop::annotated(shop::pod(&namespace, "left"), &[(HOOK, "PreSync")]);
        let folder = Folder::of(&[hook, rest.clone()])?;
        deploy(&kubeconfig, &folder, "demo", &namespace, &["--timeout", "1s"]).await?.expect(5)?;
        let path = format!("/api/v1/namespaces/{namespace}/pods/left");
        ensure!(api.get(&path).await?.pointer("/metadata/finalizers").is_some());
        if removed_by == "pruning" {
            deploy(&kubeconfig, &Folder::of(&[rest])?, "demo", &namespace, &["--prune"]).await?.expect(0)?;
        } else {
            towpath(&kubeconfig, &["delete", "demo", "-n", &namespace, "--yes"]).await?.expect(0)?;
        }
        ensure!(api.find(&path).await?.is_none(), "after {removed_by}");
    }
    Ok(())
}

/// Killed before and after every write and run again: every hook was created once, and nothing is orphaned.
#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_write_of_a_deployment_with_hooks() -> Result<()> {
    let plane = ControlPlane::builder().audit(true).start().await?;
    let (plane, audit) = (&plane, plane.audit()?);
    let proxy = FaultProxy::start(plane)?;
    let step = async |point: Point, app: String| {
        plane.api().post("/api/v1/namespaces", &shop::namespace(&app)).await?;
        let folder = Folder::of(&[
            shop::marked(&app, "before", "1", &[(HOOK, "PreSync")]),
            shop::marked(&app, "early", "1", &[(WAVE, "-1")]),
            shop::config(&app, "middle", "1"),
            shop::marked(&app, "after", "1", &[(HOOK, "PostSync"), (POLICY, "HookSucceeded")]),
        ])?;
        let arguments = ["deploy", "-f", folder.path(), "--app", &app, "-n", &app, "--yes", "--prune"];
        let reached = killed(&proxy, point, &arguments).await?;
        let named = inventory(&plane.api(), &app, &app).await?;
        let orphans: Vec<_> =
            labelled(plane, &app).await?.into_iter().filter(|one| !named.contains(one)).collect();
        ensure!(orphans.is_empty(), "{point:?}: not in the inventory: {orphans:?}");
        deploy(proxy.kubeconfig_path(), &folder, &app, &app, &["--prune"]).await?.expect(0)?;
        for hook in ["before", "after"] {
            let path = format!("/api/v1/namespaces/{app}/configmaps/{hook}?");
            let made = |event: &towpath_testkit::AuditEvent| {
                event.uri.starts_with(&path) && event.response_status.code == 201
            };
            let times = audit.events()?.iter().filter(|event| made(event)).count();
            ensure!(times == 1, "{point:?}: {hook} was created {times} times");
        }
        let there = labelled(plane, &app).await?;
        ensure!(there.len() == 3, "{point:?}: {there:?}");
        ensure!(
            inventory(&plane.api(), &app, &app).await?.into_iter().collect::<Vec<_>>() == there,
            "{point:?}"
        );
        deploy(proxy.kubeconfig_path(), &folder, &app, &app, &["--prune", "--exit-code"]).await?.expect(0)?;
        Ok(reached)
    };
    let points = at_every_point(step, "killh").await?;
    // The inventory and the first hook's start; the hook, its end, its release; two waves; the last hook's start, the hook,
    // its end, its release, its deletion; the inventory.
    ensure!((10..=14).contains(&points), "{points} writes");
    Ok(())
}

/// The ConfigMaps of an app as its inventory names them.
async fn labelled(plane: &ControlPlane, app: &str) -> Result<Vec<String>> {
    let path = format!("/api/v1/namespaces/{app}/configmaps?labelSelector=towpath.dev/app%3D{app}");
    let found = plane.api().list(&path).await?;
    let name = |object: &Value| object.pointer("/metadata/name").and_then(Value::as_str).map(String::from);
    let mut names: Vec<String> =
        found.iter().filter_map(name).map(|name| format!("ConfigMap {app}/{name}")).collect();
    names.sort();
    Ok(names)
}

/// A hook without a name of its own is given another in each run, and the earlier one goes.
#[tokio::test(flavor = "multi_thread")]
async fn unnamed_hooks() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("unnamed").await?);
    let kubeconfig = plane.kubeconfig_path();
    let unnamed = |annotations: Value| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "generateName": "check-", "namespace": namespace, "annotations": annotations}})
    };
    let version = |value: &str| {
        Folder::of(&[unnamed(json!({HOOK: "PreSync"})), shop::config(&namespace, "one", value)])
    };
    let checks = async || -> Result<Vec<String>> {
        let found = api.list(&format!("/api/v1/namespaces/{namespace}/configmaps")).await?;
        let name =
            |object: &Value| object.pointer("/metadata/name").and_then(Value::as_str).map(String::from);
        Ok(found.iter().filter_map(name).filter(|name| name.starts_with("check-")).collect())
    };
    deploy(&kubeconfig, &version("1")?, "demo", &namespace, &[]).await?.expect(0)?;
    let first = checks().await?;
    ensure!(first.len() == 1 && first.iter().all(|name| name.contains("-presync-")), "{first:?}");
    deploy(&kubeconfig, &version("1")?, "demo", &namespace, &["--prune", "--exit-code"]).await?.expect(0)?;
    deploy(&kubeconfig, &version("2")?, "demo", &namespace, &[]).await?.expect(0)?;
    let second = checks().await?;
    ensure!(second.len() == 1 && second != first, "{first:?} {second:?}");
    let plain = Folder::of(&[unnamed(json!({}))])?;
    let refused = deploy(&kubeconfig, &plain, "demo", &namespace, &[]).await?.expect(3)?;
    ensure!(refused.stderr.contains("only hooks are given a name"), "{}", refused.stderr);
    Ok(())
}
