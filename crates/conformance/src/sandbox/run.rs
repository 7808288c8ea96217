//! The same sequence on two servers, step by step.

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{Method, Request};
use serde_json::{Value, json};
use towpath_testkit::Api;

use super::mask::masked;
use super::sequence::{Sequence, Step};
use crate::score::Verdict;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub code: u16,
    pub body: Value,
}

/// A server with what has been said so far.
pub struct Talk<'a> {
    api: &'a Api,
    namespace: String,
    answers: Vec<Answer>,
}

impl<'a> Talk<'a> {
    /// Begins in a namespace of its own.
    pub async fn begin(api: &'a Api, namespace: &str) -> Result<Self> {
        let object = json!({"metadata": {"name": namespace}});
        api.post("/api/v1/namespaces", &object).await.context("make a namespace")?;
        Ok(Self { api, namespace: namespace.into(), answers: Vec::new() })
    }

    /// Sends a step and remembers the answer.
    pub async fn say(&mut self, step: &Step) -> Result<Answer> {
        let path = self.filled(&step.path);
        let body = if step.body.is_null() { String::new() } else { self.filled(&step.body.to_string()) };
        let mut request = Request::builder().method(step.method.clone()).uri(&path);
        request = request.header(ACCEPT, step.accept).header(USER_AGENT, "difference/1");
        if !step.form.is_empty() && step.method != Method::GET {
            request = request.header(CONTENT_TYPE, step.form);
        }
        let answer = self.api.exchange(request.body(Bytes::from(body))?).await?;
        let body = read(answer.body(), path.contains("watch=true"));
        let answer = Answer { code: answer.status().as_u16(), body };
        self.answers.push(answer.clone());
        Ok(answer)
    }

    /// A text with what stands for other things.
    fn filled(&self, text: &str) -> String {
        let mut text = text.replace("NAMESPACE", &self.namespace);
        for (number, answer) in self.answers.iter().enumerate() {
            for field in ["uid", "resourceVersion", "continue"] {
                let value = answer.body.pointer(&format!("/metadata/{field}")).and_then(Value::as_str);
                text = text.replace(&format!("${{{field}:{number}}}"), value.unwrap_or("missing"));
            }
        }
        text
    }
}

/// JSON, the lines of a watch without its bookmarks, or else text.
fn read(body: &[u8], watch: bool) -> Value {
    let text = || Value::String(String::from_utf8_lossy(body).into_owned());
    if !watch {
        return serde_json::from_slice(body).unwrap_or_else(|_| text());
    }
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines: Vec<Value> = lines.map(|line| serde_json::from_slice(line).unwrap_or_default()).collect();
    let is_end =
        |line: &Value| line.pointer("/object/metadata/annotations/k8s.io~1initial-events-end").is_some();
    let plain = |line: &Value| line.get("type").and_then(Value::as_str) == Some("BOOKMARK") && !is_end(line);
    lines.into_iter().filter(|line| !plain(line)).collect()
}

/// What the two say to each step.
pub async fn compare(sequence: &Sequence, number: usize, real: &Api, ours: &Api) -> Result<Vec<Verdict>> {
    let namespace = format!("difference-{number}");
    let (mut real, mut ours) = (Talk::begin(real, &namespace).await?, Talk::begin(ours, &namespace).await?);
    let mut found = Vec::new();
    for step in &sequence.steps {
        let (theirs, own) = tokio::try_join!(real.say(step), ours.say(step))?;
        found.push(difference(step, &theirs, &own, &namespace));
    }
    ensure!(found.len() == sequence.steps.len(), "every step has an answer");
    Ok(found)
}

/// A refusal for the same reason in other words: those of Go's decoder and of its validation.
const WORDING: &str = "the same refusal in other words";

/// A status without its sentences.
fn without_words(status: &Value) -> Value {
    let mut status = status.clone();
    if let Some(fields) = status.as_object_mut() {
        fields.remove("message");
    }
    for cause in status.pointer_mut("/details/causes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(fields) = cause.as_object_mut() {
            fields.remove("message");
        }
    }
    status
}

fn difference(step: &Step, real: &Answer, ours: &Answer, namespace: &str) -> Verdict {
    let (theirs, own) = (masked(real.body.clone(), namespace), masked(ours.body.clone(), namespace));
    if real.code == ours.code && theirs == own {
        return Verdict::Agreed;
    }
    if real.code == ours.code
        && matches!(real.code, 400 | 422)
        && without_words(&theirs) == without_words(&own)
    {
        return Verdict::Declared(WORDING);
    }
    let head = format!("  {} {}", step.method, step.path);
    if real.code != ours.code {
        return Verdict::Missed(format!(
            "{head}\n  real {}: {theirs}\n  ours {}: {own}",
            real.code, ours.code
        ));
    }
    let changes: Vec<String> = towpath_merge::diff(&theirs, &own)
        .iter()
        .map(|change| format!("  {}: real {:?}, ours {:?}", change.path, change.before, change.after))
        .collect();
    Verdict::Missed(format!("{head} ({})\n{}", real.code, changes.join("\n")))
}
