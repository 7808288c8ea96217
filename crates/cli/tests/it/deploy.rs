//! The life of an app: deployed, seen, drifted, healed, pruned, deleted.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;
use towpath_testkit::{FaultProxy, eventually, shared};

use crate::shop;
use crate::support::{Folder, deploy, documents, inventory, labelled, towpath};

/// The second point of what must be shown: 200 mixed objects in one go, then nothing, then drift, then less.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_mixed_objects() -> Result<()> {
    let plane = shared().await?;
    let (api, proxy) = (plane.api(), FaultProxy::start(plane)?);
    let (app, home, group) = ("mixed", "mixed-home", "mixed.example.com");
    let folder = Folder::new()?;
    let mut names = Vec::new();
    folder.write(
        "base.yaml",
        documents(&[shop::namespace(home), shop::namespace("mixed-other"), shop::definition(group)]),
    )?;
    for index in 0..37 {
        let namespace = if index % 2 == 0 { home } else { "mixed-other" };
        let name = format!("part-{index}");
        folder.write(&format!("parts/{name}.yaml"), documents(&shop::part(namespace, &name)))?;
        names.push((namespace, name));
    }
    let baskets: Vec<_> =
        (0..12).map(|index| shop::basket(group, home, &format!("basket-{index}"), index)).collect();
    folder.write("baskets.yaml", documents(&baskets))?;

    let first = deploy(proxy.kubeconfig_path(), &folder, app, home, &["--wait"]).await?.expect(0)?;
    ensure!(first.stdout.contains("200 to create"), "{}", first.stdout);
    ensure!(labelled(plane, app, Some((group, "baskets"))).await?.len() == 200);
    ensure!(inventory(&api, app, home).await? == labelled(plane, app, Some((group, "baskets"))).await?);

    // A second run makes no write and asks nothing of single objects.
    proxy.reset();
    let second =
        deploy(proxy.kubeconfig_path(), &folder, app, home, &["--prune", "--exit-code"]).await?.expect(0)?;
    ensure!(second.stdout.contains("200 unchanged"), "{}", second.stdout);
    ensure!(proxy.writes().is_empty(), "{:?}", proxy.writes());
    let asked = proxy.seen().into_iter().filter(|seen| seen.method != "GET").count();
    ensure!(asked == 0, "{:?}", proxy.seen());

    // Drift and deletion are healed, and only they.
    api.patch(
        &format!("/apis/apps/v1/namespaces/{home}/deployments/part-0"),
        &json!({"spec": {"replicas": 3}}),
    )
    .await?;
    api.delete(&format!("/api/v1/namespaces/{home}/configmaps/part-2")).await?;
    proxy.reset();
    let healed = deploy(proxy.kubeconfig_path(), &folder, app, home, &[]).await?.expect(0)?;
    ensure!(healed.stdout.contains("1 created, 1 updated, 0 deleted"), "{}", healed.stdout);
    let replicas = api.get(&format!("/apis/apps/v1/namespaces/{home}/deployments/part-0")).await?;
    ensure!(replicas["spec"]["replicas"] == 0);

    // What is gone from the folder stays until it is pruned.
    std::fs::remove_file(format!("{}/parts/part-4.yaml", folder.path()))?;
    let kept = deploy(proxy.kubeconfig_path(), &folder, app, home, &[]).await?.expect(0)?;
    ensure!(kept.stdout.contains("5 no longer wanted, 195 unchanged"), "{}", kept.stdout);
    let pruned = deploy(proxy.kubeconfig_path(), &folder, app, home, &["--prune"]).await?.expect(0)?;
    ensure!(pruned.stdout.contains("0 created, 0 updated, 5 deleted"), "{}", pruned.stdout);
    ensure!(labelled(plane, app, Some((group, "baskets"))).await?.len() == 195);
    ensure!(inventory(&api, app, home).await?.len() == 195);

    // All of it goes, its own namespace last.
    towpath(proxy.kubeconfig_path(), &["delete", app, "-n", home, "--yes"]).await?.expect(0)?;
    ensure!(labelled(plane, app, Some((group, "baskets"))).await?.is_empty());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_seen_with_its_children() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("seen").await?;
    let folder = Folder::of(&[shop::account(&namespace, "web"), shop::deployment(&namespace, "web", 2)])?;
    deploy(&plane.kubeconfig_path(), &folder, "seen", &namespace, &[]).await?.expect(0)?;
    eventually("pods are made", Duration::from_secs(30), async || {
        let seen =
            towpath(&plane.kubeconfig_path(), &["inspect", "seen", "-n", &namespace]).await?.expect(0)?;
        Ok((seen.stdout.matches("└─Pod/web").count() == 1 && seen.stdout.matches("├─Pod/web").count() == 1)
            .then_some(()))
    })
    .await?;
    let list = towpath(&plane.kubeconfig_path(), &["inspect", "-n", &namespace]).await?.expect(0)?;
    ensure!(list.stdout.contains("seen  2"), "{}", list.stdout);
    let missing =
        towpath(&plane.kubeconfig_path(), &["inspect", "nobody", "-n", &namespace]).await?.expect(1)?;
    ensure!(missing.stderr.contains("there is no app nobody"), "{}", missing.stderr);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_in_time_and_says_for_what() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("wait").await?;
    // There are no nodes, so the pod is never scheduled.
    let folder = Folder::of(&[shop::account(&namespace, "web"), shop::deployment(&namespace, "web", 1)])?;
    let late = deploy(&plane.kubeconfig_path(), &folder, "wait", &namespace, &["--wait", "--timeout", "2s"])
        .await?
        .expect(5)?;
    ensure!(late.stderr.contains(&format!("Deployment/{namespace}/web is not ready")), "{}", late.stderr);
    let folder = Folder::of(&[shop::account(&namespace, "web"), shop::deployment(&namespace, "web", 0)])?;
    deploy(&plane.kubeconfig_path(), &folder, "wait", &namespace, &["--wait", "--timeout", "60s"])
        .await?
        .expect(0)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_another_app_is_not_taken_silently() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("owner").await?;
    let folder = Folder::of(&[shop::config(&namespace, "settings", "one")])?;
    let kubeconfig = plane.kubeconfig_path();
    deploy(&kubeconfig, &folder, "first", &namespace, &[]).await?.expect(0)?;
    let refused = deploy(&kubeconfig, &folder, "second", &namespace, &[]).await?.expect(3)?;
    ensure!(
        refused.stderr.contains(&format!("belongs to the app first in {namespace}")),
        "{}",
        refused.stderr
    );
    deploy(&kubeconfig, &folder, "second", &namespace, &["--adopt"]).await?.expect(0)?;
    // The first app no longer has it, so removing the first app leaves it alone.
    towpath(&kubeconfig, &["delete", "first", "-n", &namespace, "--yes"]).await?.expect(0)?;
    ensure!(
        plane.api().find(&format!("/api/v1/namespaces/{namespace}/configmaps/settings")).await?.is_some()
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_is_created_on_request_only() -> Result<()> {
    let plane = shared().await?;
    let folder = Folder::of(&[json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})])?;
    let missing = deploy(&plane.kubeconfig_path(), &folder, "home", "home-made", &[]).await?.expect(3)?;
    ensure!(missing.stderr.contains("--create-namespace"), "{}", missing.stderr);
    deploy(&plane.kubeconfig_path(), &folder, "home", "home-made", &["--create-namespace"])
        .await?
        .expect(0)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protected_object_is_not_pruned() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("protected").await?;
    let mut precious = shop::config(&namespace, "precious", "one");
    precious["metadata"]["annotations"] = json!({"towpath.dev/prune": "disabled"});
    let kubeconfig = plane.kubeconfig_path();
    let both = Folder::of(&[precious, shop::config(&namespace, "plain", "one")])?;
    deploy(&kubeconfig, &both, "protected", &namespace, &[]).await?.expect(0)?;
    let one = Folder::of(&[shop::config(&namespace, "other", "one")])?;
    let pruned = deploy(&kubeconfig, &one, "protected", &namespace, &["--prune"]).await?.expect(0)?;
    ensure!(pruned.stdout.contains("1 created, 0 updated, 1 deleted"), "{}", pruned.stdout);
    ensure!(pruned.stdout.contains("towpath.dev/prune is disabled on it"), "{}", pruned.stdout);
    ensure!(
        plane.api().find(&format!("/api/v1/namespaces/{namespace}/configmaps/precious")).await?.is_some()
    );
    Ok(())
}

/// Entries that are taken out of a Secret go, and what somebody changed in it is put right.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_holds_what_is_written_and_nothing_else() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("secret").await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let path = format!("/api/v1/namespaces/{namespace}/secrets/s");
    let mut secret = shop::secret(&namespace, "s", "one");
    secret["stringData"]["old"] = json!("x");
    deploy(&kubeconfig, &Folder::of(&[secret])?, "secret", &namespace, &[]).await?.expect(0)?;
    let less = Folder::of(&[shop::secret(&namespace, "s", "one")])?;
    deploy(&kubeconfig, &less, "secret", &namespace, &[]).await?.expect(0)?;
    ensure!(api.get(&path).await?["data"] == json!({"password": "b25l"}));
    api.patch(&path, &json!({"data": {"password": "dHdv"}})).await?;
    deploy(&kubeconfig, &less, "secret", &namespace, &["--exit-code"]).await?.expect(2)?;
    ensure!(api.get(&path).await?["data"] == json!({"password": "b25l"}));
    deploy(&kubeconfig, &less, "secret", &namespace, &["--exit-code"]).await?.expect(0)?;
    Ok(())
}

/// What a finalizer holds is waited for, stays in the inventory, and is forgotten when it has gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_finalizer_holds_what_is_pruned() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("held").await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let mut held = shop::config(&namespace, "held", "one");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    let both = Folder::of(&[held, shop::config(&namespace, "plain", "one")])?;
    let one = Folder::of(&[shop::config(&namespace, "plain", "one")])?;
    deploy(&kubeconfig, &both, "held", &namespace, &[]).await?.expect(0)?;
    let late =
        deploy(&kubeconfig, &one, "held", &namespace, &["--prune", "--timeout", "1s"]).await?.expect(5)?;
    ensure!(late.stderr.contains(&format!("ConfigMap/{namespace}/held is still there")), "{}", late.stderr);
    ensure!(inventory(&api, "held", &namespace).await?.len() == 2);
    // Wanted again while it is on its way out: the old one has to be gone first.
    let late = deploy(&kubeconfig, &both, "held", &namespace, &["--timeout", "1s"]).await?.expect(5)?;
    ensure!(late.stderr.contains("wait until the old ConfigMap"), "{}", late.stderr);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/held");
    api.patch(&path, &json!({"metadata": {"finalizers": null}})).await?;
    let done = deploy(&kubeconfig, &one, "held", &namespace, &["--prune"]).await?.expect(0)?;
    ensure!(done.stdout.contains("1 unchanged"), "{}", done.stdout);
    ensure!(inventory(&api, "held", &namespace).await?.len() == 1);
    Ok(())
}

/// What people did with kubectl, before us or beside us, does not outlive the files.
#[tokio::test(flavor = "multi_thread")]
async fn fields_set_by_hand_are_taken_over() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("byhand").await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/settings");
    // As `kubectl apply` leaves an object: owned by an update, with a copy of itself.
    let mut before = shop::config(&namespace, "settings", "one");
    before["data"]["gone"] = json!("x");
    before["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": "{}"});
    let collection = format!("/api/v1/namespaces/{namespace}/configmaps");
    api.post(&format!("{collection}?fieldManager=kubectl-client-side-apply"), &before).await?;
    let folder = Folder::of(&[shop::config(&namespace, "settings", "one")])?;
    let first = deploy(&kubeconfig, &folder, "byhand", &namespace, &[]).await?.expect(0)?;
    ensure!(first.stdout.contains("-data.gone"), "the table names what goes: {}", first.stdout);
    let live = api.get(&path).await?;
    ensure!(live["data"] == json!({"key": "one"}) && live["metadata"].get("annotations").is_none(), "{live}");
    // As `kubectl edit` changes it later; a controller's share stays.
    api.patch(&format!("{path}?fieldManager=kubectl-edit"), &json!({"data": {"edited": "y"}})).await?;
    api.patch(&format!("{path}?fieldManager=controller"), &json!({"data": {"computed": "z"}})).await?;
    deploy(&kubeconfig, &folder, "byhand", &namespace, &["--exit-code"]).await?.expect(2)?;
    ensure!(api.get(&path).await?["data"] == json!({"key": "one", "computed": "z"}));
    deploy(&kubeconfig, &folder, "byhand", &namespace, &["--exit-code"]).await?.expect(0)?;
    Ok(())
}
