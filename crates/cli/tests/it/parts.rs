//! A part of an app: by label, by wave, a hook alone; and what objects say about being deleted or made anew.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use towpath_testkit::{FaultProxy, shared};

use crate::shop;
use crate::support::{Folder, deploy, inventory, towpath};

fn labelled(mut object: Value, tier: &str) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("labels".into(), json!({"tier": tier}));
    }
    object
}

/// An app of two tiers, three waves and two hooks, in one of its versions.
fn version(namespace: &str, value: &str) -> Result<Folder> {
    let wave = |name: &str, wave: &str| shop::marked(namespace, name, value, &[("towpath.dev/wave", wave)]);
    Folder::of(&[
        labelled(shop::config(namespace, "web", value), "web"),
        labelled(wave("data", "-1"), "data"),
        labelled(wave("last", "2"), "web"),
        shop::marked(namespace, "before", value, &[("towpath.dev/hook", "PreSync")]),
        shop::marked(namespace, "after", value, &[("argocd.argoproj.io/hook", "PostSync")]),
    ])
}

/// What a run changes, by its own word.
async fn changed(
    kubeconfig: &Path,
    folder: &Folder,
    namespace: &str,
    more: &[&str],
) -> Result<BTreeSet<String>> {
    let more = [&["-o", "name"], more].concat();
    let done = deploy(kubeconfig, folder, "app", namespace, &more).await?.expect(0)?;
    Ok(done.stdout.lines().filter_map(|line| line.split_once('/')).map(|(_, name)| name.into()).collect())
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_picked_is_touched() -> Result<()> {
    let plane = shared().await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let namespace = &plane.namespace("parts").await?;
    let (one, two, three) = (version(namespace, "1")?, version(namespace, "2")?, version(namespace, "3")?);
    let all = ["web", "data", "last", "before", "after"];
    ensure!(changed(&kubeconfig, &one, namespace, &[]).await? == names(&all));
    let everything = inventory(&api, "app", namespace).await?;
    ensure!(everything.len() == 5, "{everything:?}");

    ensure!(changed(&kubeconfig, &two, namespace, &["-l", "tier=data"]).await? == names(&["data"]));
    ensure!(changed(&kubeconfig, &two, namespace, &["--wave", "0..2"]).await? == names(&["web", "last"]));
    ensure!(inventory(&api, "app", namespace).await? == everything, "the others stay in it");
    // All objects are as wanted, but these manifests have not been delivered with their hooks.
    ensure!(changed(&kubeconfig, &two, namespace, &[]).await? == names(&["before", "after"]));
    ensure!(changed(&kubeconfig, &two, namespace, &[]).await?.is_empty());
    ensure!(
        changed(&kubeconfig, &two, namespace, &["--hook", "ConfigMap/after"]).await? == names(&["after"])
    );
    ensure!(
        changed(&kubeconfig, &two, namespace, &[]).await?.is_empty(),
        "a hook alone changes nothing else"
    );
    let plain = names(&["web", "data", "last"]);
    ensure!(changed(&kubeconfig, &three, namespace, &["--no-hooks"]).await? == plain);
    ensure!(inventory(&api, "app", namespace).await? == everything);

    // What is gone from the manifests is pruned only where it is picked.
    let less = Folder::of(&[labelled(shop::config(namespace, "new", "1"), "web")])?;
    let pruned = changed(&kubeconfig, &less, namespace, &["--prune", "-l", "tier=web"]).await?;
    ensure!(pruned == names(&["new", "web", "last"]), "{pruned:?}");
    let data = format!("/api/v1/namespaces/{namespace}/configmaps/data");
    ensure!(api.find(&data).await?.is_some());
    ensure!(
        changed(&kubeconfig, &less, namespace, &["--prune"]).await? == names(&["data", "before", "after"])
    );

    for (flags, words) in [
        (&["-l", "tier in web"][..], "is not a requirement"),
        (&["--wave", "x"][..], "is not a wave"),
        (&["--hook", "nobody"][..], "no hook of the manifests is called nobody"),
    ] {
        let refused = deploy(&kubeconfig, &two, "app", namespace, flags).await?.expect(3)?;
        ensure!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    Ok(())
}

/// Protections count under everybody's names, by whatever rules.
#[tokio::test(flavor = "multi_thread")]
async fn objects_say_what_may_be_done_to_them() -> Result<()> {
    let plane = shared().await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let namespace = &plane.namespace("guards").await?;
    let option = |name: &str, annotation: &str, value: &str| {
        shop::marked(namespace, name, "1", &[(annotation, value)])
    };
    let folder = Folder::of(&[
        option("kept", "argocd.argoproj.io/sync-options", "Prune=false"),
        option("helm", "helm.sh/resource-policy", "keep"),
        option("asks", "towpath.dev/sync-options", "Prune=confirm,Delete=confirm"),
        option("skipped", "argocd.argoproj.io/hook", "Skip"),
        option("odd", "argocd.argoproj.io/hook", "Sometimes"),
        shop::config(namespace, "plain", "1"),
    ])?;
    let first = deploy(&kubeconfig, &folder, "app", namespace, &[]).await?.expect(0)?;
    ensure!(first.stdout.contains("4 created"), "{}", first.stdout);
    ensure!(first.stderr.contains("is a hook of no known phase"), "{}", first.stderr);
    let only = Folder::of(&[shop::config(namespace, "plain", "1")])?;
    let kept = deploy(&kubeconfig, &only, "app", namespace, &["--prune"]).await?.expect(0)?;
    for words in ["Prune is false on it", "helm.sh/resource-policy is keep", "--approve-deletions deletes it"]
    {
        ensure!(kept.stdout.contains(words), "{words}: {}", kept.stdout);
    }
    let asked = ["--prune", "--approve-deletions"];
    let pruned = deploy(&kubeconfig, &only, "app", namespace, &asked).await?.expect(0)?;
    ensure!(pruned.stdout.contains("1 deleted"), "{}", pruned.stdout);
    towpath(&kubeconfig, &["delete", "app", "app", "-n", namespace, "--yes"]).await?.expect(0)?;
    let left =
        api.list(&format!("/api/v1/namespaces/{namespace}/configmaps?labelSelector=towpath.dev/app")).await?;
    ensure!(left.len() == 1, "what Helm keeps outlives the app: {left:#?}");
    Ok(())
}

/// What cannot be changed in place is made anew only where somebody asks for it.
#[tokio::test(flavor = "multi_thread")]
async fn made_anew_on_request() -> Result<()> {
    let plane = shared().await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let namespace = &plane.namespace("anew").await?;
    let version = |label: &str, options: &str| {
        let mut web = shop::deployment(namespace, "web", 0);
        for pointer in ["/spec/selector/matchLabels", "/spec/template/metadata/labels"] {
            if let Some(labels) = web.pointer_mut(pointer).and_then(Value::as_object_mut) {
                labels.insert("version".into(), label.into());
            }
        }
        Folder::of(&[shop::annotated(web, &[("argocd.argoproj.io/sync-options", options)])])
    };
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    deploy(&kubeconfig, &version("1", "")?, "app", namespace, &[]).await?.expect(0)?;
    let uid = async || -> Result<Value> { Ok(api.get(&path).await?["metadata"]["uid"].clone()) };
    let first = uid().await?;
    let refused = deploy(&kubeconfig, &version("2", "")?, "app", namespace, &[]).await?.expect(1)?;
    ensure!(refused.stderr.contains("immutable") && uid().await? == first, "{}", refused.stderr);
    let asked =
        deploy(&kubeconfig, &version("2", "")?, "app", namespace, &["--recreate"]).await?.expect(0)?;
    ensure!(asked.stdout.contains("deleted and created again"), "{}", asked.stdout);
    let second = uid().await?;
    ensure!(second != first);
    deploy(&kubeconfig, &version("3", "Force=true")?, "app", namespace, &[]).await?.expect(0)?;
    ensure!(uid().await? != second);
    deploy(&kubeconfig, &version("3", "Force=true")?, "app", namespace, &["--exit-code"]).await?.expect(0)?;
    Ok(())
}

/// A plain app costs what it cost without hooks: reads and nothing else where nothing has changed, no watch in between.
#[tokio::test(flavor = "multi_thread")]
async fn a_plain_run_sends_no_more_than_it_has_to() -> Result<()> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = &plane.namespace("plain").await?;
    let folder = Folder::of(&shop::part(namespace, "web"))?;
    deploy(proxy.kubeconfig_path(), &folder, "plain", namespace, &[]).await?.expect(0)?;
    // The inventory, five objects, the inventory.
    ensure!(proxy.writes().len() == 7, "{:?}", proxy.writes());
    ensure!(!proxy.seen().iter().any(towpath_testkit::Seen::is_watch), "{:?}", proxy.seen());
    proxy.reset();
    deploy(proxy.kubeconfig_path(), &folder, "plain", namespace, &["--exit-code"]).await?.expect(0)?;
    ensure!(proxy.seen().iter().all(|seen| seen.method == "GET" && !seen.is_watch()), "{:?}", proxy.seen());
    Ok(())
}
