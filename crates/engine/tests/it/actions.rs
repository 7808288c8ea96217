//! Actions and health by people's own scripts and expressions.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use towpath_engine::unit::{Policy, Status, UnitHealth, UnitId};
use towpath_engine::{ActionError, Done, HealthExpressions, KindOverride, Overrides, Settings};
use towpath_object::Key;
use towpath_plan::sync::Rules;
use towpath_testkit::{eventually, shared};

use crate::options::add;
use crate::world::{World, config};

const DISCOVERY: &str = r#"
    local actions = {light = {displayName = "Light it"}, copy = {params = {{name = "to"}}}, fly = {}, steal = {}}
    actions.douse = {disabled = obj.data.lit ~= "true"}
    return actions
"#;

fn lamps() -> Overrides {
    let actions = [
        ("light", "obj.data.lit = 'true' return obj"),
        ("douse", "obj.data.lit = 'false' return obj"),
        ("idle", "return obj"),
        ("fly", "error('lamps do not fly', 0)"),
        ("steal", "obj.metadata.name = 'other' return obj"),
        (
            "copy",
            "return {{operation = 'create', resource = {apiVersion = 'v1', kind = 'ConfigMap',
                metadata = {name = actionParams.to}, data = obj.data}},
                {operation = 'patch', resource = obj}}",
        ),
    ];
    let actions = actions.iter().map(|(name, script)| ((*name).into(), (*script).into())).collect();
    let over = KindOverride { discovery: Some(DISCOVERY.into()), actions, ..KindOverride::default() };
    [("ConfigMap".to_string(), over)].into()
}

fn key(namespace: &str, name: &str) -> Key {
    Key::new("", "ConfigMap", namespace, name)
}

fn parameters(to: &str) -> BTreeMap<String, String> {
    [("to".to_string(), to.to_string())].into()
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_are_listed_and_carried_out() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("action").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    world.engine.set_settings(Settings { overrides: lamps(), ..Settings::default() }).await?;
    world.add("lamp", &namespace, Rules::Kstatus, vec![config("lamp", "1")]).await?;
    world.add("other", &namespace, Rules::Kstatus, vec![config("theirs", "1")]).await?;
    world.settled("lamp", "r1").await?;
    world.settled("other", "r1").await?;
    let (unit, lamp) = (UnitId("lamp".into()), key(&namespace, "lamp"));
    let run = |name: &'static str| {
        let (engine, unit, lamp) = (world.engine.clone(), unit.clone(), lamp.clone());
        async move { engine.run_action(&unit, &lamp, name, &parameters("copied")).await }
    };

    let actions = world.engine.actions(&unit, &lamp).await?;
    let names: Vec<(&str, bool)> = actions.iter().map(|one| (one.name.as_str(), one.disabled)).collect();
    ensure!(
        names == [("copy", false), ("douse", true), ("fly", false), ("light", false), ("steal", false)],
        "{names:?}"
    );
    ensure!(matches!(run("douse").await, Err(ActionError::Disabled { .. })));
    ensure!(run("light").await? == [Done::Changed(lamp.clone())]);
    ensure!(run("idle").await? == [Done::Unchanged(lamp.clone())]);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    ensure!(api.get(&format!("{path}/lamp")).await?.pointer("/data/lit") == Some(&json!("true")));
    ensure!(run("copy").await? == [Done::Created(key(&namespace, "copied")), Done::Unchanged(lamp.clone())]);
    let copy = api.get(&format!("{path}/copied")).await?;
    ensure!(copy.pointer("/data") == Some(&json!({"key": "1", "lit": "true"})), "{copy:#}");

    // What an action changed is not the unit's, so it is not drift and stays.
    world.manifests.set("lamp", vec![config("lamp", "2")]);
    world.engine.refresh(&unit);
    world.settled("lamp", "r2").await?;
    let now = api.get(&format!("{path}/lamp")).await?;
    ensure!(now.pointer("/data") == Some(&json!({"key": "2", "lit": "true"})), "{now:#}");
    ensure!(run("douse").await? == [Done::Changed(lamp.clone())]);

    let told = |result: Result<Vec<Done>, ActionError>| match result {
        Ok(done) => format!("done: {done:?}"),
        Err(error) => error.to_string(),
    };
    let expected = format!("the action fly of {lamp}: lamps do not fly");
    ensure!(told(run("fly").await) == expected);
    ensure!(told(run("sing").await) == format!("{lamp} has no action sing"));
    let other = key(&namespace, "other");
    ensure!(
        told(run("steal").await) == format!("the action steal must not write {other}: it is another object")
    );
    ensure!(
        told(run("copy").await).contains("already exists"),
        "nothing is done where a creation is refused"
    );
    let theirs = key(&namespace, "theirs");
    let foreign = world.engine.run_action(&unit, &theirs, "light", &BTreeMap::new()).await;
    ensure!(told(foreign) == format!("{theirs} is not an object of the unit lamp"));
    let gone = key(&namespace, "gone");
    ensure!(
        told(world.engine.run_action(&unit, &gone, "light", &BTreeMap::new()).await)
            == format!("there is no {gone}")
    );
    ensure!(matches!(
        world.engine.actions(&UnitId("nobody".into()), &lamp).await,
        Err(ActionError::Unit(towpath_engine::UnitError::Missing(_)))
    ));
    Ok(())
}

/// What hangs below a unit's objects has actions, too.
#[tokio::test(flavor = "multi_thread")]
async fn children_have_actions() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("child").await?;
    let (api, world) = (plane.api(), World::start(plane)?);
    world.engine.set_settings(Settings { overrides: lamps(), ..Settings::default() }).await?;
    world.add("child", &namespace, Rules::Kstatus, vec![config("parent", "1")]).await?;
    world.settled("child", "r1").await?;
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let parent = api.get(&format!("{path}/parent")).await?;
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "controller": true,
        "uid": parent.pointer("/metadata/uid").context("a uid")?});
    for (name, owner) in [("below", owner.clone()), ("deeper", Value::Null)] {
        let mut child = config(name, "1");
        let below = api.find(&format!("{path}/below")).await?;
        let uid = below.as_ref().and_then(|object| object.pointer("/metadata/uid"));
        let owner = match uid {
            Some(uid) => json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "below", "uid": uid}),
            None => owner,
        };
        if let Some(metadata) = child.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("ownerReferences".into(), json!([owner]));
        }
        api.post(&path, &child).await?;
    }
    let unit = UnitId("child".into());
    for name in ["below", "deeper"] {
        let done = world.engine.run_action(&unit, &key(&namespace, name), "light", &BTreeMap::new()).await?;
        ensure!(done == [Done::Changed(key(&namespace, name))]);
    }
    Ok(())
}

/// The rights are those of the unit's destination.
#[tokio::test(flavor = "multi_thread")]
async fn an_action_has_the_rights_of_the_destination() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("rights").await?;
    let world = World::start(plane)?;
    world.add("rights", &namespace, Rules::Kstatus, vec![config("lamp", "1")]).await?;
    world.settled("rights", "r1").await?;
    let (store, manifests) = world.kill().await?;

    let user = format!("reader-{namespace}");
    let (api, rbac) = (plane.api(), "/apis/rbac.authorization.k8s.io/v1");
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": user},
        "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]});
    api.post(&format!("{rbac}/clusterroles"), &role).await?;
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": user}, "subjects": [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user}});
    api.post(&format!("{rbac}/clusterrolebindings"), &binding).await?;
    let world = World::over(plane.kubeconfig_for(&user, &[])?, store, manifests)?;
    world.engine.set_settings(Settings { overrides: lamps(), ..Settings::default() }).await?;
    let (unit, lamp) = (UnitId("rights".into()), key(&namespace, "lamp"));
    let refused = eventually("the rights are known", Duration::from_secs(20), async || {
        Ok(world.engine.run_action(&unit, &lamp, "light", &BTreeMap::new()).await.err())
    })
    .await?;
    ensure!(refused.to_string().contains("cannot patch resource \"configmaps\""), "{refused}");
    let copied = world.engine.run_action(&unit, &lamp, "copy", &parameters("copied")).await;
    let copied = copied.err().context("it was done")?;
    ensure!(copied.to_string().contains("cannot create resource \"configmaps\""), "{copied}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn health_by_scripts_and_expressions() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("health").await?;
    let world = World::start(plane)?;
    let script = "if obj.data.key == 'dark' then return {status = 'Degraded', message = 'it is dark'} end
        return {status = 'Healthy'}";
    let lua = KindOverride { health_script: Some(script.into()), ..KindOverride::default() };
    let settings = Settings { overrides: [("ConfigMap".to_string(), lua)].into(), ..Settings::default() };
    world.engine.set_settings(settings).await?;
    let expressions = HealthExpressions {
        current: "data.key == 'lit'".into(),
        failed: "data.key == 'broken'".into(),
        ..HealthExpressions::default()
    };
    let cel = KindOverride { health_expressions: Some(expressions), ..KindOverride::default() };
    let own: Overrides = [("ConfigMap".to_string(), cel)].into();
    let healing = Some(towpath_engine::unit::Automated::default());
    for (id, key, overrides) in [
        ("by-lua", "dark", Overrides::new()),
        ("by-cel", "broken", own.clone()),
        ("on-the-way", "dark", own.clone()),
        ("lit", "lit", own),
    ] {
        let policy = Policy { automated: healing, overrides, ..Policy::default() };
        add(&world, id, &namespace, policy, vec![config(id, key)]).await?;
    }
    let health = async |id: &str, wanted: UnitHealth| -> Result<Status> {
        eventually(&format!("{id} is {wanted:?}"), Duration::from_secs(20), async || {
            Ok(Some(world.status(id).await?).filter(|status| status.health == wanted))
        })
        .await
    };
    let status = health("by-lua", UnitHealth::Degraded).await?;
    ensure!(status.message.contains("it is dark"), "{}", status.message);
    health("by-cel", UnitHealth::Degraded).await?;
    health("on-the-way", UnitHealth::Progressing).await?;
    health("lit", UnitHealth::Healthy).await?;

    // Live: everything is judged anew.
    world.engine.set_settings(Settings::default()).await?;
    health("by-lua", UnitHealth::Healthy).await?;
    health("by-cel", UnitHealth::Degraded).await?;
    Ok(())
}
