//! The formats of files.

use std::fmt;

/// A format that SOPS knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// YAML, several documents perhaps.
    Yaml,
    /// One JSON object.
    Json,
    /// `KEY=value` lines.
    Dotenv,
    /// Sections of `key = value` lines.
    Ini,
    /// Anything, wrapped into JSON when it is encrypted.
    Binary,
}

impl Format {
    /// By the end of a file's name, as SOPS does; what it does not know is binary.
    pub fn of_path(path: &str) -> Self {
        let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
        if ends(&[".yaml", ".yml"]) {
            Self::Yaml
        } else if ends(&[".json"]) {
            Self::Json
        } else if ends(&[".env"]) {
            Self::Dotenv
        } else if ends(&[".ini"]) {
            Self::Ini
        } else {
            Self::Binary
        }
    }
}

impl Format {
    /// By the key of a Secret, as Flux does: the file of registry credentials is JSON.
    pub fn of_key(key: &str) -> Self {
        if key.ends_with(".dockerconfigjson") { Self::Json } else { Self::of_path(key) }
    }

    /// Whether a text looks as if SOPS had encrypted it in this format: Flux's sign of it.
    pub fn marks(self, bytes: &[u8]) -> bool {
        let mark: &[u8] = match self {
            Self::Yaml => b"mac: ENC[",
            Self::Json | Self::Binary => b"\"mac\": \"ENC[",
            Self::Dotenv => b"sops_mac=ENC[",
            Self::Ini => b"[sops]",
        };
        memchr::memmem::find(bytes, mark).is_some()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::Dotenv => "dotenv",
            Self::Ini => "INI",
            Self::Binary => "binary",
        })
    }
}
