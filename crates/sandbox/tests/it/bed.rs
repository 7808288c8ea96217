//! A sandbox, and a client that adds nothing to plain HTTP.

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};
use towpath_sandbox::{Options, Sandbox};
use towpath_testkit::{Api, Credentials};

pub struct Bed {
    pub sandbox: Sandbox,
    pub api: Api,
}

pub const MAPS: &str = "/api/v1/namespaces/default/configmaps";

impl Bed {
    pub async fn start() -> Result<Self> {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Result<Self> {
        let sandbox = Sandbox::start(options).await?;
        let api = Api::new(&sandbox.url(), "", Credentials::Anonymous)?;
        Ok(Self { sandbox, api })
    }

    /// The status and the body of an answer.
    pub async fn send(&self, method: Method, path: &str, form: &str, body: &Value) -> Result<(u16, Value)> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.api.send(method, path, form, body.into()).await?;
        let value = serde_json::from_slice(answer.body()).unwrap_or_default();
        Ok((answer.status().as_u16(), value))
    }

    /// Server-side apply without force.
    pub async fn apply(&self, path: &str, manager: &str, object: &Value) -> Result<(u16, Value)> {
        let path = format!("{path}?fieldManager={manager}");
        self.send(Method::PATCH, &path, "application/apply-patch+yaml", object).await
    }

    /// The lines of a watch that ends after a second.
    pub async fn watched(&self, path: &str) -> Result<Vec<(String, Value)>> {
        let more = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{more}watch=true&timeoutSeconds=1");
        let answer = self.api.send(Method::GET, &path, "", Vec::new().into()).await?;
        let mut lines = Vec::new();
        for line in answer.body().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line: Value = serde_json::from_slice(line)?;
            let what = line.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            lines.push((what, line.get("object").cloned().unwrap_or_default()));
        }
        Ok(lines)
    }
}

pub fn map(name: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}
