//! Nothing of a Secret gets out: not in logs, messages, events or what is written down, whatever goes wrong with it.

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use towpath_engine::store::{UnitStore as _, await_sync, start_sync};
use towpath_engine::unit::{Operation, Phase, Policy, UnitId};
use towpath_plan::sync::{Rules, SyncOptions, Wanted};
use towpath_testkit::{Fault, FaultProxy, Rule, eventually, shared};
use tracing::Level;

use crate::hooks::annotated;
use crate::world::{World, unit};

/// Ten letters that occur nowhere else, another for each number.
fn word(number: usize) -> String {
    let letters = "QXZJVKWYHU";
    letters.chars().cycle().skip(number % 10).step_by(3).take(10).chain(number.to_string().chars()).collect()
}

fn secret(name: &str, rest: &Value) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    if let (Some(fields), Some(rest)) = (object.as_object_mut(), rest.as_object()) {
        fields.extend(rest.clone());
    }
    object
}

/// Secrets that are well and secrets that are not: what the unit is called, its objects, and how its sync ends.
fn cases() -> Vec<(&'static str, Vec<Value>, Phase)> {
    let coded = |number| STANDARD.encode(word(number));
    let copy = secret("copy", &json!({"stringData": {"key": word(4)}})).to_string();
    let mut copied = secret("copy", &json!({"data": {"key": coded(5)}}));
    if let Some(metadata) = copied.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotation = json!({"kubectl.kubernetes.io/last-applied-configuration": copy});
        metadata.insert("annotations".into(), annotation);
    }
    let fixed = |number| secret("fixed", &json!({"immutable": true, "stringData": {"key": word(number)}}));
    vec![
        ("plain", vec![secret("plain", &json!({"data": {"key": coded(0)}}))], Phase::Succeeded),
        ("text", vec![secret("text", &json!({"stringData": {"key": word(1)}}))], Phase::Succeeded),
        ("raw", vec![secret("raw", &json!({"data": {"key": format!("{}!", word(2))}}))], Phase::Error),
        ("typed", vec![secret("typed", &json!({"stringData": {"key": {"deep": word(3)}}}))], Phase::Error),
        ("listed", vec![secret("listed", &json!({"data": [word(3)]}))], Phase::Error),
        ("copied", vec![copied], Phase::Succeeded),
        (
            "large",
            vec![secret("large", &json!({"stringData": {"key": word(6).repeat(120_000)}}))],
            Phase::Error,
        ),
        ("twice", vec![fixed(7), fixed(8)], Phase::Error),
        ("key", vec![secret("key", &json!({"stringData": {"not a key": word(9)}}))], Phase::Failed),
        ("unknown", vec![secret("unknown", &json!({"stringDate": {"key": word(10)}}))], Phase::Error),
        (
            "hook",
            vec![annotated(
                secret("hook", &json!({"stringData": {"key": word(11)}})),
                &[("hook", "PreSync")],
            )],
            Phase::Succeeded,
        ),
        ("fixed", vec![fixed(12)], Phase::Succeeded),
    ]
}

/// Everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One thread: then everything that is logged comes to the ear of this test.
#[tokio::test]
async fn nothing_of_a_secret_is_told_or_written_down() -> Result<()> {
    let log = Log::default();
    let writer = log.clone();
    let ear =
        tracing_subscriber::fmt().with_max_level(Level::TRACE).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(ear);
    let plane = shared().await?;
    let namespace = plane.namespace("secrets").await?;
    let (api, proxy) = (plane.api(), FaultProxy::start(plane)?);
    proxy.add(Rule::new(Fault::status(503)).writes().path("/secrets/").times(3));
    let world = World::over(proxy.kubeconfig_path().to_path_buf(), Arc::default(), Arc::default())?;
    let mut events = world.engine.subscribe();
    let mut told = String::new();
    for (name, objects, end) in cases() {
        writeln!(told, "{:?}", objects.iter().map(|one| Wanted::new(one.clone(), None)).collect::<Vec<_>>())?;
        world.manifests.set(name, objects);
        let rules = if name == "hook" { Rules::Argo } else { Rules::Kstatus };
        world.store.create(unit(name, &namespace, Policy { rules, ..Policy::default() })).await?;
        let id = UnitId(name.into());
        start_sync(&*world.store, &id, Operation::default()).await?;
        let state = await_sync(&*world.store, &id, Duration::from_secs(30)).await?.context(name)?;
        // Which it is depends on who finds the fault first, the schema or the server.
        let is_bad = |phase| phase == Phase::Error || phase == Phase::Failed;
        ensure!(state.phase == end || is_bad(state.phase) && is_bad(end), "{name}: {state:#?}");
    }
    // What may not be changed, what somebody changed by hand, and what is to be recreated.
    world.manifests.set(
        "fixed",
        vec![secret("fixed", &json!({"immutable": true, "data": {"key": STANDARD.encode(word(13))}}))],
    );
    let path = format!("/api/v1/namespaces/{namespace}/secrets");
    api.patch(&format!("{path}/plain"), &json!({"data": {"key": STANDARD.encode(word(14))}})).await?;
    for force in [false, true] {
        let options = Some(SyncOptions { force, ..SyncOptions::default() });
        for name in ["fixed", "plain"] {
            let id = UnitId(name.into());
            start_sync(&*world.store, &id, Operation { options: options.clone(), ..Operation::default() })
                .await?;
            let state = await_sync(&*world.store, &id, Duration::from_secs(30)).await?.context(name)?;
            ensure!(force || name == "plain" || state.phase == Phase::Failed, "{name}: {state:#?}");
        }
    }
    let healed = eventually("the drift is repaired", Duration::from_secs(10), async || {
        let found = api.get(&format!("{path}/plain")).await?;
        Ok((found["data"]["key"] == STANDARD.encode(word(0))).then_some(()))
    });
    healed.await?;
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(200), events.next()).await {
        writeln!(told, "{event:?}")?;
    }
    for stored in world.store.list().await? {
        writeln!(told, "{stored:?}\n{}", serde_json::to_string(&stored.unit)?)?;
    }
    let log = String::from_utf8_lossy(&log.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
    ensure!(log.contains("try again"), "our own log is heard: {log}");
    for number in 0..15 {
        let hidden = word(number);
        // Its base64, without what depends on the end.
        let coded = STANDARD.encode(&hidden).chars().take(12).collect::<String>();
        for (place, text) in [("told", &told), ("logged", &log)] {
            for form in [&hidden, &coded] {
                let at = text.find(form.as_str());
                let around =
                    at.map(|at| text.chars().skip(at.saturating_sub(200)).take(400).collect::<String>());
                ensure!(at.is_none(), "{number} was {place}: {around:?}");
            }
        }
    }
    Ok(())
}
