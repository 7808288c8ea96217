//! The forecast beside the server's own judgement, for every small change of every manifest.

use anyhow::{Context as _, Result};
use bytes::Bytes;
use futures::StreamExt as _;
use http::Method;
use serde_json::Value;
use towpath_object::Object;
use towpath_schema::Violation;
use towpath_testkit::Api;

use super::known::Known;
use super::mutate::{self, Mutation};
use super::{definition, manifests, prepare, wanted};

/// How many requests are under way at a time.
const AT_A_TIME: usize = 8;

/// How often both said what.
#[derive(Default)]
struct Score {
    accepted: usize,
    foreseen: usize,
    unforeseen: Vec<String>,
    false_alarms: Vec<String>,
}

impl Score {
    /// Counts one case; `found` by the server's schemas, and by those together with the definition's.
    fn add(&mut self, what: &str, found: &[Vec<Violation>; 2], refusal: Option<&str>) {
        let first = found.iter().flatten().next();
        match (refusal, first) {
            (None, None) => self.accepted += 1,
            (None, Some(violation)) => self.false_alarms.push(format!("{what}: {violation}")),
            (Some(_), Some(_)) if found.iter().all(|found| !found.is_empty()) => self.foreseen += 1,
            (Some(refusal), _) => self.unforeseen.push(format!("{what}: {refusal}")),
        }
    }
}

/// Runs every `step`-th mutation of every manifest by the server and by the schemas.
async fn compare(step: usize) -> Result<Score> {
    let (plane, cluster) = prepare().await?;
    let kinds = cluster.kinds().await?;
    let schemas = cluster.schemas(wanted(), None).await?;
    let namespace = plane.namespace("schemas").await?;
    let api = plane.api();
    let mut from_definition = schemas.clone();
    from_definition.add_definition(&definition());
    let mut score = Score::default();
    for (turn, manifest) in manifests().into_iter().enumerate() {
        let object = Object::new(manifest.clone())?;
        let gvk = object.gvk();
        let resource = kinds.get(&gvk).with_context(|| format!("{gvk} is not served"))?;
        let prefix = if gvk.group.is_empty() {
            format!("api/{}", gvk.version)
        } else {
            format!("apis/{}/{}", gvk.group, gvk.version)
        };
        let known = Known::new(api.get(&format!("/openapi/v3/{prefix}")).await?, &gvk.group, &gvk.kind);
        let within = if resource.namespaced { format!("namespaces/{namespace}/") } else { String::new() };
        let path = format!("/{prefix}/{within}{}/{}", resource.plural, object.name());
        let mutations = mutate::all(&manifest, &known);
        let chosen = mutations.into_iter().enumerate().filter(|(at, _)| *at == 0 || (at + turn) % step == 0);
        let answers = futures::stream::iter(chosen.map(|(_, mutation)| ask(&api, &path, mutation)));
        let mut answers = std::pin::pin!(answers.buffered(AT_A_TIME));
        while let Some(answer) = answers.next().await {
            let (mutation, refusal) = answer?;
            anyhow::ensure!(
                mutation.what != "as it is" || refusal.is_none(),
                "{gvk} itself is refused: {refusal:?}"
            );
            let found = [&schemas, &from_definition].map(|schemas| schemas.check(&gvk, &mutation.object));
            let what = format!("{gvk}: {}", mutation.what);
            score.add(&what, &found, refusal.as_deref());
        }
    }
    Ok(score)
}

/// The server's refusal of a mutation, if it refuses.
async fn ask(api: &Api, path: &str, mutation: Mutation) -> Result<(Mutation, Option<String>)> {
    let path = format!("{path}?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict");
    let body = Bytes::from(mutation.object.to_string());
    let answer = api.send(Method::PATCH, &path, "application/apply-patch+yaml", body).await?;
    if answer.status().is_success() {
        return Ok((mutation, None));
    }
    let status: Value = serde_json::from_slice(answer.body())?;
    Ok((mutation, Some(status["message"].as_str().unwrap_or_default().to_owned())))
}

/// Whether a refusal is about the form that schemas describe: fields that are not there and types.
fn is_structural(refusal: &str) -> bool {
    refusal.contains("typed patch object") || refusal.contains("must be of type")
}

fn report(score: &Score) {
    let structural = score.unforeseen.iter().filter(|refusal| is_structural(refusal)).count();
    println!(
        "accepted {}, refused and foreseen {}, refused and not foreseen {}, of these structural {structural}",
        score.accepted,
        score.foreseen,
        score.unforeseen.len()
    );
    assert!(score.false_alarms.is_empty(), "false alarms:\n{}", score.false_alarms.join("\n"));
}

#[tokio::test]
async fn what_the_server_accepts_is_never_called_wrong() -> Result<()> {
    let score = compare(61).await?;
    report(&score);
    assert!(score.foreseen > 3 * score.unforeseen.len(), "{:#?}", score.unforeseen);
    Ok(())
}

#[tokio::test]
#[ignore = "tens of thousands of requests: some minutes"]
async fn every_mutation() -> Result<()> {
    let score = compare(1).await?;
    for refusal in &score.unforeseen {
        println!("{}{}", if is_structural(refusal) { "STRUCTURAL " } else { "" }, refusal);
    }
    report(&score);
    Ok(())
}
