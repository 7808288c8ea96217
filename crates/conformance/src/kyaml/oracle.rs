//! The Go side: `kyamloracle`, which wraps kustomize's libraries.

use std::sync::mpsc;

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::questions;

/// What is asked.
pub enum Question {
    /// What is this text as resources, and how are they written?
    Read(Vec<u8>),
    /// What is this text as sigs.k8s.io/yaml reads it?
    Values(Vec<u8>),
    /// What comes out of a strategic merge?
    Merge { target: String, patch: String, behind: bool, infer: bool },
    /// What comes out of a JSON patch?
    Json6902 { target: String, patch: String },
}

impl Question {
    fn line(&self) -> String {
        let encode = |bytes: &[u8]| STANDARD.encode(bytes);
        let mut line = match self {
            Self::Read(data) => json!({"op": "read", "data": encode(data)}),
            Self::Values(data) => json!({"op": "values", "data": encode(data)}),
            Self::Merge { target, patch, behind, infer } => json!({
                "op": "merge", "data": encode(target.as_bytes()), "patch": encode(patch.as_bytes()),
                "behind": behind, "infer": infer,
            }),
            Self::Json6902 { target, patch } => json!({
                "op": "json6902", "data": encode(target.as_bytes()), "patch": encode(patch.as_bytes()),
            }),
        }
        .to_string();
        line.push('\n');
        line
    }
}

/// One resource as kyaml reads it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Read {
    /// `[kind, tag, style, value, line, [children]]`
    pub tree: Value,
    /// As kustomize prints it.
    pub yaml: String,
    /// Why it cannot be printed.
    pub error: String,
}

/// What Go says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub nodes: Vec<Read>,
    pub json: String,
    pub yaml: String,
    pub error: String,
}

/// Asks all questions; the answers come in the same order.
pub fn ask<'a>(questions: impl Iterator<Item = &'a Question>) -> Result<mpsc::IntoIter<Result<Answer>>> {
    questions::ask("kyamloracle", questions.map(Question::line).collect())
}
