//! How objects say whose they are: by label, by Argo CD's annotation, or both.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use towpath_engine::unit::{Operation, Phase, UnitId};
use towpath_engine::{Settings, Tracking};
use towpath_plan::sync::{Rules, SyncOptions};
use towpath_testkit::{Api, ControlPlane, eventually, shared};

use crate::hooks::annotated;
use crate::options::{add, argo, sync, text, with};
use crate::world::{World, config};

const ID: &str = "/metadata/annotations/argocd.argoproj.io~1tracking-id";
const LABEL: &str = "/metadata/labels/towpath.dev~1unit";

async fn tracked(plane: &ControlPlane, tracking: Tracking) -> Result<World> {
    let world = World::start(plane)?;
    world.engine.set_settings(Settings { tracking, ..Settings::default() }).await?;
    Ok(world)
}

fn role(name: &str) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": []})
}

async fn map(api: &Api, namespace: &str, name: &str) -> Result<Option<Value>> {
    api.find(&format!("/api/v1/namespaces/{namespace}/configmaps/{name}")).await
}

/// The whole life of a unit, with an object in no namespace and a hook without a name.
#[tokio::test(flavor = "multi_thread")]
async fn a_unit_is_found_by_either_mark() -> Result<()> {
    let plane = shared().await?;
    let api = plane.api();
    for (name, tracking) in
        [("mark-l", Tracking::Label), ("mark-a", Tracking::Annotation), ("mark-b", Tracking::Both)]
    {
        let namespace = plane.namespace(name).await?;
        let world = tracked(plane, tracking).await?;
        let mut hook = annotated(config("x", "1"), &[("hook", "PostSync")]);
        hook["metadata"]["name"] = Value::Null;
        hook["metadata"]["generateName"] = json!("hook-");
        let objects = vec![config("one", "1"), config("two", "1"), role(name), hook];
        world.add(name, &namespace, Rules::Argo, objects).await?;
        world.settled(name, "r1").await?;
        let one = map(&api, &namespace, "one").await?.unwrap_or_default();
        let id = format!("{name}:/ConfigMap:{namespace}/one");
        ensure!((text(&one, ID) == id) == (tracking != Tracking::Label), "{one:#}");
        ensure!((text(&one, LABEL) == name) == (tracking != Tracking::Annotation), "{one:#}");

        let path = format!("/api/v1/namespaces/{namespace}/configmaps/one");
        api.patch(&path, &json!({"data": {"key": "drifted"}})).await?;
        eventually("the drift is healed", Duration::from_secs(10), async || {
            Ok((text(&api.get(&path).await?, "/data/key") == "1").then_some(()))
        })
        .await?;

        // Whoever copies the object copies the mark; that does not make it the unit's.
        let mut copy = one.clone();
        copy["metadata"] = json!({"name": "copy", "labels": one["metadata"]["labels"],
            "annotations": one["metadata"]["annotations"]});
        api.post(&format!("/api/v1/namespaces/{namespace}/configmaps"), &copy).await?;
        world.manifests.set(name, vec![config("one", "2"), role(name)]);
        world.engine.refresh(&UnitId(name.into()));
        world.settled(name, "r2").await?;
        eventually("what is no longer wanted goes", Duration::from_secs(10), async || {
            Ok(map(&api, &namespace, "two").await?.is_none().then_some(()))
        })
        .await?;
        ensure!(map(&api, &namespace, "copy").await?.is_some());
        crate::leave::delete(&world, name).await?;
        crate::leave::gone(&world, name).await?;
        ensure!(map(&api, &namespace, "one").await?.is_none());
        let role = format!("/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}");
        ensure!(api.find(&role).await?.is_none());
        ensure!(map(&api, &namespace, "copy").await?.is_some());
    }
    Ok(())
}

/// An object whose annotation was overwritten with another object's is no longer the unit's to delete.
#[tokio::test(flavor = "multi_thread")]
async fn an_annotation_of_another_object_does_not_count() -> Result<()> {
    let plane = shared().await?;
    let (api, namespace) = (plane.api(), plane.namespace("moved").await?);
    let world = tracked(plane, Tracking::Annotation).await?;
    add(&world, "moved", &namespace, argo(), vec![config("one", "1"), config("two", "1")]).await?;
    ensure!(sync(&world, "moved", Operation::default()).await?.phase == Phase::Succeeded);
    let id = format!("moved:/ConfigMap:{namespace}/one");
    let patch = json!({"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": id}}});
    api.patch(&format!("/api/v1/namespaces/{namespace}/configmaps/two"), &patch).await?;
    world.manifests.set("moved", vec![config("one", "1")]);
    let pruning = with(SyncOptions { prune: true, ..SyncOptions::default() });
    ensure!(sync(&world, "moved", pruning).await?.phase == Phase::Succeeded);
    ensure!(map(&api, &namespace, "two").await?.is_some());
    Ok(())
}

/// Two units want one object: both say so, until one gives it up; with the option the second does nothing.
#[tokio::test(flavor = "multi_thread")]
async fn two_units_that_want_one_object_both_say_so() -> Result<()> {
    let plane = shared().await?;
    let api = plane.api();
    for (name, tracking) in [("twins-l", Tracking::Label), ("twins-a", Tracking::Annotation)] {
        let namespace = plane.namespace(name).await?;
        let world = tracked(plane, tracking).await?;
        let (first, second) = (format!("{name}-1"), format!("{name}-2"));
        add(&world, &first, &namespace, argo(), vec![config("one", "1")]).await?;
        ensure!(sync(&world, &first, Operation::default()).await?.phase == Phase::Succeeded);
        add(&world, &second, &namespace, argo(), vec![config("one", "2")]).await?;
        let says = async |unit: &str, text: String, wanted: bool| {
            eventually(&format!("{unit}: {text}: {wanted}"), Duration::from_secs(20), async || {
                Ok((world.status(unit).await?.message.contains(&text) == wanted).then_some(()))
            })
            .await
        };
        says(&first, format!("belongs to the unit {second} as well"), true).await?;
        says(&second, format!("belongs to the unit {first} as well"), true).await?;

        let strict = with(SyncOptions { fail_on_shared: true, ..SyncOptions::default() });
        let state = sync(&world, &second, strict).await?;
        let refused = format!("it belongs to {first} as well");
        ensure!(state.phase == Phase::Error && state.message.contains(&refused), "{state:#?}");
        let one = map(&api, &namespace, "one").await?.unwrap_or_default();
        ensure!(text(&one, "/data/key") == "1", "{one:#}");

        // Without it the last one wins, and says whose it was.
        let state = sync(&world, &second, Operation::default()).await?;
        ensure!(state.phase == Phase::Succeeded, "{state:#?}");
        ensure!(state.message.contains(&format!("belongs to {first} as well")), "{}", state.message);
        says(&first, format!("belongs to the unit {second} as well"), true).await?;
        says(&second, format!("belongs to the unit {first} as well"), true).await?;

        world.manifests.set(&first, vec![config("other", "1")]);
        world.engine.refresh(&UnitId(first.clone()));
        says(&first, format!("belongs to the unit {second} as well"), false).await?;
        says(&second, format!("belongs to the unit {first} as well"), false).await?;
    }
    Ok(())
}
