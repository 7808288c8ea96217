//! What we predict against what a real server answers to a dry run.
//!
//! Each scenario applies an object, lets somebody else change it, and then asks both what an apply of a second
//! form would do: whether it changes anything, and what the object would be.

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::Method;
use serde_json::Value;
use towpath_merge::diff;
use towpath_merge::explain::explain;
use towpath_merge::ignore::Rules;
use towpath_merge::predict::{Options, predict};
use towpath_object::strip;
use towpath_testkit::{Api, ControlPlane};

use super::scenarios::{Scenario, scenarios};
use crate::score::{Score, Verdict};

const MANAGER: &str = "towpath";

/// What a server fills in again where we only see that something goes.
const FILLED_IN: &str = "a default comes back in place of what goes";

/// Runs all scenarios on a control plane of their own.
pub(super) fn run(score: &mut Score) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let plane = ControlPlane::builder().controllers(false).start().await?;
        let api = plane.api();
        for scenario in scenarios() {
            let namespace = plane.namespace("diff").await?;
            let (modified, exact) =
                ask(&api, &scenario, &namespace).await.with_context(|| scenario.name.clone())?;
            score.add(&format!("server: {}: modified?", scenario.name), modified);
            score.add(&format!("server: {}: every field", scenario.name), exact);
        }
        Ok(())
    })
}

async fn ask(api: &Api, scenario: &Scenario, namespace: &str) -> Result<(Verdict, Verdict)> {
    let path = scenario.path.replace("NAMESPACE", namespace);
    if let Some((path, definition)) = &scenario.definition {
        api.apply(path, definition, MANAGER).await?;
    }
    applied(api, &path, &scenario.first, "").await?;
    if let Some(edit) = &scenario.edit {
        api.patch(&format!("{path}?fieldManager=kubectl-edit"), edit).await?;
    }
    let live = api.get(&path).await?;
    let answer = applied(api, &path, &scenario.second, "&dryRun=All").await?;
    let options = Options::of(MANAGER);
    let found = explain(&scenario.second, Some(&live), &Rules::default(), &options)?;
    let predicted = predict(&scenario.second, &live, &options);
    let difference = diff(&bare(&predicted), &bare(&answer));
    let changes = !diff(&bare(&live), &bare(&answer)).is_empty();
    let modified = if found.is_modified() == changes {
        Verdict::Agreed
    } else {
        Verdict::Missed(format!("the server changes it: {changes}; we say:\n{found}"))
    };
    let exact = match difference.as_slice() {
        [] => Verdict::Agreed,
        // We predict that it goes, the server puts its default there.
        some if some.iter().all(|change| change.before.is_none()) => Verdict::Declared(FILLED_IN),
        some => Verdict::Missed(format!("{some:#?}")),
    };
    Ok((modified, exact))
}

/// Server-side apply until the server's schemas are there: those of a new definition take a moment.
async fn applied(api: &Api, path: &str, object: &Value, query: &str) -> Result<Value> {
    let path = format!("{path}?fieldManager={MANAGER}&force=true{query}");
    let body = Bytes::from(object.to_string());
    for _ in 0..100 {
        let answer = api.send(Method::PATCH, &path, "application/apply-patch+yaml", body.clone()).await?;
        if answer.status().is_success() {
            return Ok(serde_json::from_slice(answer.body())?);
        }
        if answer.status() != 404 {
            bail!("{}", String::from_utf8_lossy(answer.body()));
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    bail!("{path} is not served")
}

/// What a person could have written.
fn bare(object: &Value) -> Value {
    let mut object = object.clone();
    strip(&mut object);
    object
}
