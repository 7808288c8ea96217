//! The Go side: what is asked and answered.

use std::sync::mpsc;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// What is asked.
#[derive(Clone)]
pub enum Question {
    /// What does this text mean?
    Decode(Vec<u8>),
    /// How is this JSON written as YAML?
    Encode(serde_json::Value),
}

impl Question {
    /// The text to read, if that is the question.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Decode(text) => Some(text),
            Self::Encode(_) => None,
        }
    }

    fn line(&self) -> String {
        let (op, data) = match self {
            Self::Decode(text) => ("decode", STANDARD.encode(text)),
            Self::Encode(value) => ("encode", STANDARD.encode(json(value))),
        };
        format!("{{\"op\":\"{op}\",\"data\":\"{data}\"}}\n")
    }
}

/// JSON that go-yaml, which reads it as YAML, does not change: characters that YAML forbids, folds or skips
/// are escaped.
fn json(value: &serde_json::Value) -> String {
    let mut text = String::new();
    for character in value.to_string().chars() {
        match character {
            '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => {
                text.extend(["\\u".to_owned(), format!("{:04x}", u32::from(character))]);
            }
            _ => text.push(character),
        }
    }
    text
}

/// One part of a text between `---` lines, as kubectl cuts it.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Part {
    /// The first document of the part.
    pub json: String,
    /// Why the part was refused.
    pub error: String,
    /// Why the strict reader refused it: mostly keys written twice.
    pub strict_error: String,
    /// How many documents a reader sees that does not stop behind the first.
    pub documents: usize,
    /// Why that reader stopped.
    pub stream_error: String,
}

/// What Go says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub parts: Vec<Part>,
    /// The written YAML, in base64.
    pub yaml: String,
    pub error: String,
}

impl Answer {
    pub fn written(&self) -> Result<String> {
        let bytes = STANDARD.decode(&self.yaml).context("the oracle's base64")?;
        String::from_utf8(bytes).context("the oracle's YAML")
    }
}

/// Asks all questions; the answers come in the same order.
pub fn ask<'a>(questions: impl Iterator<Item = &'a Question>) -> Result<mpsc::IntoIter<Result<Answer>>> {
    crate::questions::ask("yamloracle", questions.map(Question::line).collect())
}
