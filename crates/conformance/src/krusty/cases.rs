//! The captured builds.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};

use super::module;

/// One call of `Kustomizer.Run`.
#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    pub path: String,
    /// The folder that holds all files.
    pub base: String,
    pub on_disk: bool,
    #[serde(deserialize_with = "contents")]
    pub files: BTreeMap<String, Vec<u8>>,
    pub unrestricted: bool,
    pub reorder: String,
    pub managed_by: bool,
    pub plugins: bool,
    pub helm: bool,
    #[serde(deserialize_with = "bytes")]
    pub output: Vec<u8>,
    pub error: String,
}

impl Case {
    /// Whether upstream went to the network.
    pub fn is_remote(&self) -> bool {
        self.error.contains("git fetch") || self.error.contains("HTTP Error")
    }
}

/// All cases, in the order in which they ran.
pub fn load() -> Result<Vec<Case>> {
    let path = module::captured()?;
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    text.lines().map(|line| serde_json::from_str(line).context("a captured case")).collect()
}

fn decoded(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    STANDARD.decode(text)
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = Option::<String>::deserialize(from)?.unwrap_or_default();
    decoded(&text).map_err(serde::de::Error::custom)
}

fn contents<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<u8>>, D::Error> {
    let texts = BTreeMap::<String, Option<String>>::deserialize(from)?;
    let decode = |(path, text): (String, Option<String>)| {
        decoded(&text.unwrap_or_default()).map(|content| (path, content)).map_err(serde::de::Error::custom)
    };
    texts.into_iter().map(decode).collect()
}

/// A message without the addresses in memory that Go prints.
pub fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str("0x");
        kept.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()));
    }
    kept
}
